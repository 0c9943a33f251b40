"""pad_nd → Pad with a constant; paddings are known and not negative."""

from __future__ import annotations

from lite.bridges.tpu.builder import Builder, Tensor
from lite.bridges.tpu.row import Row
from lite.bridges.tpu.shape_inputs import known_integers, why_not_unknown_integers
from lite.ops.ranges import pad_pairs
from lite.plugin.device import BridgeOp, bridge


def _why_not(op: BridgeOp) -> str | None:
    reason = why_not_unknown_integers(op, "paddings", "Paddings") or why_not_unknown_integers(
        op, "axes", "Axes"
    )
    if reason is not None:
        return reason
    if op.get("Value") is not None:
        return "Value is a tensor; the device takes a number"
    if op.text("mode") != "constant":
        return f"mode is {op.text('mode')!r}, expected 'constant'"
    paddings = known_integers(op, "paddings", "Paddings") or []
    if min(paddings, default=0) < 0:
        return f"paddings are {paddings}; the device takes none below 0"
    return None


def _pad(b: Builder, op: BridgeOp, x: Tensor) -> Tensor:
    rank = op["X"].rank
    paddings = pad_pairs(known_integers(op, "paddings", "Paddings") or [])
    axes = [axis % rank for axis in known_integers(op, "axes", "Axes") or []] or list(range(rank))
    sides = [0] * (2 * rank)
    for n, axis in enumerate(axes):
        sides[axis], sides[rank + axis] = paddings[2 * n], paddings[2 * n + 1]
    return b.lang.pad(x, "constant", b.lang.Scalar(op.real("value"), "float32"), sides) if any(sides) else x


bridge("tpu", "pad_nd")(Row("X", _pad, _why_not, known=("Paddings", "Axes")))
