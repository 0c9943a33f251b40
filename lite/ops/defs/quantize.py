"""Quantised numbers: integers with a scale and a zero point, as ONNX defines them.

Paddle's quantize_linear divides by the greatest magnitude instead of a scale; these are litebridge's own.
"""

from __future__ import annotations

from lite.ir.program import AttrType, AttrValue
from lite.ir.types import Dim, DType, is_known, shape_text
from lite.ops.attrs import Attr, number, required
from lite.ops.schema import Trait, op
from lite.ops.view import Meta, OpView, product

_KINDS = (
    "int8|uint8|int16|uint16|int32|int4|uint4|int2|uint2|"
    "float8_e4m3fn|float8_e5m2|float8_e4m3fnuz|float8_e5m2fnuz|float4_e2m1fn"
)
_ATTRS: dict[str, AttrValue | Attr] = {"axis": 1, "block_size": number(0, 0)}


def _check(op: OpView) -> None:
    """Check the granularity: one number for all of X, whatever the axis, or one per slice, or per block."""
    scale, zero = op["Scale"], op.get("ZeroPoint")
    _check_numbers(op, "Scale", scale)
    if zero is None or zero.shape is None or scale.shape is None:
        return
    if len(zero.shape) != len(scale.shape) and product(zero.shape) != product(scale.shape):
        raise op.error("slot ZeroPoint", f"the shape of Scale, {scale}", zero)
    _check_numbers(op, "ZeroPoint", zero)


def _check_numbers(op: OpView, slot: str, numbers: Meta) -> None:
    x, axis, block = op["X"], op.integer("axis"), op.integer("block_size")
    count = None if numbers.shape is None else product(numbers.shape)
    if count in (None, 1) or x.shape is None:
        return
    if not -len(x.shape) <= axis < len(x.shape):
        raise op.error("attribute axis", f"an axis of {x}", axis)
    size = x.shape[axis]
    if block:
        shape = list(x.shape)
        shape[axis] = -(-size // block) if isinstance(size, int) else size
        if is_known(tuple(shape)) and numbers.shape != tuple(shape):
            raise op.error(
                f"slot {slot}", f"the shape {shape_text(tuple(shape))}, one number per block", numbers
            )
    elif isinstance(size, int) and count != size:
        raise op.error(f"slot {slot}", f"1 element, or {size}, one per slice of axis {axis} of {x}", numbers)


def _quantize(op: OpView) -> Meta:
    _check(op)
    return Meta(DType.from_code(op.integer("dtype")), op["X"].shape)


def _dequantize(op: OpView) -> Meta:
    _check(op)
    return Meta(op.dtype("dtype", op["Scale"].dtype), op["X"].shape)


def _lookup(op: OpView) -> Meta:
    if op["Table"].shape is not None and op["Table"].dims != (256,):
        raise op.error("slot Table", "256 elements, one for each byte", op["Table"])
    return Meta(op["Table"].dtype, op["X"].shape)


def _dynamic(op: OpView) -> dict[str, Meta]:
    none: tuple[Dim, ...] = ()
    return {
        "Out": Meta(DType.UINT8, op["X"].shape),
        "Scale": Meta(DType.FLOAT32, none),
        "ZeroPoint": Meta(DType.UINT8, none),
    }


# Scale has one number (`axis` then means nothing), or one per slice of `axis`, or one per block of
# `block_size` elements along `axis`.
op(
    "affine_quantize",
    "Round(X / Scale) + ZeroPoint, saturated, after ONNX QuantizeLinear.",
    f"X:float|int32 Scale:float|int32 ZeroPoint?:{_KINDS}",
    "Out",
    _quantize,
    attrs={**_ATTRS, "dtype": required(AttrType.INT)},
)
op(
    "affine_dequantize",
    "(X - ZeroPoint) · Scale, after ONNX DequantizeLinear.",
    f"X:{_KINDS} Scale:float ZeroPoint?:{_KINDS}",
    "Out",
    _dequantize,
    attrs={**_ATTRS, "dtype": -1},
)
op(
    "dynamic_quantize",
    "X as uint8 with a scale and zero point from its range, after ONNX DynamicQuantizeLinear.",
    "X:float32",
    "Out Scale ZeroPoint",
    _dynamic,
)

# Table has an element for each byte, and the bytes of int8 numbers are those of uint8 numbers modulo 256.
op(
    "quantized_lookup",
    "Table[X], a function of each integer. litebridge's own, written by quantized_lookup_fuse_pass.",
    "X:uint8|int8 Table:number/1",
    "Out",
    _lookup,
    traits=(Trait.LAYOUT_AGNOSTIC,),
    lod="X",
)
