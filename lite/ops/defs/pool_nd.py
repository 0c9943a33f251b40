"""Poolings over any number of spatial axes, after ONNX MaxPool, AveragePool, LpPool and MaxUnpool."""

from __future__ import annotations

from collections.abc import Sequence

from lite.ir.types import UNKNOWN, Dim, DType
from lite.ops.schema import choice, ints, number, op
from lite.ops.view import Inferred, Meta, OpView
from lite.ops.window import Window, check_windows, windows


def pooled_size(window: Window, size: Dim, ceil: bool) -> Dim:
    """The number of windows along an axis; in ceil mode none begins in the padding behind the input."""
    count = window.out(size, ceil)
    if ceil and isinstance(count, int) and isinstance(size, int):
        return count - ((count - 1) * window.stride >= size + window.before)
    return count


def _pool(op: OpView) -> Inferred:
    x = op["X"].shape
    if x is None:
        return {"Out": Meta(op["X"].dtype, None), "Indices": Meta(DType.INT64, None)}
    rank = len(x) - 2
    check_windows(op, rank, ("ksize", "strides", "dilations"))
    found = windows(
        x[2:],
        op.integers("ksize"),
        op.integers("strides"),
        op.integers("dilations"),
        op.integers("paddings"),
        op.text("padding_algorithm"),
    )
    ceil = op.flag("ceil_mode")
    shape = (*x[:2], *(pooled_size(w, size, ceil) for w, size in zip(found, x[2:], strict=True)))
    return {"Out": Meta(op["X"].dtype, shape), "Indices": Meta(DType.INT64, shape)}


def _unpool(op: OpView) -> Meta:
    x = op["X"].dims
    if op.get("Shape") is not None:
        values: Sequence[Dim] = op.values("Shape") or [UNKNOWN] * len(x)
        return Meta(op["X"].dtype, tuple(values))
    check_windows(op, len(x) - 2, ("ksize", "strides"))
    ksize, strides, pads = (op.integers(name) for name in ("ksize", "strides", "paddings"))
    found = windows(x[2:], ksize, strides, [1] * len(ksize), pads, "EXPLICIT")
    sizes = [window.transposed(size) for window, size in zip(found, x[2:], strict=True)]
    return Meta(op["X"].dtype, (*x[:2], *sizes))


op(
    "pool_nd",
    "X:number/3-",
    "Out Indices?",
    _pool,
    attrs={
        "pooling_type": choice("max", "avg", "lp"),
        "ksize": ints(1),
        "strides": ints(1),
        "paddings": ints(0, 0),
        "padding_algorithm": "EXPLICIT",
        "dilations": ints(1),
        "ceil_mode": False,
        "exclusive": True,
        "norm": number(2, 1),
        "column_major": False,
    },
)
op(
    "max_unpool",
    "X:number/3- Indices:int/3- Shape?:int/1",
    "Out",
    _unpool,
    attrs={"ksize": ints(1), "strides": ints(1), "paddings": ints(0, 0)},
)
