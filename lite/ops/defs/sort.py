"""Ops that order elements: argsort, top_k, unique."""

from __future__ import annotations

from collections.abc import Mapping

from lite.ir.program import AttrValue
from lite.ir.types import UNKNOWN, Dim, DType
from lite.ops.attrs import Attr, ints, number
from lite.ops.rules import checked_axis
from lite.ops.schema import Canonical, op
from lite.ops.shape_input import element
from lite.ops.view import Meta, OpView


def _argsort(op: OpView) -> dict[str, Meta]:
    x = op["X"]
    _check_axis(op, x)
    return {"Out": Meta(x.dtype, x.shape), "Indices": Meta(DType.INT64, x.shape)}


def _check_axis(op: OpView, x: Meta) -> int:
    return checked_axis(op, x, op.integer("axis"), "attribute axis")


def _top_k(op: OpView) -> dict[str, Meta]:
    x = op["X"]
    axis = _check_axis(op, x) if op.op == "top_k_v2" else x.rank - 1
    count = element(op, "k", "K")
    dims = list(x.dims)
    if dims:
        size = dims[axis]
        if count is not None and isinstance(size, int) and not 0 <= count <= size:
            raise op.error("k", f"a number from 0 to {size}", count)
        dims[axis] = UNKNOWN if count is None else count
    return {"Out": Meta(x.dtype, tuple(dims)), "Indices": Meta(DType.INT64, tuple(dims))}


def _last_axis(attrs: Mapping[str, AttrValue]) -> dict[str, AttrValue]:
    """The attributes of top_k_v2 for top_k."""
    return {"k": attrs["k"], "axis": -1, "largest": True, "sorted": True}


def _unique(op: OpView) -> dict[str, Meta]:
    x = op["X"]
    index_type = op.dtype("dtype", DType.INT64)
    axes = op.integers("axis")
    shape: tuple[Dim, ...] = (UNKNOWN,)
    if axes and x.rank:
        axis = x.axis(axes[0])
        shape = (*x.dims[:axis], UNKNOWN, *x.dims[axis + 1 :])
    count = Meta(index_type, (UNKNOWN,))
    return {"Out": Meta(x.dtype, shape), "Indices": count, "Index": Meta(index_type, None), "Counts": count}


def _unique_with_counts(op: OpView) -> dict[str, Meta]:
    index_type = op.dtype("dtype", DType.INT32)
    return {
        "Out": Meta(op["X"].dtype, (UNKNOWN,)),
        "Index": Meta(index_type, op["X"].shape),
        "Count": Meta(index_type, (UNKNOWN,)),
    }


_K: dict[str, AttrValue | Attr] = {"k": number(1, low=0)}

op(
    "argsort",
    "Sorted elements along an axis and their indices.",
    "X",
    "Out Indices?",
    _argsort,
    attrs={"axis": -1, "descending": False},
    lod="X",
)
op(
    "top_k_v2",
    "The k greatest or smallest elements along an axis and their indices.",
    "X K?:index",
    "Out Indices?",
    _top_k,
    attrs={**_K, "axis": -1, "largest": True, "sorted": True},
    lod="X",
    attr_slots={"K": "k"},
)
op(
    "top_k",
    "Old spelling of top_k_v2, along the last axis.",
    "X K?:index",
    "Out Indices?",
    _top_k,
    attrs=_K,
    lod="X",
    attr_slots={"K": "k"},
    canonical=Canonical("top_k_v2", _last_axis),
)
op(
    "unique",
    "Distinct elements or slices, with their positions and counts.",
    "X",
    "Out Index? Indices? Counts?",
    _unique,
    attrs={
        "axis": ints(),
        "dtype": 3,
        "is_sorted": False,
        "return_index": False,
        "return_inverse": False,
        "return_counts": False,
    },
)
op(
    "unique_with_counts",
    "Distinct elements of a vector, with their indices and counts.",
    "X/1",
    "Out Index Count",
    _unique_with_counts,
    attrs={"dtype": 2},
)
