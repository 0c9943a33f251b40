"""Run a shape rule on metas written as text: ``float32[n,3]``, ``int32[2]=4,-1``, ``float32[*]``."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from lite.ir.program import AttrValue
from lite.ir.types import DType, Shape
from lite.ops import Meta, get_schema, infer


def meta(text: str) -> Meta:
    """The meta that a text describes; after ``=``, its known elements."""
    name, _, rest = text.partition("[")
    dims, _, elements = rest.partition("]")
    dtype = DType.from_name(name)
    shape: Shape | None = None
    if dims != "*":
        shape = tuple(int(dim) if dim.lstrip("-").isdigit() else dim for dim in dims.split(",") if dim)
    if not elements:
        return Meta(dtype, shape)
    items = [float(item) for item in elements[1:].split(",") if item]
    return Meta(
        dtype,
        shape,
        np.array(items).astype(dtype.numpy).reshape([d for d in shape or () if isinstance(d, int)]),
    )


def inferred(
    op: str,
    inputs: Mapping[str, str | list[str]],
    attrs: Mapping[str, AttrValue] | None = None,
    outputs: Mapping[str, int] | None = None,
) -> str:
    """The outputs' metas, slot after slot, as text."""
    schema = get_schema(op)
    metas = {
        slot: [meta(t) for t in ([given] if isinstance(given, str) else given)]
        for slot, given in inputs.items()
    }
    found = infer(schema, metas, schema.attr_values(attrs or {}), outputs or {next(iter(schema.outputs)): 1})
    return " ".join(str(meta) for metas in found.values() for meta in metas)
