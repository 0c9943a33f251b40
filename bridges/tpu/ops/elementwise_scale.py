"""scale, clip, pow, elementwise_pow, dropout, assign → MulConst, AddConst, Clip, Pow."""

from __future__ import annotations

from lite.bridges.tpu.builder import Builder, Tensor
from lite.bridges.tpu.ops.activation import activated, clamped, why_not_activation
from lite.bridges.tpu.row import Row
from lite.ops.clamp import Clamp
from lite.plugin.device import BridgeOp, bridge


def _why_not_scale(op: BridgeOp) -> str | None:
    if op.get("ScaleTensor") is not None:
        return "ScaleTensor is a tensor; the device takes a number"
    return why_not_activation(op.text("activation"))


def _scale(b: Builder, op: BridgeOp, x: Tensor) -> Tensor:
    scale, bias = op.real("scale"), op.real("bias")
    if not op.flag("bias_after_scale"):
        bias *= scale
    x = _affine(b, x, scale, bias)
    x = activated(b, op.text("activation"), x, op.reals("activation_params"))
    return _affine(b, x, op.real("scale1"), op.real("bias1"))


def _affine(b: Builder, x: Tensor, scale: float, bias: float) -> Tensor:
    x = x if scale == 1 else b.lang.mul(x, scale)
    return b.lang.add(x, bias) if bias else x


def _why_not_clip(op: BridgeOp) -> str | None:
    if op.get("Min") is not None or op.get("Max") is not None:
        return "its bounds are tensors; the device takes numbers"
    if not op.real("min") <= op.real("max"):
        return f"its bounds are {op.real('min')} and {op.real('max')}, the device takes them in order"
    return None


def _clip(b: Builder, op: BridgeOp, x: Tensor) -> Tensor:
    return clamped(b, x, Clamp(low=op.real("min"), high=op.real("max")))


def _why_not_pow(op: BridgeOp) -> str | None:
    if op.get("FactorTensor") is not None:
        return "FactorTensor is a tensor; the device takes a number"
    return _why_not_power(op.real("factor"))


def _why_not_elementwise_pow(op: BridgeOp) -> str | None:
    exponent = op.constant("Y")
    if exponent is None or exponent.size != 1:
        return f"Y is {op['Y']}; the device takes one constant number"
    if op["X"].shape is None or op["X"].rank < exponent.ndim:
        return f"X is {op['X']} and Y is {op['Y']}; the device takes no further axes"
    return _why_not_power(float(exponent.item()))


def _why_not_power(exponent: float) -> str | None:
    if exponent not in (2.0, 0.5, -0.5, -1.0, 3.0):
        return f"the exponent is {exponent:g}, expected 2, 3, 0.5, -0.5 or -1"
    return None


def _constant_exponent(op: BridgeOp) -> float:
    exponent = op.constant("Y")
    assert exponent is not None, "why_not asked for a constant"
    return float(exponent.item())


def _power(b: Builder, x: Tensor, factor: float) -> Tensor:
    if factor == 0.5:
        return b.lang.sqrt(x)
    if factor == -0.5:
        return b.lang.rsqrt(x)
    if factor == -1:
        return b.lang.div(1.0, x)
    square = b.lang.mul(x, x)
    return square if factor == 2 else b.lang.mul(square, x)


def _dropout(b: Builder, op: BridgeOp, x: Tensor) -> Tensor:
    if op.text("dropout_implementation") == "upscale_in_train":
        return x
    return b.lang.mul(x, 1 - op.real("dropout_prob"))


bridge("tpu", "scale")(Row("X", _scale, _why_not_scale))
bridge("tpu", "clip")(Row("X", _clip, _why_not_clip))
bridge("tpu", "pow")(Row("X", lambda b, op, x: _power(b, x, op.real("factor")), _why_not_pow))
bridge("tpu", "elementwise_pow")(
    Row("X", lambda b, op, x: _power(b, x, _constant_exponent(op)), _why_not_elementwise_pow)
)
bridge("tpu", "dropout")(Row("X", _dropout, known=("Seed",)))
bridge("tpu", "assign")(Row("X", lambda _, __, x: x))
