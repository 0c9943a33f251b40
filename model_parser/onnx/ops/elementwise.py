"""Elementwise ops: arithmetic, logic, comparisons, Clip, casts, Where, and Identity."""

from __future__ import annotations

import math

import numpy as np

from lite.ir.types import DType
from lite.model_parser.onnx.block_writer import BlockWriter
from lite.model_parser.onnx.exponents import exponents
from lite.model_parser.onnx.node import OnnxNode
from lite.model_parser.onnx.translations import onnx_op
from lite.ops.number_range import GREATEST

_UNARY = {
    "Abs": "abs",
    "Acos": "acos",
    "Acosh": "acosh",
    "Asin": "asin",
    "Asinh": "asinh",
    "Atan": "atan",
    "Atanh": "atanh",
    "BitwiseNot": "bitwise_not",
    "Ceil": "ceil",
    "Cos": "cos",
    "Cosh": "cosh",
    "Erf": "erf",
    "Exp": "exp",
    "Floor": "floor",
    "IsNaN": "isnan_v2",
    "Log": "log",
    "Neg": "negative",
    "Not": "logical_not",
    "Reciprocal": "reciprocal",
    "Round": "rint",
    "Sign": "sign",
    "Sin": "sin",
    "Sinh": "sinh",
    "Sqrt": "sqrt",
    "Tan": "tan",
}

_BINARY = {
    "Add": "elementwise_add",
    "And": "logical_and",
    "BitwiseAnd": "bitwise_and",
    "BitwiseOr": "bitwise_or",
    "BitwiseXor": "bitwise_xor",
    "Div": "elementwise_div",
    "Equal": "equal",
    "Greater": "greater_than",
    "GreaterOrEqual": "greater_equal",
    "Less": "less_than",
    "LessOrEqual": "less_equal",
    "Mul": "elementwise_mul",
    "Or": "logical_or",
    "Sub": "elementwise_sub",
    "Xor": "logical_xor",
}

_SHIFTS = {"LEFT": "bitwise_left_shift", "RIGHT": "bitwise_right_shift"}

_VARIADIC = {
    "Max": "elementwise_max",
    "Mean": "elementwise_add",
    "Min": "elementwise_min",
    "Sum": "elementwise_add",
}


@onnx_op(*_UNARY)
def unary(node: OnnxNode, writer: BlockWriter) -> None:
    """The op that `_UNARY` names."""
    writer.unary(_UNARY[node.op], node.input(0), out=node.output())


@onnx_op(*_BINARY)
def binary(node: OnnxNode, writer: BlockWriter) -> None:
    """The op that `_BINARY` names; its inputs broadcast."""
    writer.binary(_BINARY[node.op], node.input(0), node.input(1), out=node.output())


@onnx_op("Mod")
def mod(node: OnnxNode, writer: BlockWriter) -> None:
    """`elementwise_mod`, whose result has the sign of the divisor.

    If the attribute ``fmod`` is 1: `fmod`, whose result has the sign of the dividend.
    """
    op = "fmod" if node.integer("fmod", 0) else "elementwise_mod"
    writer.binary(op, node.input(0), node.input(1), out=node.output())


@onnx_op("Pow")
def pow_(node: OnnxNode, writer: BlockWriter) -> None:
    """`elementwise_pow`.

    An integer base of a real exponent is cast to the exponent's type, and the result is cast back.
    """
    base, exponent = node.input(0), node.input(1)
    if writer.dtype(base).is_integer and writer.dtype(exponent).is_float:
        power = writer.binary("elementwise_pow", writer.cast(base, writer.dtype(exponent)), exponent)
        writer.cast(power, writer.dtype(base), node.output())
        return
    writer.binary("elementwise_pow", base, exponent, out=node.output())


@onnx_op("BitShift")
def bit_shift(node: OnnxNode, writer: BlockWriter) -> None:
    """`bitwise_left_shift` or `bitwise_right_shift`; ONNX allows unsigned integers only."""
    op = _SHIFTS.get(node.string("direction", ""))
    if op is None:
        raise node.error(f"direction: expected LEFT or RIGHT, got {node.string('direction', '')!r}")
    writer.binary(op, node.input(0), node.input(1), out=node.output())


@onnx_op(*_VARIADIC)
def variadic(node: OnnxNode, writer: BlockWriter) -> None:
    """A chain of binary ops; for Mean, the sum divided by the number of inputs."""
    names = list(node.inputs)
    if not names or not all(names):
        raise node.error(f"expected one or more inputs, none of them omitted, got {names}")
    if len(names) == 1:
        writer.unary("assign", names[0], out=node.output())
        return
    result = names[0]
    for n, name in enumerate(names[1:], 2):
        last = n == len(names) and node.op != "Mean"
        result = writer.binary(_VARIADIC[node.op], result, name, out=node.output() if last else None)
    if node.op == "Mean":
        writer.unary("scale", result, {"scale": 1 / len(names)}, node.output())


