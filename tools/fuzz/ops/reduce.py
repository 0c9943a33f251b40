"""Reductions, cumulative sums, sorting, softmax."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from lite.tools.fuzz.draw import NUMBERS, Draw, row, rows_of_table
from lite.tools.fuzz.ops.shape import axes_of, axis_of, ints, with_axes

_REDUCE = ["Sum", "Mean", "Max", "Min", "Prod", "L1", "L2", "LogSum", "LogSumExp", "SumSquare"]


def _reduce(kind: str, d: Draw) -> None:
    x = d.value(NUMBERS if kind in ("Sum", "Max", "Min", "Prod") and d.chance(0.3) else ("float32",))
    if kind in ("LogSum",):
        x = d.node("Abs", [x])
    attrs: dict[str, Any] = {"keepdims": d.integer(0, 1)} if d.chance(0.7) else {}
    since = 13 if kind == "Sum" else 18
    axes = None if not x.rank or d.chance(0.2) else axes_of(d, x)
    if d.opset >= since and d.chance(0.1):
        attrs["noop_with_empty_axes"] = 1
        axes = None if d.chance(0.5) else axes
    with_axes(d, f"Reduce{kind}", x, axes, since, **attrs)


rows_of_table({f"Reduce{kind}": functools.partial(_reduce, kind) for kind in _REDUCE}, 0.25)


@row(0.3)
def arg_max(d: Draw) -> None:
    """ArgMax and ArgMin of exact values."""
    x = d.value(("float32", "int32"), low=1, where=lambda v: v.is_exact and 0 not in v.shape)
    attrs: dict[str, Any] = {"select_last_index": d.integer(0, 1)} if d.opset >= 12 and d.chance(0.4) else {}
    d.node(d.pick(("ArgMax", "ArgMin")), [x], axis=axis_of(d, x), keepdims=d.integer(0, 1), **attrs)


@row(0.3)
def top_k(d: Draw) -> None:
    """TopK of exact values without ties."""
    shape = d.dims(d.integer(1, 3))
    if 0 in shape:
        return
    numbers = np.arange(int(np.prod(shape)), dtype=np.float32)
    d.random.shuffle(order := list(range(numbers.size)))
    x = d.input(numbers[order].reshape(shape) / 4)
    axis = axis_of(d, x)
    k = ints(d, [d.integer(0 if d.chance(0.1) else 1, x.shape[axis])])
    attrs: dict[str, Any] = {"largest": d.integer(0, 1)} if d.opset >= 11 else {}
    d.nodes_outputs("TopK", [x, k], [True, d.chance(0.7)], axis=axis, **attrs)


@row(0.8)
def softmax(d: Draw) -> None:
    """Softmax, LogSoftmax and Hardmax at every axis (flattening before opset 13)."""
    x = d.value(low=1, where=lambda v: 0 not in v.shape)
    op = d.pick(("Softmax", "Softmax", "LogSoftmax", "Hardmax"))
    if op == "Hardmax" and not x.is_exact:
        op = "Softmax"
    attrs: dict[str, Any] = {} if d.chance(0.2) else {"axis": axis_of(d, x)}
    d.node(op, [x], **attrs)


@row(0.25)
def cumulative(d: Draw) -> None:
    """CumSum, forwards, backwards, exclusive."""
    x = d.value(("float32", "int32"), low=1)
    axis = d.fresh(np.asarray(axis_of(d, x), "int64"), constant=0.9)
    d.node("CumSum", [x, axis], exclusive=d.integer(0, 1), reverse=d.integer(0, 1))


@row(0.2)
def unique(d: Draw) -> None:
    """Unique with all outputs."""
    x = d.value(("float32", "int64"), low=1, where=lambda v: v.is_exact and v.array.size > 0)
    attrs: dict[str, Any] = {"axis": axis_of(d, x)} if d.chance(0.4) else {}
    present = [True, *(d.chance(0.5) for _ in range(3))]
    d.nodes_outputs("Unique", [x], present, sorted=d.integer(0, 1), **attrs)


@row(0.2)
def non_zero(d: Draw) -> None:
    """NonZero and Compress: sizes that only the data tell."""
    if d.chance(0.5):
        d.node("NonZero", [d.value(("float32", "bool", "int64"), low=1, where=lambda v: v.is_exact)])
        return
    x = d.value(low=1)
    if d.chance(0.3):
        d.node("Compress", [x, d.fresh(d.array((d.integer(1, max(x.array.size, 1)),), "bool"))])
    else:
        axis = axis_of(d, x)
        d.node("Compress", [x, d.fresh(d.array((x.shape[axis],), "bool"))], axis=axis)
