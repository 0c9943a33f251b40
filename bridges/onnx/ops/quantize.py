"""affine_quantize, dynamic_quantize, conv_integer, qlinear_conv, … → QuantizeLinear, … (ONNX opset 21).

Element types as ONNX allows them; ZeroPoint has the type of the quantised tensor.
"""

from __future__ import annotations

from lite.emission.conversion import Declined
from lite.emission.onnx.bridging import Context, converts
from lite.emission.onnx.builder import ONNX_CODES, Attributes, Tensor
from lite.emission.onnx.shape_inputs import require_elements
from lite.ir.types import DType
from lite.ops.number_range import GREATEST, number_range
from lite.ops.view import product
from lite.plugin.device import BridgeOp


def _numbers(op: BridgeOp, ctx: Context, slot: str) -> Tensor | None:
    """Scales or zero points: a single one of rank 0, one per slice as a vector, one per block unchanged."""
    tensor = ctx.optional(op, slot)
    if tensor is None:
        return None
    if product(op[slot].dims) == 1:
        return ctx.builder.rank_0(tensor)
    return tensor if op.integer("block_size") else ctx.builder.flat(tensor)


def _axis(op: BridgeOp) -> Attributes:
    if product(op["Scale"].dims) == 1:
        return {}
    block = op.integer("block_size")
    return {"axis": op.integer("axis"), **({"block_size": block} if block else {})}


def _broadcastable(op: BridgeOp, ctx: Context, slot: str) -> Tensor | None:
    """Scales or zero points as float64, in a shape that broadcasts to X."""
    tensor = ctx.optional(op, slot)
    if tensor is None:
        return None
    if op.integer("block_size"):
        raise Declined("numbers per block are only supported for float32 and float16")
    axis = op["X"].axis(op.integer("axis"))
    is_single = product(op[slot].dims) == 1
    sizes = [] if is_single else [-1 if n == axis else 1 for n in range(op["X"].rank)]
    return ctx.builder.cast(ctx.builder.reshape(tensor, *sizes), DType.FLOAT64)


def _quantize_float64(op: BridgeOp, ctx: Context) -> None:
    """affine_quantize of float64 → Div, Round, Add, Clip, Cast."""
    dtype, b, zero = DType.from_code(op.integer("dtype")), ctx.builder, _broadcastable(op, ctx, "ZeroPoint")
    if dtype in GREATEST:
        raise Declined(f"float64 is only quantised to integers, got {dtype}")
    x = b.cast(ctx.input(op, "X"), DType.FLOAT64)
    numbers = b.add("Round", b.add("Div", x, _broadcastable(op, ctx, "Scale")))
    if zero is not None:
        numbers = b.add("Add", numbers, zero)
    low, high = (b.scalar(limit, DType.FLOAT64) for limit in number_range(dtype))
    ctx.output(op, b.cast(b.add("Clip", numbers, low, high), dtype))


def _dequantize_float64(op: BridgeOp, ctx: Context) -> None:
    """affine_dequantize with a scale of float64 → Cast, Sub, Mul, Cast."""
    b, zero = ctx.builder, _broadcastable(op, ctx, "ZeroPoint")
    numbers = b.cast(ctx.input(op, "X"), DType.FLOAT64)
    if zero is not None:
        numbers = b.add("Sub", numbers, zero)
    result = b.add("Mul", numbers, _broadcastable(op, ctx, "Scale"))
    ctx.output(op, b.cast(result, op.dtype("dtype", DType.FLOAT64)))


@converts("affine_quantize")
def affine_quantize(op: BridgeOp, ctx: Context) -> None:
    """affine_quantize → QuantizeLinear, or several ops for float64."""
    if DType.FLOAT64 in (op["X"].dtype, op["Scale"].dtype):
        _quantize_float64(op, ctx)
        return
    scale, zero, dtype = (
        _numbers(op, ctx, "Scale"),
        _numbers(op, ctx, "ZeroPoint"),
        DType.from_code(op.integer("dtype")),
    )
    attributes = _axis(op)
    if zero is None:
        attributes["output_dtype"] = ONNX_CODES[dtype]
    elif zero.dtype is not dtype:
        raise Declined(f"ZeroPoint must be {dtype} like the result, got {op['ZeroPoint']}")
    x = ctx.input(op, "X")
    ctx.output(op, ctx.builder.add("QuantizeLinear", x, scale, zero, dtype=dtype, **attributes))