@onnx_op("Clip")
def clip(node: OnnxNode, writer: BlockWriter) -> None:
    """`clip` of real numbers with constant bounds; else `elementwise_max` and `elementwise_min`.

    The bounds are attributes before opset 11, and optional inputs from opset 11 on.
    """
    source, low, high = node.input(0), node.optional(1), node.optional(2)
    if node.opset < 11:
        bounds = {"min": node.real("min", -math.inf), "max": node.real("max", math.inf)}
        writer.unary("clip", source, bounds, node.output())
        return
    if writer.dtype(source).is_integer or any(b and writer.constant(b) is None for b in (low, high)):
        _clip_by_extremes(node, writer)
        return
    bounds = {"min": _number(writer, low, -math.inf), "max": _number(writer, high, math.inf)}
    writer.unary("clip", source, bounds, node.output())


def _clip_by_extremes(node: OnnxNode, writer: BlockWriter) -> None:
    """Clip with `elementwise_max` and `elementwise_min`: exact for integers, also with computed bounds."""
    bounds = [("elementwise_max", node.optional(1)), ("elementwise_min", node.optional(2))]
    steps = [(op, bound) for op, bound in bounds if bound]
    if not steps:
        writer.unary("assign", node.input(0), out=node.output())
    result = node.input(0)
    for n, (op, bound) in enumerate(steps, 1):
        scalar = writer.unary("reshape2", bound, {"shape": [1]}) if writer.rank(bound) != 0 else bound
        result = writer.binary(op, result, scalar, out=node.output() if n == len(steps) else None)


def _number(writer: BlockWriter, name: str | None, default: float) -> float:
    array = writer.constant(name) if name else None
    return default if array is None or not array.size else float(np.asarray(array).reshape(-1)[0])


@onnx_op("IsInf")
def is_inf(node: OnnxNode, writer: BlockWriter) -> None:
    """`isinf_v2`; if the attributes exclude one infinity, `equal` to the other; if both, all false."""
    source = node.input(0)
    signs = [
        sign for sign, attr in ((1, "detect_positive"), (-1, "detect_negative")) if node.integer(attr, 1)
    ]
    if len(signs) == 2:
        writer.unary("isinf_v2", source, out=node.output())
        return
    if not signs:
        writer.unary("fill_any_like", source, {"value": 0.0, "dtype": 0}, node.output())
        return
    infinity = np.array(signs[0] * np.inf).astype(writer.dtype(source).numpy)
    writer.binary("equal", source, writer.weight(infinity, source), out=node.output())


@onnx_op("Cast")
def cast(node: OnnxNode, writer: BlockWriter) -> None:
    """`cast` to the type of attribute ``to``."""
    _cast(node, writer, node.dtype("to"))


@onnx_op("CastLike")
def cast_like(node: OnnxNode, writer: BlockWriter) -> None:
    """`cast` to the type of the second input."""
    _cast(node, writer, writer.dtype(node.input(1)))


@onnx_op("BitCast")
def bit_cast(node: OnnxNode, writer: BlockWriter) -> None:
    """`bitcast` to the type of attribute ``to``."""
    writer.unary("bitcast", node.input(0), {"dtype": node.dtype("to").code}, node.output())


def _cast(node: OnnxNode, writer: BlockWriter, dtype: DType) -> None:
    source = node.input(0)
    if dtype is DType.FLOAT8_E8M0FNU:
        exponents(node, writer, source)
        return
    greatest = GREATEST.get(dtype)
    if greatest is not None and node.integer("saturate", 1) and writer.dtype(source).is_float:
        # ONNX saturates: numbers out of range, infinities too, become the greatest number with their sign.
        source = writer.unary("clip", source, {"min": -greatest, "max": greatest})
    writer.cast(source, dtype, node.output())


@onnx_op("Where")
def where(node: OnnxNode, writer: BlockWriter) -> None:
    """`where`."""
    inputs = {"Condition": node.input(0), "X": node.input(1), "Y": node.input(2)}
    writer.emit("where", inputs, {"Out": node.output()})


@onnx_op("NonZero")
def non_zero(node: OnnxNode, writer: BlockWriter) -> None:
    """`where_index`, int64[positions, rank], transposed to ONNX's int64[rank, positions]."""
    positions = writer.new_name(node.input(0))
    writer.emit("where_index", {"Condition": node.input(0)}, {"Out": positions})
    writer.unary("transpose2", positions, {"axis": [1, 0]}, node.output())


@onnx_op("Identity")
def identity(node: OnnxNode, writer: BlockWriter) -> None:
    """`assign`; a copy of a constant counts as a constant."""
    source = node.input(0)
    writer.unary("assign", source, out=node.output())
    array = writer.constant(source)
    if array is not None:
        writer.arrays[node.output()] = array
