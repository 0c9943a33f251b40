"""cast, scale, increment, pow, clip, dropout → Cast, Mul, Add, Pow, Clip (ONNX opset 21)."""

from __future__ import annotations

import numpy as np

from lite.emission.conversion import Declined
from lite.emission.onnx.bridging import Context, converts
from lite.emission.onnx.builder import ONNX_CODES, Builder, Tensor
from lite.ir.types import DType
from lite.plugin.device import BridgeOp


@converts("cast")
def cast(op: BridgeOp, ctx: Context) -> None:
    """cast → Cast; a value beyond the range of float8 becomes NaN or infinite, not the largest number."""
    x, dtype = ctx.input(op, "X"), DType.from_code(op.integer("out_dtype"))
    if x.dtype is dtype:
        ctx.output(op, ctx.builder.add("Identity", x))
    elif dtype in (DType.FLOAT8_E4M3FN, DType.FLOAT8_E5M2):
        ctx.output(op, ctx.builder.add("Cast", x, dtype=dtype, to=ONNX_CODES[dtype], saturate=0))
    else:
        ctx.output(op, ctx.builder.cast(x, dtype))


@converts("scale")
def scale(op: BridgeOp, ctx: Context) -> None:
    """scale → Mul and Add: scale · X + bias, or scale · (X + bias)."""
    if op.text("activation") or op.real("scale1") != 1.0 or op.real("bias1"):
        raise Declined("an activation or a second scale is fused into it")
    x, b = ctx.input(op, "X"), ctx.builder
    factor = ctx.optional(op, "ScaleTensor")
    number, bias = op.real("scale"), op.real("bias")
    if x.dtype.is_integer and (factor is not None or number % 1 or bias % 1):
        raise Declined(f"X is {op['X']}, expected floats, or integer scale and bias without ScaleTensor")
    first, second = (_multiplied, _added) if op.flag("bias_after_scale") else (_added, _multiplied)
    result = x
    for step in (first, second):
        if step is _added:
            result = _added(b, result, bias)
        elif factor is not None:
            result = b.add("Mul", result, b.reshape(b.cast(factor, x.dtype), *[1] * op["X"].rank))
        else:
            result = _multiplied(b, result, number)
    ctx.output(op, b.add("Identity", x) if result is x else result)


def _multiplied(b: Builder, x: Tensor, factor: float) -> Tensor:
    return x if factor == 1.0 else b.add("Mul", x, b.scalar(factor, x.dtype))


def _added(b: Builder, x: Tensor, term: float) -> Tensor:
    return x if term == 0.0 else b.add("Add", x, b.scalar(term, x.dtype))


@converts("increment")
def increment(op: BridgeOp, ctx: Context) -> None:
    """increment → Add(X, step)."""
    x, b = ctx.input(op, "X"), ctx.builder
    ctx.output(op, b.add("Add", x, b.scalar(op.real("step"), x.dtype)))


@converts("pow")
def pow_(op: BridgeOp, ctx: Context) -> None:
    """pow → Pow of floats, with one exponent."""
    x, b, factor = ctx.input(op, "X"), ctx.builder, ctx.optional(op, "FactorTensor")
    if x.dtype.is_integer:
        raise Declined(f"X is {op['X']}, expected floats: ONNX's powers of integers differ from Paddle's")
    if factor is None:
        exponent = b.scalar(op.real("factor"), x.dtype)
    else:
        exponent = b.reshape(b.cast(factor, x.dtype), *[1] * op["X"].rank)
    ctx.output(op, b.add("Pow", x, exponent))


@converts("clip")
def clip(op: BridgeOp, ctx: Context) -> None:
    """clip → Clip; the bounds may be inputs."""
    x, b = ctx.input(op, "X"), ctx.builder
    bounds = []
    for slot, name in (("Min", "min"), ("Max", "max")):
        bound = ctx.optional(op, slot)
        bounds.append(
            b.scalar(_bound(op.real(name), x.dtype), x.dtype)
            if bound is None
            else b.rank_0(b.cast(bound, x.dtype))
        )
    ctx.output(op, b.add("Clip", x, *bounds))


def _bound(value: float, dtype: DType) -> float:
    """A bound, clamped to the range of the type."""
    if not dtype.is_integer:
        return value
    info = np.iinfo(dtype.label)
    return int(min(max(value, info.min), info.max))


@converts("dropout")
def dropout(op: BridgeOp, ctx: Context) -> None:
    """dropout at inference → Identity, or Mul with 1 − dropout_prob."""
    x, b = ctx.input(op, "X"), ctx.builder
    if op.text("dropout_implementation") == "upscale_in_train":
        ctx.output(op, b.add("Identity", x))
    else:
        ctx.output(op, b.add("Mul", x, b.scalar(1 - op.real("dropout_prob"), x.dtype)))
