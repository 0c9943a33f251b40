"""scale, pow, clip, increment, dropout, cast → Multiply, Add, Power, Clamp, Convert (opset 15).

float16 and float32 of known rank.  scale takes int32 and int64 as well, with factors from -1 to 1 and neither
activation nor ScaleTensor; increment takes int32 and int64, clip int32; cast takes all types but float64.
"""

from __future__ import annotations

from lite.bridges.openvino.builder import Builder, Tensor
from lite.bridges.openvino.limits import ANY, EXACT, FLOAT, INT32, NUMBER
from lite.bridges.openvino.ops.activation import activated, why_not_activation
from lite.bridges.openvino.real_values import LARGEST, clamp_input
from lite.bridges.openvino.row import Row
from lite.plugin.device import BridgeOp, bridge


def _why_not_scale(op: BridgeOp) -> str | None:
    if op["X"].dtype not in FLOAT and (op.text("activation") or op.get("ScaleTensor") is not None):
        return f"X is {op['X']}: integers take neither an activation nor ScaleTensor"
    if op["X"].dtype not in FLOAT and abs(op.real("scale")) > 1:
        return f"X is {op['X']}: OpenVINO rounds integers beyond {EXACT}, and scale is {op.real('scale')}"
    return why_not_activation(op.text("activation"))


def _scale(b: Builder, op: BridgeOp, x: Tensor, scale: Tensor | None) -> Tensor:
    factor, bias = op.real("scale"), op.real("bias")
    if op["X"].dtype not in FLOAT:
        factor, bias = int(factor), int(bias)
    if scale is not None:
        scale = b.cast(b.reshape(scale, []), op["X"].dtype)
    elif factor != 1:
        scale = b.like(factor, x)
    shift = b.like(bias, x) if bias else None
    if shift is not None and not op.flag("bias_after_scale"):
        x = b.op.add(x, shift)
    if scale is not None:
        x = b.op.multiply(x, scale)
    if shift is not None and op.flag("bias_after_scale"):
        x = b.op.add(x, shift)
    x = activated(b, op.text("activation"), x, op.reals("activation_params"))
    if op.real("scale1") != 1:
        x = b.op.multiply(x, b.like(op.real("scale1"), x))
    return b.op.add(x, b.like(op.real("bias1"), x)) if op.real("bias1") else x


def _pow(b: Builder, op: BridgeOp, x: Tensor, factor: Tensor | None) -> Tensor:
    exponent = (
        b.like(op.real("factor"), x) if factor is None else b.cast(b.reshape(factor, []), op["X"].dtype)
    )
    return b.op.power(x, exponent)


def _clip(b: Builder, op: BridgeOp, x: Tensor, low: Tensor | None, high: Tensor | None) -> Tensor:
    """Clamp takes constant bounds in order; other bounds become Maximum, then Minimum, as in numpy."""
    dtype = op["X"].dtype
    least, most = op.real("min"), op.real("max")
    if low is None and high is None and dtype in FLOAT and least <= most:
        x = clamp_input(b, op, x, (least, most))
        return b.op.clamp(x, max(least, -LARGEST), min(most, LARGEST))
    bounds = []
    for tensor, number in ((low, least), (high, most)):
        if tensor is not None:
            bounds.append(b.cast(b.reshape(tensor, []), dtype))
        else:
            bounds.append(b.like(number if dtype in FLOAT else int(min(max(number, -EXACT), EXACT)), x))
    return b.op.minimum(b.op.maximum(x, bounds[0]), bounds[1])


def _increment(b: Builder, op: BridgeOp, x: Tensor) -> Tensor:
    step = op.real("step")
    return b.op.add(x, b.like(step if op["X"].dtype in FLOAT else int(step), x))


def _dropout(b: Builder, op: BridgeOp, x: Tensor) -> Tensor:
    if op.text("dropout_implementation") == "upscale_in_train":
        return x
    return b.op.multiply(x, b.like(1 - op.real("dropout_prob"), x))


def _cast(b: Builder, op: BridgeOp, x: Tensor) -> Tensor:
    return b.cast(x, op.output().dtype)


bridge("openvino", "scale")(Row("X ScaleTensor?", _scale, NUMBER, check=_why_not_scale))
bridge("openvino", "pow")(Row("X FactorTensor?", _pow, slot_dtypes={"FactorTensor": NUMBER}))
bridge("openvino", "clip")(Row("X Min? Max?", _clip, FLOAT | INT32))
bridge("openvino", "increment")(Row("X", _increment, NUMBER))
bridge("openvino", "dropout")(Row("X", _dropout, slot_dtypes={"Seed": NUMBER}))
bridge("openvino", "cast")(Row("X", _cast, ANY))
