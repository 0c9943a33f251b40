"""Activations → one SDK node each; swish → SIGMOID and MUL.

float32 of rank 1 to 5.  The tables name the SDK's operator and its attributes.  LEAKY_RELU takes alpha up to
1; HARD_SWISH has fixed numbers (threshold 6, scale 6, offset 3); the bounds of CLIP must be in order.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from lite.bridges.sim_npu.builder import Context
from lite.bridges.sim_npu.limits import why_not_tensors
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


for _name, _row in {
    "relu": Activation("RELU"),
    "sigmoid": Activation("SIGMOID"),
    "tanh": Activation("TANH"),
    "hard_sigmoid": Activation("HARD_SIGMOID", {"slope": "slope", "offset": "offset"}),
}.items():
    bridge("sim_npu", _name)(_row)


@dataclass(frozen=True)
class Clip:
    """X → CLIP; `high` and `low` are the op's attributes of the bounds, the lower bound without one is 0."""

    high: str
    low: str = ""

    def why_not(self, op: BridgeOp, device: Device[Any]) -> str | None:
        low, high = self._bounds(op)
        if not low <= high:
            return f"the bounds are {low} and {high}; the device takes them in order"
        return why_not_tensors(op, "X")

    def convert(self, op: BridgeOp, ctx: Context) -> None:
        low, high = self._bounds(op)
        ctx.output(op, ctx.builder.add("CLIP", ctx.input(op, "X"), low=low, high=high))

    def _bounds(self, op: BridgeOp) -> tuple[float, float]:
        return op.real(self.low) if self.low else 0.0, op.real(self.high)


for _name, _clip in {
    "relu6": Clip("threshold"),
    "relu_clipped": Clip("Relu_clipped_coef"),
    "clip": Clip("max", "min"),
}.items():
    bridge("sim_npu", _name)(_clip)


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
