"""Ops between real numbers and integers."""

from __future__ import annotations

import numpy as np

from lite.emitters.c.expression import INCLUDE, number
from lite.emitters.c.loops import broadcast_strides, index, loops, merged
from lite.ir.types import Array, DType
from lite.ops.number_range import number_range
from lite.plugin.emitter import Emission, EmitOp, EmitValue, emitter
from lite.plugin.emitter.emission import C_TYPES

_STORED = (DType.INT8, DType.UINT8, DType.INT16, DType.INT32)
_REAL = (DType.FLOAT32, DType.FLOAT64)


def _spread(value: EmitValue | Array, x: EmitValue, axis: int) -> list[int]:
    """The shape in which one number, or one for each index of an axis, broadcasts to x."""
    size = value.size
    if size == 1:
        return [1] * x.rank
    return [size if n == axis % x.rank else 1 for n in range(x.rank)]


def _loop(op: EmitOp, out: Emission, operands: list[tuple[str, EmitValue | Array]], lines: list[str]) -> None:
    """Loops over X whose body computes `r` from `a` and the operands of these names."""
    x, y = op["X"], op.out()
    out.use(INCLUDE / "scalar.h")
    out.read(x, "x")
    axis = op.integer("axis" if op.op.startswith("affine") else "quant_axis", -1)
    shapes = [_spread(value, x, axis) for _, value in operands]
    sizes, flat = merged(x.shape, [broadcast_strides(s, x.shape) for s in (x.shape, *shapes)])
    for name, value in operands:
        if isinstance(value, EmitValue):
            out.read(value, f"{name}_at")
        else:
            out.weights(value, f"{name}_at")
    out.write(y, "y", over="x" if x.dtype is y.dtype else "")
    real = "double" if DType.FLOAT64 in (x.dtype, y.dtype) else "float"
    body = [f"const {C_TYPES[x.dtype]} a = x[{index(flat[0])}];"]
    for n, (name, _) in enumerate(operands):
        body.append(f"const {real} {name} = ({real}){name}_at[{index(flat[n + 1])}];")
    out.code(*loops(sizes, [*body, *lines, f"y[{index(flat[0])}] = ({C_TYPES[y.dtype]})r;"], parallel=True))


def _with_zero(op: EmitOp, operands: list[tuple[str, EmitValue | Array]]) -> str:
    zero = op.get("ZeroPoint")
    if zero is None or (zero.data is not None and not zero.data.any()):
        return ""
    operands.append(("zero", zero))
    return "zero"


@emitter("c", "affine_quantize")
def affine_quantize(op: EmitOp, out: Emission) -> str | None:
    """round(X / Scale) + ZeroPoint, halves to even, saturated."""
    x, y = op["X"], op.out()
    if x.dtype not in _REAL or y.dtype not in _STORED or op.integer("block_size"):
        return f"has no form from {x} to {y} with blocks of {op.integer('block_size')}"
    operands: list[tuple[str, EmitValue | Array]] = [("scale", op["Scale"])]
    zero = _with_zero(op, operands)
    low, high = number_range(y.dtype)
    limits = number(low), number(high)
    plus = f" + {zero}" if zero else ""
    if x.dtype is DType.FLOAT64:
        line = f"const double t = rint(a / scale){plus}, u = t > {low}.0 ? t : {low}.0;"
        _loop(op, out, operands, [line, f"const double r = u < {high}.0 ? u : {high}.0;"])
        return None
    if y.dtype is DType.INT32:
        limits = "-2147483648.0f", "2147483520.0f"
    round_form = "lb_rint" if y.dtype is not DType.INT32 else "rintf"
    _loop(
        op,
        out,
        operands,
        [f"const float r = lb_clampf({round_form}(a / scale){plus}, {limits[0]}, {limits[1]});"],
    )
    return None


@emitter("c", "affine_dequantize")
def affine_dequantize(op: EmitOp, out: Emission) -> str | None:
    """(X - ZeroPoint) · Scale."""
    x, y = op["X"], op.out()
    if x.dtype not in _STORED or y.dtype not in _REAL or op.integer("block_size"):
        return f"has no form from {x} to {y} with blocks of {op.integer('block_size')}"
    operands: list[tuple[str, EmitValue | Array]] = [("scale", op["Scale"])]
    zero = _with_zero(op, operands)
    minus = f" - {zero}" if zero else ""
    if y.dtype is DType.FLOAT64:
        _loop(op, out, operands, [f"const double r = ((double)a{minus}) * scale;"])
        return None
    _loop(op, out, operands, ["float r = ((float)a" + minus + ") * scale;", "LB_ROUNDED(r);"])
    return None


