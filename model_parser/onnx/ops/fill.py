"""Tensors filled with constants, ranges, one-hot rows, triangles or random numbers."""

from __future__ import annotations

import numpy as np

from lite.errors import GraphError
from lite.ir.program import AttrValue
from lite.ir.types import Array, DType
from lite.model_parser.onnx.block_writer import BlockWriter
from lite.model_parser.onnx.integer_operand import IntegerOperand, integers_of
from lite.model_parser.onnx.node import OnnxNode
from lite.model_parser.onnx.translations import onnx_op

_RANDOM = {
    "RandomNormal": ("gaussian_random", {"mean": ("mean", 0.0), "std": ("scale", 1.0)}),
    "RandomUniform": ("uniform_random", {"min": ("low", 0.0), "max": ("high", 1.0)}),
}
"""ONNX op → op, and for each attribute of the op the ONNX attribute and its default."""


@onnx_op("Constant")
def constant(node: OnnxNode, writer: BlockWriter) -> None:
    """A parameter of the program."""
    array = _constant_value(node)
    try:
        DType.from_numpy(array.dtype)
    except GraphError as error:
        raise node.error(str(error)) from error
    writer.add_weight(node.output(), array)


@onnx_op("ConstantOfShape")
def constant_of_shape(node: OnnxNode, writer: BlockWriter) -> None:
    """`fill_constant`, by default of float32 zeros."""
    tensor = node.tensor("value")
    value = np.zeros(1, np.float32) if tensor is None else tensor.reshape(-1)
    if value.size != 1:
        raise node.error(f"value: expected one element, got {value.size}")
    shape = integers_of(writer, node.input(0))
    attrs = {"dtype": DType.from_numpy(value.dtype).code, **shape.attr("shape")}
    # A string holds integers of 64 bits exactly.
    attrs |= {"str_value": str(value[0])} if value.dtype.kind in "iu" else {"value": float(value[0])}
    writer.emit("fill_constant", shape.slot("ShapeTensor"), {"Out": node.output()}, attrs)


def _constant_value(node: OnnxNode) -> Array:
    tensor = node.tensor("value")
    if tensor is not None:
        return tensor
    if node.has("sparse_value"):
        return node.sparse_tensor("sparse_value")
    if node.has("value_int"):
        return np.array(node.integer("value_int", 0), np.int64)
    if node.has("value_float"):
        return np.array(node.real("value_float", 0.0), np.float32)
    if node.has("value_string"):
        return np.array(node.string("value_string", ""), object)
    for values, dtype in (
        (node.integers("value_ints"), np.int64),
        (node.reals("value_floats"), np.float32),
        (node.strings("value_strings"), object),
    ):
        if values is not None:
            return np.array(values, dtype)
    raise node.error("attribute value is missing")


@onnx_op("Range")
def range_(node: OnnxNode, writer: BlockWriter) -> None:
    """`range`; empty where the step leads away from the limit."""
    inputs = {"Start": node.input(0), "End": node.input(1), "Step": node.input(2)}
    writer.emit("range", inputs, {"Out": node.output()}, {"allow_empty": True})


@onnx_op("OneHot")
def one_hot(node: OnnxNode, writer: BlockWriter) -> None:
    """`one_hot_values`."""
    depth = integers_of(writer, node.input(1))
    attrs: dict[str, AttrValue] = {"axis": node.integer("axis", -1)}
    if depth.values is not None:
        attrs["depth"] = depth.values[0]
    inputs = {"X": node.input(0), "Values": node.input(2), **depth.slot("Depth")}
    writer.emit("one_hot_values", inputs, {"Out": node.output()}, attrs)


@onnx_op("EyeLike")
def eye_like(node: OnnxNode, writer: BlockWriter) -> None:
    """`eye_like`, by default of the type of the input."""
    dtype = node.dtype("dtype").code if node.has("dtype") else -1
    attrs = {"diagonal": node.integer("k", 0), "dtype": dtype}
    writer.unary("eye_like", node.input(0), attrs, node.output())


@onnx_op("Trilu")
def trilu(node: OnnxNode, writer: BlockWriter) -> None:
    """`tril_triu`; the diagonal is an optional input."""
    diagonal = integers_of(writer, node.input(1)) if node.optional(1) else IntegerOperand([0])
    attrs: dict[str, AttrValue] = {"lower": not node.integer("upper", 1)}
    if diagonal.values is not None:
        attrs["diagonal"] = diagonal.values[0]
    inputs = {"X": node.input(0), **diagonal.slot("DiagonalTensor")}
    writer.emit("tril_triu", inputs, {"Out": node.output()}, attrs)


@onnx_op(*_RANDOM)
def random(node: OnnxNode, writer: BlockWriter) -> None:
    """The op of the table, in the shape of the attribute."""
    shape = node.integers("shape")
    if shape is None:
        raise node.error("attribute shape is missing")
    dtype = node.dtype("dtype", DType.FLOAT32)
    op, attrs = _random_op(node, node.op)
    writer.emit(op, {}, {"Out": node.output()}, {**attrs, "shape": [*shape], "dtype": dtype.code})


@onnx_op(*(f"{name}Like" for name in _RANDOM))
def random_like(node: OnnxNode, writer: BlockWriter) -> None:
    """The op of the table, in the shape and by default of the type of the input."""
    source = node.input(0)
    dtype = node.dtype("dtype") if node.has("dtype") else writer.dtype(source)
    op, attrs = _random_op(node, node.op.removesuffix("Like"))
    inputs = {"ShapeTensor": writer.shape_of(source)}
    writer.emit(op, inputs, {"Out": node.output()}, {**attrs, "dtype": dtype.code})


@onnx_op("Bernoulli")
def bernoulli(node: OnnxNode, writer: BlockWriter) -> None:
    """`less_than`: whether a random number between 0 and 1 is below the probability."""
    source = node.input(0)
    source_dtype = writer.dtype(source)
    dtype = node.dtype("dtype", source_dtype)
    attrs: dict[str, AttrValue] = {
        "min": 0.0,
        "max": 1.0,
        "seed": _seed(node),
        "dtype": source_dtype.code,
    }
    numbers = writer.new_name(source)
    writer.emit("uniform_random", {"ShapeTensor": writer.shape_of(source)}, {"Out": numbers}, attrs)
    writer.binary("less_than", numbers, source, {"out_dtype": dtype.code}, node.output())


@onnx_op("Multinomial")
def multinomial(node: OnnxNode, writer: BlockWriter) -> None:
    """`multinomial` of the softmax of the input, which holds unnormalised log-probabilities."""
    dtype = node.dtype("dtype", DType.INT32)
    weights = writer.unary("softmax", node.input(0), {"axis": -1})
    attrs: dict[str, AttrValue] = {
        "num_samples": node.integer("sample_size", 1),
        "replacement": True,
        "seed": _seed(node),
    }
    writer.cast(writer.unary("multinomial", weights, attrs), dtype, node.output())


def _random_op(node: OnnxNode, name: str) -> tuple[str, dict[str, AttrValue]]:
    op, attrs = _RANDOM[name]
    values = {attr: node.real(onnx_attr, default) for attr, (onnx_attr, default) in attrs.items()}
    return op, {**values, "seed": _seed(node)}


def _seed(node: OnnxNode) -> int:
    """The bits of ONNX's seed, a real number, as an integer seed."""
    return int(np.float32(node.real("seed", 0.0)).view(np.uint32)) & 0x7FFFFFFF
