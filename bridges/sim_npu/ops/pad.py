"""pad, pad2d, pad3d, pad_nd → PAD, which fills with a constant."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lite.bridges.sim_npu.builder import Context
from lite.bridges.sim_npu.limits import FLOAT_OR_INT, why_not_tensors
from lite.ops.defs.pad import image_axes, pad_pairs
from lite.plugin.device import BridgeOp, Device, bridge


@bridge("sim_npu", "pad", "pad2d", "pad3d", "pad_nd")
class Pad:
    """A constant border."""

    def why_not(self, op: BridgeOp, device: Device[Any]) -> str | None:
        if op.op != "pad" and op.text("mode") != "constant":
            return f"the mode is {op.text('mode')}; the device fills with a constant"
        if min(op.integers("paddings"), default=0) < 0:
            return f"paddings are {op.integers('paddings')}; the device's only add"
        return why_not_tensors(op, "X", dtypes=FLOAT_OR_INT)

    def convert(self, op: BridgeOp, ctx: Context) -> None:
        x = ctx.input(op, "X")
        before, after = [0] * len(x.shape), [0] * len(x.shape)
        paddings = op.integers("paddings")
        pairs = pad_pairs(paddings) if op.op == "pad_nd" else paddings
        for place, axis in enumerate(_axes(op, len(x.shape))):
            before[axis] += pairs[2 * place]
            after[axis] += pairs[2 * place + 1]
        value = op.real("value" if op.op in ("pad3d", "pad_nd") else "pad_value")
        ctx.output(op, ctx.builder.add("PAD", x, before=before, after=after, value=value))


def _axes(op: BridgeOp, rank: int) -> Sequence[int]:
    """The axes that the paddings are of, in their order."""
    if op.op == "pad2d":
        return image_axes(op.text("data_format"), rank)
    if op.op == "pad3d":
        return image_axes(op.text("data_format"), rank)[::-1]
    if op.op == "pad_nd" and op.integers("axes"):
        return [op["X"].axis(axis) for axis in op.integers("axes")]
    return range(rank)
