"""Ops that cut ranges and boxes out of tensors, add borders, or replace ranges."""

from __future__ import annotations

from lite.errors import ModelParseError
from lite.ir.program import AttrValue
from lite.ir.types import DType
from lite.model_parser.paddle.pir.block_writer import BlockWriter, Operand
from lite.model_parser.paddle.pir.node import PirNode
from lite.model_parser.paddle.pir.shape_operand import ShapeOperands
from lite.model_parser.paddle.pir.translations import pir_op
from lite.model_parser.paddle.pir.types import PirType
from lite.model_parser.paddle.pir.value import Value

_RANGES = ("starts", "ends", "strides")


@pir_op("slice", "strided_slice")
def slice_(node: PirNode, writer: BlockWriter) -> None:
    """`slice` or `strided_slice`."""
    operands = ShapeOperands(writer)
    for position, name in enumerate(_RANGES[: 2 if node.op == "slice" else 3], 1):
        slot = f"{name.title()}Tensor"
        operands.add(node.input(position), name, slot, f"{slot}List")
    attrs: dict[str, AttrValue] = {"axes": node.integers("axes"), **operands.attrs}
    attrs["decrease_axis"] = node.integers("decrease_axis")
    # An empty list of flags means that all ranges are constant.
    attrs["infer_flags"] = [-1 if operands.inputs else 1] * len(node.integers("axes"))
    inputs = {"Input": node.input(0), **operands.inputs}
    writer.emit(node.op, inputs, {"Out": node.output()}, attrs)


@pir_op("crop")
def crop(node: PirNode, writer: BlockWriter) -> None:
    """`crop_tensor`."""
    operands = ShapeOperands(writer)
    operands.add(node.input(1), "shape", "Shape", "ShapeTensor")
    operands.add(node.input(2), "offsets", "Offsets", "OffsetsTensor")
    inputs = {"X": node.input(0), **operands.inputs}
    writer.emit("crop_tensor", inputs, {"Out": node.output()}, operands.attrs)


@pir_op("pad")
def pad(node: PirNode, writer: BlockWriter) -> None:
    """`pad` with a constant value."""
    numbers = node.input(1).numbers()
    if numbers is None or len(numbers) != 1:
        raise ModelParseError("operand 'pad_value': expected a constant; export the value as a number")
    attrs: dict[str, AttrValue] = {"paddings": node.integers("paddings"), "pad_value": numbers[0]}
    writer.emit("pad", {"X": node.input(0)}, {"Out": node.output()}, attrs)


@pir_op("pad3d")
def pad3d(node: PirNode, writer: BlockWriter) -> None:
    """`pad3d`."""
    operands = ShapeOperands(writer)
    operands.add(node.input(1), "paddings", "Paddings")
    attrs: dict[str, AttrValue] = {
        "mode": node.string("mode", "constant"),
        "value": node.real("pad_value", 0.0),
        "data_format": node.string("data_format", "NCDHW"),
        **operands.attrs,
    }
    writer.emit("pad3d", {"X": node.input(0), **operands.inputs}, {"Out": node.output()}, attrs)


@pir_op("set_value", "set_value_with_tensor")
def set_value(node: PirNode, writer: BlockWriter) -> None:
    """`set_value` with the values of a tensor or of an attribute."""
    has_tensor = node.op == "set_value_with_tensor"
    operands = ShapeOperands(writer)
    for position, name in enumerate(("starts", "ends", "steps"), 2 if has_tensor else 1):
        slot = f"{name.title()}TensorList"
        numbers = _one_by_one(node.input(position), len(node.integers("axes")), writer)
        operands.add(numbers, name, slot, slot)
    attrs: dict[str, AttrValue] = {
        name: node.integers(name) for name in ("axes", "decrease_axes", "none_axes")
    }
    inputs: dict[str, Operand] = {"Input": node.input(0), **operands.inputs}
    dtype = node.input(0).type.dtype or DType.FLOAT32
    if has_tensor:
        inputs["ValueTensor"] = node.input(1)
    else:
        values: list[bool | int | float | complex] = [*node.reals("values")]
        attrs |= {"shape": node.integers("shape"), "values": values}
    attrs |= {"dtype": dtype.code, **operands.attrs}
    writer.emit("set_value", inputs, {"Out": node.output()}, attrs)


def _one_by_one(value: Value, count: int, writer: BlockWriter) -> Value:
    """A list of numbers; a tensor of `count` numbers is split, a constant and a list are unchanged."""
    if value.numbers() is not None or value.parts is not None:
        return value
    single = PirType("number", value.type.dtype, (1,))
    numbers = Value(
        value.type, value.name, value.block, parts=[writer.new(value, single) for _ in range(count)]
    )
    if count == 1:
        writer.emit("reshape2", {"X": value}, {"Out": numbers}, {"shape": [1]})
    else:
        writer.emit("split", {"X": value}, {"Out": numbers}, {"num": count, "axis": 0})
    return numbers
