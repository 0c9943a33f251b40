"""Constants, ranges, sizes and random numbers."""

from __future__ import annotations

import numpy as np

from lite.errors import ModelParseError
from lite.ir.program import AttrValue
from lite.ir.types import DType
from lite.model_parser.paddle.pir.block_writer import BlockWriter, Operand
from lite.model_parser.paddle.pir.node import PirNode
from lite.model_parser.paddle.pir.shape_operand import ShapeOperands
from lite.model_parser.paddle.pir.translations import pir_op, pir_ops
from lite.model_parser.paddle.pir.types import PirType
from lite.model_parser.paddle.pir.value import MAX_CONSTANT, Value

pir_ops(
    {
        "full_batch_size_like": "fill_constant_batch_size_like Input -> Out | "
        "shape dtype value input_dim_idx output_dim_idx",
        "is_empty": "is_empty X -> Out",
        "logspace": "logspace Start Stop Num Base -> Out | dtype",
        "shape": "shape Input -> Out",
    }
)


@pir_op("full")
def full(node: PirNode, writer: BlockWriter) -> None:
    """A constant of one value; a large one is a `fill_constant` op."""
    shape, value, dtype = node.integers("shape"), node.real("value", 0.0), _dtype(node)
    if any(size < 0 for size in shape):
        raise ModelParseError(f"attribute 'shape': expected sizes, got {shape}")
    if np.prod(shape, dtype=float) > MAX_CONSTANT:
        attrs: dict[str, AttrValue] = {"shape": shape, "dtype": dtype.code, "value": value}
        writer.emit("fill_constant", {}, {"Out": node.output()}, attrs)
        return
    _set_elements(node.output(), np.full(shape, value), dtype)


@pir_op("full_int_array")
def full_int_array(node: PirNode, _: BlockWriter) -> None:
    """A constant list of integers."""
    _set_elements(node.output(), np.array(node.integers("value"), np.int64), node.dtype() or DType.INT64)


@pir_op("assign_value")
def assign_value(node: PirNode, _: BlockWriter) -> None:
    """A constant of the values in an attribute; the operand is a placeholder."""
    shape, values = node.integers("shape"), node.elements("values")
    if any(size < 0 for size in shape) or np.prod(shape, dtype=float) != len(values):
        raise ModelParseError(f"attribute 'values': expected numbers for shape {shape}, got {len(values)}")
    _set_elements(node.output(), np.array(values, np.float64).reshape(shape), _dtype(node))


def _set_elements(value: Value, elements: np.ndarray, dtype: DType) -> None:
    if not dtype.is_float and not np.isfinite(elements).all():
        raise ModelParseError(f"expected values of type {dtype}, got numbers that are not finite")
    with np.errstate(all="ignore"):
        value.elements = elements.astype(dtype.numpy)
    value.elements.flags.writeable = False
    value.type = PirType("constant", dtype, value.elements.shape)
    value.is_written = False


def _dtype(node: PirNode) -> DType:
    """The element type in the attribute, else the type of the result, else float32."""
    return node.dtype() or node.output().type.dtype or DType.FLOAT32


@pir_op("full_like")
def full_like(node: PirNode, writer: BlockWriter) -> None:
    """`fill_any_like`."""
    attrs: dict[str, AttrValue] = {"value": _number(node, 1, "value")}
    dtype = node.dtype()
    if dtype is not None:
        attrs["dtype"] = dtype.code
    writer.emit("fill_any_like", {"X": node.input(0)}, {"Out": node.output()}, attrs)


@pir_op("full_with_tensor")
def full_with_tensor(node: PirNode, writer: BlockWriter) -> None:
    """`fill_constant` with a value and a shape that may be known at the run only."""
    operands = ShapeOperands(writer)
    operands.add(node.input(1), "shape", "ShapeTensor", "ShapeTensorList")
    attrs: dict[str, AttrValue] = {"dtype": _dtype(node).code, **operands.attrs}
    inputs: dict[str, Operand] = {"ValueTensor": node.input(0), **operands.inputs}
    writer.emit("fill_constant", inputs, {"Out": node.output()}, attrs)


