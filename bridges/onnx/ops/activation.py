"""Activations → Relu, Elu, Gelu, HardSigmoid, PRelu, … (ONNX opset 21).

Tensors of every type and shape that ONNX and ONNX Runtime take; prelu needs a known rank.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from lite.emission.conversion import Declined
from lite.emission.onnx.bridging import Context, Convert, converts
from lite.emission.onnx.builder import Attributes, Tensor
from lite.ir.types import DType
from lite.ops import Trait, clamp_of, ops_with
from lite.ops.clamp import Clamp
from lite.ops.window import is_channel_last
from lite.plugin.device import BridgeOp

_PLAIN = {
    "relu": "Relu",
    "sigmoid": "Sigmoid",
    "softsign": "Softsign",
    "tanh": "Tanh",
}

_WITH_ATTRIBUTES: dict[str, tuple[str, Callable[[BridgeOp], Attributes]]] = {
    "celu": ("Celu", lambda op: {"alpha": op.real("alpha")}),
    "elu": ("Elu", lambda op: {"alpha": op.real("alpha")}),
    "gelu": ("Gelu", lambda op: {"approximate": "tanh" if op.flag("approximate") else "none"}),
    "hard_sigmoid": ("HardSigmoid", lambda op: {"alpha": op.real("slope"), "beta": op.real("offset")}),
    "leaky_relu": ("LeakyRelu", lambda op: {"alpha": op.real("alpha")}),
    "selu": ("Selu", lambda op: {"alpha": op.real("alpha"), "gamma": op.real("scale")}),
    "thresholded_relu": ("ThresholdedRelu", lambda op: {"alpha": op.real("threshold")}),
}


def _activation(op_type: str, attributes: Callable[[BridgeOp], Attributes]) -> Convert:
    def convert(op: BridgeOp, ctx: Context) -> None:
        ctx.output(op, ctx.builder.add(op_type, ctx.input(op, "X"), **attributes(op)))

    return convert


for _name, _op_type in _PLAIN.items():
    converts(_name)(_activation(_op_type, lambda _: {}))


for _name, (_op_type, _attributes) in _WITH_ATTRIBUTES.items():
    converts(_name)(_activation(_op_type, _attributes))


@converts(*sorted(ops_with(Trait.CLAMP) - {"relu", "hard_sigmoid", "hard_swish"}))
def clamped(op: BridgeOp, ctx: Context) -> None:
    """Any other activation of straight lines → Mul, Add, Clip, Mul without those that change nothing."""
    x, b = ctx.input(op, "X"), ctx.builder
    line = (clamp_of(op.op, op.node.attrs) or Clamp()).folded()
    y = x if line.slope == 1 else b.add("Mul", x, b.scalar(line.slope, x.dtype))
    y = y if line.offset == 0 else b.add("Add", y, b.scalar(line.offset, x.dtype))
    y = b.add("Clip", y, b.scalar(line.low, x.dtype), b.scalar(line.high, x.dtype))
    ctx.output(op, b.add("Mul", x, y) if line.gated else y)


@converts("logsigmoid")
def logsigmoid(op: BridgeOp, ctx: Context) -> None:
    """logsigmoid → -Softplus(-X)."""
    b = ctx.builder
    ctx.output(op, b.add("Neg", b.add("Softplus", b.add("Neg", ctx.input(op, "X")))))


@converts("hard_swish")
def hard_swish(op: BridgeOp, ctx: Context) -> None:
    """hard_swish → X · HardSigmoid(X), or X · Clip(X + offset, 0, threshold) / scale for other numbers."""
    x, b = ctx.input(op, "X"), ctx.builder
    threshold, scale, offset = op.real("threshold"), op.real("scale"), op.real("offset")
    if threshold == scale:
        gate = b.add("HardSigmoid", x, alpha=1 / scale, beta=offset / scale)
        ctx.output(op, b.add("Mul", x, gate))
        return
    gate = b.add("Add", x, b.scalar(offset, x.dtype))
    gate = b.add("Clip", gate, b.scalar(0.0, x.dtype), b.scalar(threshold, x.dtype))
    ctx.output(op, b.add("Mul", b.add("Mul", x, gate), b.scalar(1 / scale, x.dtype)))


@converts("swish")
def swish(op: BridgeOp, ctx: Context) -> None:
    """swish → X · Sigmoid(beta · X)."""
    x, b = ctx.input(op, "X"), ctx.builder
    beta = op.real("beta")
    inner = x if beta == 1.0 else b.add("Mul", x, b.scalar(beta, x.dtype))
    ctx.output(op, b.add("Mul", x, b.add("Sigmoid", inner)))


@converts("softplus")
def softplus(op: BridgeOp, ctx: Context) -> None:
    """softplus → Softplus(beta · X) / beta, and X above the threshold."""
    ctx.output(op, _softplus(ctx, ctx.input(op, "X"), op.real("beta"), op.real("threshold")))


@converts("mish")
def mish(op: BridgeOp, ctx: Context) -> None:
    """mish → X · Tanh(Softplus(X))."""
    x, b = ctx.input(op, "X"), ctx.builder
    ctx.output(op, b.add("Mul", x, b.add("Tanh", _softplus(ctx, x, 1.0, op.real("threshold")))))


def _softplus(ctx: Context, x: Tensor, beta: float, threshold: float) -> Tensor:
    b = ctx.builder
    scaled = x if beta == 1.0 else b.add("Mul", x, b.scalar(beta, x.dtype))
    result = b.add("Softplus", scaled)
    if beta != 1.0:
        result = b.add("Mul", result, b.scalar(1 / beta, x.dtype))
    if math.isinf(threshold) or (beta == 1.0 and threshold >= _LINEAR_FROM):
        return result
    above = b.add("Greater", scaled, b.scalar(threshold, x.dtype), dtype=DType.BOOL)
    return b.add("Where", above, x, result, dtype=x.dtype)


_LINEAR_FROM = 20.0
"""softplus(x) equals x in float32 from here on."""


@converts("prelu")
def prelu(op: BridgeOp, ctx: Context) -> None:
    """prelu → PRelu, with Alpha in a shape that broadcasts to X; mode element needs the sizes of a sample."""
    x, slopes, b = op["X"], ctx.input(op, "Alpha"), ctx.builder
    mode = op.text("mode")
    if mode == "channel" and x.rank > 1:
        tail = 0 if is_channel_last(op.text("data_format")) else x.rank - 2
        slopes = b.reshape(slopes, -1, *[1] * tail)
    elif mode == "element" and x.rank:
        sample = x.dims[1:]
        sizes = [dim for dim in sample if isinstance(dim, int)]
        if len(sizes) < len(sample):
            raise Declined(f"the sizes of a sample must be known in mode element, got {x}")
        slopes = b.reshape(b.slice(b.flat(slopes), [0], [math.prod(sizes)], [0]), *sizes)
    else:
        slopes = b.slice(b.flat(slopes), [0], [1], [0])
    ctx.output(op, b.add("PRelu", ctx.input(op, "X"), slopes))


@converts("shrink")
def shrink(op: BridgeOp, ctx: Context) -> None:
    """shrink → Shrink."""
    x = ctx.input(op, "X")
    ctx.output(op, ctx.builder.add("Shrink", x, lambd=op.real("lambd"), bias=op.real("bias")))
