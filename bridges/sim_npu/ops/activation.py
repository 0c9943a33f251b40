"""Activations → one SDK node each; swish → SIGMOID and MUL.

float32 of rank 1 to 5.  The tables name the SDK's operator and its attributes.  An activation of straight
lines without an operator of its own becomes MUL, ADD and CLIP.  LEAKY_RELU takes alpha up to 1; HARD_SWISH
has fixed numbers (threshold 6, scale 6, offset 3); the bounds of a clip must be in order.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any

from lite.bridges.sim_npu.builder import Context
from lite.bridges.sim_npu.limits import why_not_tensors
from lite.dataclass import dataclass
from lite.ops import Trait, clamp_of, ops_with
from lite.ops.clamp import Clamp
from lite.plugin.device import BridgeOp, Device, bridge


@dataclass(frozen=True)
class Activation:
    """X → an operator `kind`; `attributes` maps the SDK's attributes, real numbers, to the op's."""

    kind: str
    attributes: Mapping[str, str] = field(default_factory=dict)

    def why_not(self, op: BridgeOp, device: Device[Any]) -> str | None:
        return why_not_tensors(op, "X")

    def convert(self, op: BridgeOp, ctx: Context) -> None:
        attributes = {name: op.real(attribute) for name, attribute in self.attributes.items()}
        ctx.output(op, ctx.builder.add(self.kind, ctx.input(op, "X"), **attributes))


_ROWS = {
    "relu": Activation("RELU"),
    "sigmoid": Activation("SIGMOID"),
    "tanh": Activation("TANH"),
    "hard_sigmoid": Activation("HARD_SIGMOID", {"slope": "slope", "offset": "offset"}),
}
for _name, _row in _ROWS.items():
    bridge("sim_npu", _name)(_row)


class Clip:
    """clip, or any activation of straight lines → MUL, ADD, CLIP, MUL without those that change nothing."""

    def why_not(self, op: BridgeOp, device: Device[Any]) -> str | None:
        clamp = _clamp(op)
        if not clamp.low <= clamp.high:
            return f"the bounds are {clamp.low} and {clamp.high}; the device takes them in order"
        return why_not_tensors(op, "X")

    def convert(self, op: BridgeOp, ctx: Context) -> None:
        x, line, add = ctx.input(op, "X"), _clamp(op).folded(), ctx.builder.add
        y = x if line.slope == 1 else add("MUL", x, ctx.builder.scalar(line.slope, x))
        y = y if line.offset == 0 else add("ADD", y, ctx.builder.scalar(line.offset, x))
        y = add("CLIP", y, low=line.low, high=line.high)
        ctx.output(op, add("MUL", x, y) if line.gated else y)


def _clamp(op: BridgeOp) -> Clamp:
    return clamp_of(op.op, op.node.attrs) or Clamp(low=op.real("min"), high=op.real("max"))


bridge("sim_npu", "clip", *sorted(ops_with(Trait.CLAMP) - {*_ROWS, "hard_swish"}))(Clip())


@bridge("sim_npu", "leaky_relu")
class LeakyRelu(Activation):
    """leaky_relu → LEAKY_RELU; alpha is at most 1."""

    def __init__(self) -> None:
        super().__init__("LEAKY_RELU", {"alpha": "alpha"})

    def why_not(self, op: BridgeOp, device: Device[Any]) -> str | None:
        if not op.real("alpha") <= 1:
            return f"alpha is {op.real('alpha')}; the device takes at most 1"
        return super().why_not(op, device)


@bridge("sim_npu", "hard_swish")
class HardSwish(Activation):
    """hard_swish → HARD_SWISH, whose three numbers are fixed."""

    def __init__(self) -> None:
        super().__init__("HARD_SWISH")

    def why_not(self, op: BridgeOp, device: Device[Any]) -> str | None:
        numbers = [op.real(name) for name in ("threshold", "scale", "offset")]
        if numbers != [6.0, 6.0, 3.0]:
            return f"threshold, scale, offset are {numbers}; the device has 6, 6, 3"
        return super().why_not(op, device)


@bridge("sim_npu", "gelu")
class Gelu(Activation):
    """gelu → GELU, exact or approximated by tanh."""

    def __init__(self) -> None:
        super().__init__("GELU")

    def convert(self, op: BridgeOp, ctx: Context) -> None:
        ctx.output(op, ctx.builder.add("GELU", ctx.input(op, "X"), tanh=op.flag("approximate")))


@bridge("sim_npu", "swish")
class Swish:
    """swish → x · SIGMOID(beta · x) by MUL."""

    def why_not(self, op: BridgeOp, device: Device[Any]) -> str | None:
        return why_not_tensors(op, "X")

    def convert(self, op: BridgeOp, ctx: Context) -> None:
        add = ctx.builder.add
        x = ctx.input(op, "X")
        beta = op.real("beta")
        scaled = x if beta == 1.0 else add("MUL", x, ctx.builder.scalar(beta, x))
        ctx.output(op, add("MUL", x, add("SIGMOID", scaled)))