@pir_op("empty")
def empty(node: PirNode, writer: BlockWriter) -> None:
    """`empty`."""
    _fill(node, writer, "empty", {})


@pir_op("gaussian")
def gaussian(node: PirNode, writer: BlockWriter) -> None:
    """`gaussian_random`."""
    _fill(
        node,
        writer,
        "gaussian_random",
        {"mean": node.real("mean", 0.0), "std": node.real("std", 1.0), "seed": node.integer("seed", 0)},
    )


@pir_op("uniform")
def uniform(node: PirNode, writer: BlockWriter) -> None:
    """`uniform_random`."""
    _fill(
        node,
        writer,
        "uniform_random",
        {"min": _number(node, 1, "min"), "max": _number(node, 2, "max"), "seed": node.integer("seed", 0)},
    )


def _fill(node: PirNode, writer: BlockWriter, op: str, attrs: dict[str, AttrValue]) -> None:
    operands = ShapeOperands(writer)
    operands.add(node.input(0), "shape", "ShapeTensor", "ShapeTensorList")
    attrs = {"dtype": _dtype(node).code, **attrs, **operands.attrs}
    writer.emit(op, operands.inputs, {"Out": node.output()}, attrs)


def _number(node: PirNode, position: int, name: str) -> float:
    numbers = node.input(position).numbers()
    if numbers is None or len(numbers) != 1:
        raise ModelParseError(f"operand {name!r}: expected a constant of one element; export it as a number")
    return numbers[0]


@pir_op("arange")
def arange(node: PirNode, writer: BlockWriter) -> None:
    """`range` over numbers of the type of the result."""
    dtype = _dtype(node)
    slots = ("Start", "End", "Step")
    inputs = {slot: _cast(node.input(n), dtype, writer) for n, slot in enumerate(slots)}
    writer.emit("range", inputs, {"Out": node.output()})


@pir_op("linspace")
def linspace(node: PirNode, writer: BlockWriter) -> None:
    """`linspace`."""
    dtype = _dtype(node)
    inputs = {
        "Start": _cast(node.input(0), dtype, writer),
        "Stop": _cast(node.input(1), dtype, writer),
        "Num": _cast(node.input(2), DType.INT32, writer),
    }
    writer.emit("linspace", inputs, {"Out": node.output()}, {"dtype": dtype.code})


def _cast(value: Value, dtype: DType, writer: BlockWriter) -> Value:
    """A value in another element type; a constant stays one."""
    if value.type.dtype is dtype:
        return value
    out = writer.new(value, PirType("cast", dtype, value.type.shape))
    if value.elements is not None:
        _set_elements(out, value.elements, dtype)
    else:
        writer.emit("cast", {"X": value}, {"Out": out}, {"out_dtype": dtype.code})
    return out


@pir_op("shape64")
def shape64(node: PirNode, writer: BlockWriter) -> None:
    """`shape` as int64."""
    _shape64(node, writer, node.output())


@pir_op("numel")
def numel(node: PirNode, writer: BlockWriter) -> None:
    """The product of the sizes."""
    sizes = writer.new(node.output())
    _shape64(node, writer, sizes)
    writer.emit("reduce_prod", {"X": sizes}, {"Out": node.output()}, {"reduce_all": True})


def _shape64(node: PirNode, writer: BlockWriter, out: Value) -> None:
    source = node.input(0)
    sizes = writer.new(source, PirType("sizes", DType.INT32, (source.known_rank(),)))
    writer.emit("shape", {"Input": source}, {"Out": sizes})
    writer.emit("cast", {"X": sizes}, {"Out": out}, {"out_dtype": DType.INT64.code})
