"""Ops that pick rows or elements by index, and scatter, which puts them back."""

from __future__ import annotations

from lite.ops.schema import op
from lite.ops.view import Meta, OpView


def _lookup_table(op: OpView) -> Meta:
    ids = op["Ids"]
    width = op["W"].dims[1]
    if op.op == "lookup_table_v2":
        return Meta(op["W"].dtype, (*ids.dims, width))
    if ids.dims[-1] != 1 and isinstance(ids.dims[-1], int):
        raise op.error("slot Ids", "a last dimension of 1", ids)
    return Meta(op["W"].dtype, (*ids.dims[:-1], width))


op("lookup_table_v2", "W/2 Ids:int", "Out", _lookup_table, attrs={"padding_idx": -1}, lod="Ids")
op("lookup_table", "W/2 Ids:int/1-", "Out", _lookup_table, attrs={"padding_idx": -1}, lod="Ids")