@emitter("c", "dynamic_quantize")
def dynamic_quantize(op: EmitOp, out: Emission) -> str | None:
    """X as uint8, with the scale and zero point for its range and 0."""
    x = op["X"]
    if x.dtype is not DType.FLOAT32:
        return f"X must be float32, got {x}"
    out.use(INCLUDE / "scalar.h")
    out.read(x, "x")
    for slot, name in (("Out", "y"), ("Scale", "scale"), ("ZeroPoint", "zero")):
        out.write(op.out(slot), name)
    out.code(
        "float low = 0.0f, high = 0.0f;",
        f"for (ptrdiff_t i = 0; i < {x.size}; i++) low = lb_minf(x[i], low);",
        f"for (ptrdiff_t i = 0; i < {x.size}; i++) high = lb_maxf(x[i], high);",
        "*scale = (high - low) / 255.0f;",
        "const float divisor = *scale != 0.0f ? *scale : 1.0f;",
        "const float z = lb_clampf(rintf(-low / divisor), 0.0f, 255.0f);",
        "*zero = (uint8_t)z;",
        f"for (ptrdiff_t i = 0; i < {x.size}; i++)",
        "y[i] = (uint8_t)lb_clampf(lb_rint(x[i] / divisor) + z, 0.0f, 255.0f);",
    )
    return None


@emitter("c", "quantize_linear")
def quantize_linear(op: EmitOp, out: Emission) -> str | None:
    """Paddle's: X · n / Scale as integers in the element type of X."""
    x, y, scale = op["X"], op.out(), op["Scale"].data
    if x.dtype is not DType.FLOAT32 or y.dtype is not DType.FLOAT32 or scale is None:
        return f"has no form from {x} to {y}, or with a computed scale"
    most = np.float32(2 ** (op.integer("bit_length") - 1) - 1)
    scale = scale.astype(np.float32)
    factor = most / np.where(scale <= 1e-30, scale + np.float32(1e-6), scale)
    n = number(float(most))
    if op.integer("round_type") == 0:
        low = number(-float(most) - 1)
        lines = [
            "float t = a * factor;",
            "LB_ROUNDED(t);",
            f"const float r = lb_clampf(lb_rint(t), {low}, {n});",
        ]
        _loop(op, out, [("factor", factor.reshape(-1))], lines)
        return None
    lines = [
        "float t = lb_clampf(a, -scale, scale) * factor;",
        "LB_ROUNDED(t);",
        "const float r = copysignf(floorf(fabsf(t) + 0.5f), t);",
    ]
    _loop(op, out, [("factor", factor.reshape(-1)), ("scale", scale.reshape(-1))], lines)
    return None


@emitter("c", "dequantize_linear", "fake_dequantize_max_abs")
def dequantize_linear(op: EmitOp, out: Emission) -> str | None:
    """Paddle's: X · Scale / n."""
    x, y, scale = op["X"], op.out(), op["Scale"]
    if y.dtype is not DType.FLOAT32 or scale.dtype is not DType.FLOAT32:
        return f"has no form from {x} to {y}"
    fake = op.op == "fake_dequantize_max_abs"
    n = number(op.real("max_range") if fake else 2 ** (op.integer("bit_length") - 1) - 1)
    _loop(
        op,
        out,
        [("scale", scale)],
        ["float t = (float)a * scale;", "LB_ROUNDED(t);", f"const float r = t / {n};"],
    )
    return None


@emitter("c", "fake_channel_wise_dequantize_max_abs")
def fake_channel_wise(op: EmitOp, out: Emission) -> str | None:
    """Paddle's: X · Scales[0] / n, or X · Scales[0] · Scales[1] / (n₀ · n₁)."""
    x, y, scales = op["X"], op.out(), op.all("Scales")
    if y.dtype is not DType.FLOAT32 or any(value.dtype is not DType.FLOAT32 for value in scales):
        return f"has no form from {x} to {y}"
    axis = op.integer("quant_axis") if len(scales) == 1 else max(op.integer("x_num_col_dims"), 1)
    most = 1
    for _, bits in zip(scales, op.integers("quant_bits"), strict=False):
        most *= 2 ** (bits - 1) - 1
    if len(scales) > 1 and scales[1].size != 1:
        return "a second scale with several numbers is not supported"
    if axis not in (op.integer("quant_axis"), -1) and scales[0].size > 1:
        op = _WithAxis(op, axis)
    lines = ["float t = (float)a * s0;", "LB_ROUNDED(t);"]
    if len(scales) > 1:
        lines += ["t = t * s1;", "LB_ROUNDED(t);"]
    lines.append(f"const float r = t / {number(most)};")
    _loop(op, out, [(f"s{n}", value) for n, value in enumerate(scales)], lines)
    return None


class _WithAxis(EmitOp):
    """The op with another `quant_axis`."""

    def __init__(self, op: EmitOp, axis: int) -> None:
        super().__init__(op.node)
        self._attrs = {**self._attrs, "quant_axis": axis}
