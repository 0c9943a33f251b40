"""Elementwise arithmetic, comparisons, logic and casts."""

from __future__ import annotations

import numpy as np

from lite.errors import ModelParseError
from lite.ir.program import AttrValue
from lite.ir.types import DType
from lite.model_parser.tflite.graph_writer import GraphWriter
from lite.model_parser.tflite.node import TfliteNode
from lite.model_parser.tflite.pairs import real_part
from lite.model_parser.tflite.translations import tflite_op

_UNARY = {
    "ABS": "abs",
    "CEIL": "ceil",
    "COS": "cos",
    "EXP": "exp",
    "FLOOR": "floor",
    "LOG": "log",
    "LOGICAL_NOT": "logical_not",
    "NEG": "negative",
    "ROUND": "rint",
    "RSQRT": "rsqrt",
    "SIGN": "sign",
    "SIN": "sin",
    "SQRT": "sqrt",
    "SQUARE": "square",
}
_BINARY = {
    "ADD": "elementwise_add",
    "ATAN2": "atan2",
    "BITWISE_XOR": "bitwise_xor",
    "DIV": "elementwise_div",
    "EQUAL": "equal",
    "FLOOR_DIV": "elementwise_floordiv",
    "FLOOR_MOD": "elementwise_mod",
    "GREATER": "greater_than",
    "GREATER_EQUAL": "greater_equal",
    "LESS": "less_than",
    "LESS_EQUAL": "less_equal",
    "LOGICAL_AND": "logical_and",
    "LOGICAL_OR": "logical_or",
    "MAXIMUM": "elementwise_max",
    "MINIMUM": "elementwise_min",
    "MUL": "elementwise_mul",
    "NOT_EQUAL": "not_equal",
    "POW": "elementwise_pow",
    "RIGHT_SHIFT": "bitwise_right_shift",
    "SUB": "elementwise_sub",
}


@tflite_op(*_UNARY)
def unary(node: TfliteNode, writer: GraphWriter) -> None:
    """The op that `_UNARY` names."""
    (source,), is_image = writer.operands([node.input(0)])
    writer.write(node, _UNARY[node.op], {"X": source}, is_image=is_image)


@tflite_op(*_BINARY)
def binary(node: TfliteNode, writer: GraphWriter) -> None:
    """The op that `_BINARY` names; its operands broadcast."""
    slots = ("X1", "X2") if node.op == "ATAN2" else ("X", "Y")
    names, is_image = writer.operands([node.input(0), node.input(1)])
    writer.write(node, _BINARY[node.op], dict(zip(slots, names, strict=True)), is_image=is_image)


@tflite_op("SQUARED_DIFFERENCE")
def squared_difference(node: TfliteNode, writer: GraphWriter) -> None:
    """`elementwise_sub` and `square`: (x - y)²."""
    operands = [writer.real(node.input(position)) for position in range(2)]
    writer.write(node, "square", {"X": writer.binary("elementwise_sub", *operands)})


@tflite_op("ADD_N")
def add_n(node: TfliteNode, writer: GraphWriter) -> None:
    """`sum`."""
    writer.write(node, "sum", {"X": [writer.real(node.input(n)) for n in range(len(node.inputs))]})


@tflite_op("SELECT", "SELECT_V2")
def select(node: TfliteNode, writer: GraphWriter) -> None:
    """`where`; the condition broadcasts.

    In SELECT a condition of rank 1 selects rows of operands of higher rank, which is not supported.
    """
    condition, first, second = (node.input(position) for position in range(3))
    if node.op == "SELECT" and condition.rank == 1 and first.rank > 1:
        raise ModelParseError(
            f"SELECT with a condition of rank 1 and operands of rank {first.rank} is not supported; "
            "use SELECT_V2 with a condition that broadcasts"
        )
    names, is_stored = writer.moved(node, [first, second])
    inputs = {"Condition": writer.name(condition), "X": names[0], "Y": names[1]}
    writer.write(node, "where", inputs, is_stored=is_stored)


@tflite_op("CAST")
def cast(node: TfliteNode, writer: GraphWriter) -> None:
    """`cast` of the stored elements, not dequantised, or of real parts, to the type of the output."""
    source = node.input(0)
    name = real_part(writer, source) if source.name in writer.pairs else writer.name(source)
    writer.write(node, "cast", {"X": name}, {"out_dtype": node.output().dtype.code}, is_stored=True)


