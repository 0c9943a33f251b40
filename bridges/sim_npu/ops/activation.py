"""Activations: each is one node.  The tables say what the device calls them, and their attributes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from lite.bridges.sim_npu.builder import Context
from lite.bridges.sim_npu.limits import why_not_tensors
from lite.plugin.device import BridgeOp, Device, bridge


@dataclass(frozen=True)
class Activation:
    """An operator whose attributes, real numbers, have the op's `attributes`, perhaps renamed."""

    kind: str
    attributes: Mapping[str, str] = field(default_factory=dict)

    def why_not(self, op: BridgeOp, device: Device[Any]) -> str | None:
        return why_not_tensors(op, "X")

    def convert(self, op: BridgeOp, ctx: Context) -> None:
        attributes = {theirs: op.real(ours) for theirs, ours in self.attributes.items()}
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
    """An op that is CLIP, from `low` (0 without) to `high`: the names of its attributes."""

    high: str
    low: str = ""

    def why_not(self, op: BridgeOp, device: Device[Any]) -> str | None:
        low, high = self._bounds(op)
        if not low <= high:
            return f"the bounds are {low} and {high}; the device's must be in order"
        return why_not_tensors(op, "X")

    def convert(self, op: BridgeOp, ctx: Context) -> None:
        low, high = self._bounds(op)
        ctx.output(op, ctx.builder.add("CLIP", ctx.input(op, "X"), low=low, high=high))

    def _bounds(self, op: BridgeOp) -> tuple[float, float]:
        return op.real(self.low) if self.low else 0.0, op.real(self.high)


for _name, _bounds in {
    "relu6": Clip("threshold"),
    "relu_clipped": Clip("Relu_clipped_coef"),
    "clip": Clip("max", "min"),
}.items():
    bridge("sim_npu", _name)(_bounds)


@bridge("sim_npu", "leaky_relu")
class LeakyRelu(Activation):
    """LEAKY_RELU, whose alpha is at most 1."""

    def __init__(self) -> None:
        super().__init__("LEAKY_RELU", {"alpha": "alpha"})

    def why_not(self, op: BridgeOp, device: Device[Any]) -> str | None:
        if not op.real("alpha") <= 1:
            return f"alpha is {op.real('alpha')}; the device's is at most 1"
        return super().why_not(op, device)


@bridge("sim_npu", "hard_swish")
class HardSwish(Activation):
    """HARD_SWISH, whose three numbers are fixed."""

    def __init__(self) -> None:
        super().__init__("HARD_SWISH")

    def why_not(self, op: BridgeOp, device: Device[Any]) -> str | None:
        found = [op.real(name) for name in ("threshold", "scale", "offset")]
        if found != [6.0, 6.0, 3.0]:
            return f"threshold, scale, offset are {found}; the device's are 6, 6, 3"
        return super().why_not(op, device)


@bridge("sim_npu", "gelu")
class Gelu(Activation):
    """GELU, exact or by tanh."""

    def __init__(self) -> None:
        super().__init__("GELU")

    def convert(self, op: BridgeOp, ctx: Context) -> None:
        ctx.output(op, ctx.builder.add("GELU", ctx.input(op, "X"), tanh=op.flag("approximate")))