@converts("affine_dequantize")
def affine_dequantize(op: BridgeOp, ctx: Context) -> None:
    """affine_dequantize → DequantizeLinear, or several ops for float64."""
    if op["Scale"].dtype is DType.FLOAT64:
        _dequantize_float64(op, ctx)
        return
    x, scale = ctx.input(op, "X"), _numbers(op, ctx, "Scale")
    zero = _numbers(op, ctx, "ZeroPoint")
    if scale is None or (zero is not None and zero.dtype is not x.dtype):
        raise Declined(f"ZeroPoint must be {x.dtype} like X, got {op.get('ZeroPoint')}")
    result = ctx.builder.add("DequantizeLinear", x, scale, zero, dtype=scale.dtype, **_axis(op))
    ctx.output(op, ctx.builder.cast(result, op.dtype("dtype", scale.dtype)))


@converts("dynamic_quantize")
def dynamic_quantize(op: BridgeOp, ctx: Context) -> None:
    """dynamic_quantize → DynamicQuantizeLinear; for zeros only, ONNX Runtime's Scale is 1, ONNX's 0."""
    b, x = ctx.builder, ctx.input(op, "X")
    require_elements(op["X"], "X")
    kinds = [DType.UINT8, DType.FLOAT32, DType.UINT8]
    parts = b.add_all("DynamicQuantizeLinear", [x], kinds)
    largest, zero = b.add("ReduceMax", b.add("Abs", x), keepdims=0), b.scalar(0.0, x.dtype)
    is_zero = b.add("Equal", largest, zero, dtype=DType.BOOL)
    parts[1] = b.add("Where", is_zero, zero, parts[1], dtype=x.dtype)
    for slot, tensor in zip(("Out", "Scale", "ZeroPoint"), parts, strict=True):
        ctx.output(op, tensor, slot)


def _windows(op: BridgeOp) -> Attributes:
    attributes: Attributes = {"group": op.integer("group")}
    for name in ("dilations", "strides"):
        if op.integers(name):
            attributes[name] = op.integers(name)
    if op.text("auto_pad") not in ("", "NOTSET"):
        attributes["auto_pad"] = op.text("auto_pad")
    elif op.integers("pads"):
        attributes["pads"] = op.integers("pads")
    return attributes


@converts("integer_matmul")
def integer_matmul(op: BridgeOp, ctx: Context) -> None:
    """integer_matmul → MatMulInteger with one zero point for X, and one or constants for Y."""
    first, second = op.get("XZeroPoint"), op.get("YZeroPoint")
    if first is not None and product(first.dims) != 1:
        raise Declined(f"X must have one zero point, got {first}")
    if second is not None and product(second.dims) != 1 and (len(second.dims) != 1 or second.value is None):
        raise Declined(f"Y must have one zero point, or a constant one for each column, got {second}")
    inputs = [ctx.optional(op, slot) for slot in ("X", "Y", "XZeroPoint", "YZeroPoint")]
    ctx.output(op, ctx.builder.add("MatMulInteger", *inputs, dtype=DType.INT32))


@converts("conv_integer")
def conv_integer(op: BridgeOp, ctx: Context) -> None:
    """conv_integer → ConvInteger with one zero point of the filter."""
    slots = ("X", "Filter", "XZeroPoint", "FilterZeroPoint")
    inputs = [ctx.optional(op, slot) for slot in slots]
    zero = op.get("FilterZeroPoint")
    if zero is not None and product(zero.dims) != 1:
        raise Declined(f"the filter must have one zero point, got {zero}")
    ctx.output(op, ctx.builder.add("ConvInteger", *inputs, dtype=DType.INT32, **_windows(op)))


@converts("qlinear_conv")
def qlinear_conv(op: BridgeOp, ctx: Context) -> None:
    """qlinear_conv → QLinearConv."""
    slots = (
        "X",
        "XScale",
        "XZeroPoint",
        "Filter",
        "FilterScale",
        "FilterZeroPoint",
        "OutScale",
        "OutZeroPoint",
        "Bias",
    )
    inputs = [ctx.optional(op, slot) for slot in slots]
    ctx.output(op, ctx.builder.add("QLinearConv", *inputs, dtype=op["OutZeroPoint"].dtype, **_windows(op)))