@tflite_op("BITCAST")
def bitcast(node: TfliteNode, writer: GraphWriter) -> None:
    """`bitcast` of the stored elements to a type of the same width."""
    source, output = node.input(0).dtype, node.output().dtype
    if source.itemsize != output.itemsize:
        raise ModelParseError(f"expected types of the same width, got {source} and {output}")
    writer.write(node, "bitcast", {"X": writer.name(node.input(0))}, {"dtype": output.code}, is_stored=True)


@tflite_op("BUCKETIZE")
def bucketize(node: TfliteNode, writer: GraphWriter) -> None:
    """The number of boundaries, which ascend, that are not above each element."""
    source = node.input(0)
    dtype = DType.FLOAT64 if source.dtype is DType.FLOAT64 else DType.FLOAT32
    name = writer.name(source)
    if source.dtype is not dtype:
        name = writer.unary("cast", name, {"out_dtype": dtype.code})
    boundaries = writer.weight("boundaries", node.option_array().astype(dtype.numpy))
    is_below = writer.binary("less_than", writer.unary("unsqueeze2", name, {"axes": [-1]}), boundaries)
    passed = writer.unary("cast", writer.unary("logical_not", is_below), {"out_dtype": DType.INT32.code})
    writer.write(node, "reduce_sum", {"X": passed}, {"dim": [-1]})


@tflite_op("DEQUANTIZE")
def dequantize(node: TfliteNode, writer: GraphWriter) -> None:
    """`affine_dequantize`; `cast` for float16; a float16 constant becomes a float32 constant."""
    source = node.input(0)
    if source.elements is not None and source.dtype is DType.FLOAT16:
        node.output().elements = source.elements.astype(np.float32)
        return
    if source.quantisation is None and not source.dtype.is_float:
        raise ModelParseError(f"input {source.name!r}: expected a quantised tensor, got {source.dtype}")
    op, attrs = (
        ("assign", {}) if source.dtype is DType.FLOAT32 else ("cast", {"out_dtype": DType.FLOAT32.code})
    )
    if source.quantisation is not None:
        op, attrs = "assign", {}
    writer.write(node, op, {"X": writer.real(source)}, attrs)


@tflite_op("DENSIFY")
def densify(node: TfliteNode, _: GraphWriter) -> None:
    """No op: the elements of a sparse constant are read as a dense array."""
    node.output().elements = node.constant(0)


@tflite_op("QUANTIZE")
def quantize(node: TfliteNode, writer: GraphWriter) -> None:
    """`affine_quantize`; a quantised input, with another scale for example, is dequantised first."""
    if node.output().quantisation is None:
        raise ModelParseError(
            f"output {node.output().name!r}: expected a quantised tensor, got one without a scale"
        )
    writer.write(node, "assign", {"X": writer.real(node.input(0))})


@tflite_op("FAKE_QUANT")
def fake_quant(node: TfliteNode, writer: GraphWriter) -> None:
    """Real numbers on the grid of `num_bits` between `min` and `max`, which are moved so that it has a 0."""
    if node.flag("narrow_range"):
        raise ModelParseError("option narrow_range: expected false; it is for weights, which are constants")
    least, greatest, bits = node.number("min"), node.number("max"), node.integer("num_bits")
    if not (2 <= bits <= 16 and least <= 0 <= greatest and least < greatest):
        raise ModelParseError(
            f"expected 2 to 16 bits and a range around 0, got {bits}, {least} to {greatest}"
        )
    last = np.float32(2**bits - 1)
    scale = np.float32(greatest - least) / last
    zero = np.floor(np.float32(0.5) - np.float32(least) / scale).clip(0, last)
    low, high = float(-zero * scale), float((last - zero) * scale)
    name = writer.unary("clip", writer.real(node.input(0)), {"min": low, "max": high})
    steps: dict[str, AttrValue] = {"scale": float(1 / scale), "bias": -low, "bias_after_scale": False}
    name = writer.unary("round", writer.unary("scale", name, steps))
    writer.write(node, "scale", {"X": name}, {"scale": float(scale), "bias": low})
