"""Elementwise arithmetic, comparisons, logic and casts."""

from __future__ import annotations

from lite.ir.program import AttrValue
from lite.ir.types import DType
from lite.model_parser.paddle.pir.block_writer import BlockWriter, Operand
from lite.model_parser.paddle.pir.node import PirNode
from lite.model_parser.paddle.pir.translations import pir_op, pir_ops
from lite.model_parser.paddle.pir.types import PirType
from lite.model_parser.paddle.pir.value import Value
from lite.ops import get_schema

_UNARY = (
    "abs acos acosh asin asinh atan atanh bitwise_not ceil cos cosh erf exp expm1 floor log log10 log1p log2 "
    "logical_not reciprocal rsqrt sign sin sinh sqrt square tan trunc"
)
_BINARY = {
    "add": "elementwise_add",
    "bitwise_and": "bitwise_and",
    "bitwise_or": "bitwise_or",
    "bitwise_xor": "bitwise_xor",
    "divide": "elementwise_div",
    "elementwise_pow": "elementwise_pow",
    "equal": "equal",
    "floor_divide": "elementwise_floordiv",
    "greater_equal": "greater_equal",
    "greater_than": "greater_than",
    "less_equal": "less_equal",
    "less_than": "less_than",
    "logical_and": "logical_and",
    "logical_or": "logical_or",
    "logical_xor": "logical_xor",
    "maximum": "elementwise_max",
    "minimum": "elementwise_min",
    "multiply": "elementwise_mul",
    "not_equal": "not_equal",
    "remainder": "elementwise_mod",
    "subtract": "elementwise_sub",
}


@pir_op(*_UNARY.split())
def unary(node: PirNode, writer: BlockWriter) -> None:
    """The op of the same name; integers whose result is real are cast, complex ones have a magnitude."""
    source, output = node.input(0), node.output()
    dtype, result = source.type.dtype, output.type.dtype
    if node.op == "abs" and dtype in (DType.COMPLEX64, DType.COMPLEX128):
        _magnitude(source, output, writer)
        return
    if dtype is not None and dtype.is_integer and dtype not in get_schema(node.op).inputs["X"].dtypes:
        real = result if result is not None and result.is_float else DType.FLOAT32
        cast = writer.new(source, PirType("cast", real, source.shape))
        writer.emit("cast", {"X": source}, {"Out": cast}, {"out_dtype": real.code})
        source, output.type = cast, PirType("real", real, output.shape)
    writer.emit(node.op, {"X": source}, {"Out": output})


def _magnitude(source: Value, output: Value, writer: BlockWriter) -> None:
    squares = []
    for part in ("real", "imag"):
        real = writer.new(output)
        writer.emit(part, {"X": source}, {"Out": real})
        squares.append(writer.unary("square", real))
    total = writer.new(output)
    writer.emit("elementwise_add", dict(zip("XY", squares, strict=True)), {"Out": total})
    writer.emit("sqrt", {"X": total}, {"Out": output})


pir_ops({name: f"{op} X Y -> Out" for name, op in _BINARY.items()})
pir_ops(
    {
        "add_n": "sum X -> Out",
        "affine_channel": "affine_channel X Scale Bias -> Out | data_layout",
        "atan2": "atan2 X1 X2 -> Out",
        "bitwise_left_shift": "bitwise_left_shift X Y -> Out | is_arithmetic",
        "bitwise_right_shift": "bitwise_right_shift X Y -> Out | is_arithmetic",
        "cast": "cast X -> Out | dtype=out_dtype",
        "increment": "increment X -> Out | value=step",
        "isfinite": "isfinite_v2 X -> Out",
        "isinf": "isinf_v2 X -> Out",
        "isnan": "isnan_v2 X -> Out",
        "pow": "pow X -> Out | y=factor",
        "where": "where Condition X Y -> Out",
    }
)


@pir_op("clip")
def clip(node: PirNode, writer: BlockWriter) -> None:
    """`clip`; constant limits become attributes."""
    inputs: dict[str, Operand] = {"X": node.input(0)}
    attrs: dict[str, AttrValue] = {}
    for position, name in ((1, "min"), (2, "max")):
        numbers = node.input(position).numbers()
        if numbers is not None and len(numbers) == 1:
            attrs[name] = numbers[0]
        else:
            inputs[name.title()] = node.input(position)
    writer.emit("clip", inputs, {"Out": node.output()}, attrs)


@pir_op("scale")
def scale(node: PirNode, writer: BlockWriter) -> None:
    """`scale`; a constant factor becomes an attribute."""
    inputs: dict[str, Operand] = {"X": node.input(0)}
    attrs: dict[str, AttrValue] = {
        "bias": node.real("bias", 0.0),
        "bias_after_scale": node.boolean("bias_after_scale", True),
    }
    numbers = node.input(1).numbers()
    if numbers is not None and len(numbers) == 1:
        attrs["scale"] = numbers[0]
    else:
        inputs["ScaleTensor"] = node.input(1)
    writer.emit("scale", inputs, {"Out": node.output()}, attrs)


@pir_op("round")
def round_(node: PirNode, writer: BlockWriter) -> None:
    """`rint`: halves become even; with `decimals`, between scales by a power of 10."""
    source, decimals = node.input(0), node.integer("decimals", 0)
    if not decimals:
        writer.emit("rint", {"X": source}, {"Out": node.output()})
        return
    power = writer.unary("fill_any_like", source, {"value": 10.0 ** abs(decimals)})
    first, last = (
        ("elementwise_mul", "elementwise_div") if decimals > 0 else ("elementwise_div", "elementwise_mul")
    )
    scaled = writer.new(source)
    writer.emit(first, {"X": source, "Y": power}, {"Out": scaled})
    rounded = writer.unary("rint", scaled)
    writer.emit(last, {"X": rounded, "Y": power}, {"Out": node.output()})
