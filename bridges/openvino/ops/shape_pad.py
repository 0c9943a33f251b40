"""pad_nd → Pad (opset 15).

float16, float32 and int32.  Paddings, axes and value are known; the mode circular is declined, negative
paddings take the mode constant only, and a reflection is smaller than its axis.
"""

from __future__ import annotations

from lite.bridges.openvino.builder import Builder, Tensor
from lite.bridges.openvino.limits import FLOAT, FLOAT_OR_INT32, INDEX, why_not_mixed_types
from lite.bridges.openvino.row import Row
from lite.bridges.openvino.shape_inputs import known_integers, why_not_unknown_integers
from lite.ops.ranges import pad_pairs
from lite.plugin.device import BridgeOp, bridge

_MODES = ("constant", "reflect", "edge")


def _pairs(op: BridgeOp) -> tuple[list[int], list[int]]:
    """The paddings as pairs (before, after), and the axis of each pair."""
    rank = op["X"].rank
    axes = [axis % rank for axis in known_integers(op, "axes", "Axes") or []]
    return pad_pairs(known_integers(op, "paddings", "Paddings") or []), axes or list(range(rank))


def _why_not(op: BridgeOp) -> str | None:
    reason = why_not_unknown_integers(op, "paddings", "Paddings") or why_not_unknown_integers(
        op, "axes", "Axes"
    )
    reason = reason or why_not_mixed_types(op, "X", "Value")
    if reason is not None:
        return reason
    value = op.get("Value")
    if value is not None and value.value is None:
        return "Value is computed; OpenVINO's CPU plug-in pads with 0 instead"
    mode = op.text("mode")
    if mode not in _MODES:
        return f"mode is {mode!r}, expected one of {', '.join(_MODES)}"
    paddings, axes = _pairs(op)
    if mode != "constant" and min(paddings, default=0) < 0:
        return f"paddings are {paddings}; OpenVINO takes those below 0 in mode constant only"
    if mode == "reflect":
        for n, axis in enumerate(axes):
            size = op["X"].dims[axis]
            if isinstance(size, int) and max(paddings[2 * n : 2 * n + 2]) >= size:
                return f"paddings are {paddings}: a reflection is smaller than axis {axis} of X, {op['X']}"
    return None


def _pad(b: Builder, op: BridgeOp, x: Tensor, value: Tensor | None = None) -> Tensor:
    if not op["X"].rank:
        return x
    paddings, axes = _pairs(op)
    before, after = [0] * op["X"].rank, [0] * op["X"].rank
    for n, axis in enumerate(axes):
        before[axis], after[axis] = paddings[2 * n], paddings[2 * n + 1]
    if value is None:
        number = op.real("value")
        value = b.like(number if op["X"].dtype in FLOAT else int(number), x)
    else:
        value = b.reshape(value, [])
    return b.op.pad(x, b.ints(before), b.ints(after), op.text("mode"), value)


_SLOT_DTYPES = {"Paddings": INDEX, "Axes": INDEX}

bridge("openvino", "pad_nd")(Row("X Value?", _pad, FLOAT_OR_INT32, _SLOT_DTYPES, check=_why_not))
