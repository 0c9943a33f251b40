"""Borders around tensors and images."""

from __future__ import annotations

from lite.bridges.openvino.builder import Builder, Tensor
from lite.bridges.openvino.row import Row
from lite.bridges.openvino.shape_tensor import numbers, unknown_numbers
from lite.bridges.openvino.support import FLOAT, INDEX, NARROW, same_dtype
from lite.ops.defs.pad import image_axes, pad_pairs
from lite.plugin.device import BridgeOp, bridge

_MODES = {"constant": "constant", "reflect": "reflect", "edge": "edge", "replicate": "edge"}


def _pairs(op: BridgeOp) -> tuple[list[int], list[int]]:
    """Paddings as pairs, before and after, and the axes that they are for."""
    rank = op["X"].rank
    if op.op == "pad":
        return op.integers("paddings"), list(range(rank))
    found = numbers(op, "paddings", "Paddings") or []
    if op.op == "pad_nd":
        axes = [axis % rank for axis in numbers(op, "axes", "Axes") or []]
        return pad_pairs(found), axes or list(range(rank))
    axes = image_axes(op.text("data_format"), rank)
    return found, axes if op.op == "pad2d" else axes[::-1]


def _mode(op: BridgeOp) -> str:
    return "constant" if op.op == "pad" else op.text("mode")


def _why_not(op: BridgeOp) -> str | None:
    if op.op != "pad":
        reason = unknown_numbers(op, "paddings", "Paddings")
        if reason is None and op.op == "pad_nd":
            reason = unknown_numbers(op, "axes", "Axes") or (same_dtype(op, "X", "Value"))
        if reason is not None:
            return reason
    if _mode(op) not in _MODES:
        return f"mode is {_mode(op)!r}, expected one of {', '.join(_MODES)}"
    found, axes = _pairs(op)
    if _mode(op) != "constant" and min(found, default=0) < 0:
        return f"paddings {found} cut, which OpenVINO only does with constants"
    if _mode(op) == "reflect":
        for n, axis in enumerate(axes):
            size = op["X"].dims[axis]
            if isinstance(size, int) and max(found[2 * n : 2 * n + 2]) >= size:
                return f"paddings {found} reflect more than axis {axis} of X, {op['X']}, has"
    return None


def _pad(b: Builder, op: BridgeOp, x: Tensor, value: Tensor | None = None) -> Tensor:
    if not op["X"].rank:
        return x
    found, axes = _pairs(op)
    before, after = [0] * op["X"].rank, [0] * op["X"].rank
    for n, axis in enumerate(axes):
        before[axis], after[axis] = found[2 * n], found[2 * n + 1]
    if value is None:
        number = op.real("pad_value" if op.op in ("pad", "pad2d") else "value")
        value = b.like(number if op["X"].dtype in FLOAT else int(number), x)
    else:
        value = b.reshape(value, [])
    return b.op.pad(x, b.ints(before), b.ints(after), _MODES[_mode(op)], value)


_OTHERS = (("Paddings", INDEX), ("Axes", INDEX))

for _name in ("pad", "pad2d", "pad3d"):
    bridge("openvino", _name)(Row("X", _pad, NARROW, _OTHERS, why=_why_not))
bridge("openvino", "pad_nd")(Row("X Value?", _pad, NARROW, _OTHERS, why=_why_not))
