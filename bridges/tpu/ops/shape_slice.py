"""slice → Slice by known bounds, and Reshape."""

from __future__ import annotations

from collections.abc import Sequence

from lite.bridges.tpu.builder import Builder, Tensor
from lite.bridges.tpu.row import Row
from lite.bridges.tpu.shape_inputs import known_integers, why_not_unknown_integers
from lite.plugin.device import BridgeOp, bridge

_STARTS = ("StartsTensor", "StartsTensorList")
_ENDS = ("EndsTensor", "EndsTensorList")


def sliced(b: Builder, x: Tensor, shape: Sequence[int], starts: Sequence[int], ends: Sequence[int]) -> Tensor:
    """The elements of `x`, of this shape, from `starts` to before `ends`, one number for each axis."""
    if not any(starts) and list(ends) == list(shape):
        return x
    return b.lang.slice(x, list(starts), list(ends), [1] * len(shape), list(range(len(shape))))


def _why_not(op: BridgeOp) -> str | None:
    axes = [op["Input"].axis(axis) for axis in op.integers("axes")]
    if len(set(axes)) < len(axes):
        return f"axes are {axes}; the device slices an axis once"
    reason = why_not_unknown_integers(op, "starts", *_STARTS)
    return reason or why_not_unknown_integers(op, "ends", *_ENDS)


def _slice(b: Builder, op: BridgeOp, x: Tensor) -> Tensor:
    shape = op["Input"].sizes
    rank, starts, ends = len(shape), [0] * len(shape), list(shape)
    decreased = {axis % rank for axis in op.integers("decrease_axis")}
    bounds = (known_integers(op, "starts", *_STARTS) or [], known_integers(op, "ends", *_ENDS) or [])
    for axis, start, end in zip(op.integers("axes"), *bounds, strict=False):
        n = axis % rank
        if n in decreased and (start, end) == (-1, 0):
            # From -1 to 0 is the last element on an axis that is dropped.
            end = shape[n]
        starts[n] = min(max(start + shape[n] if start < 0 else start, 0), shape[n])
        ends[n] = min(max(end + shape[n] if end < 0 else end, starts[n]), shape[n])
    x = sliced(b, x, shape, starts, ends)
    return b.shaped(x, op.output().sizes) if decreased else x


bridge("tpu", "slice")(Row("Input", _slice, _why_not, known=_STARTS + _ENDS))
