"""ONNX Constant and ConstantOfShape."""

from __future__ import annotations

import numpy as np

from lite.errors import GraphError
from lite.ir.types import Array, DType
from lite.model_parser.onnx.block_writer import BlockWriter
from lite.model_parser.onnx.node import OnnxNode
from lite.model_parser.onnx.registry import onnx_op
from lite.model_parser.onnx.whole_numbers import numbers_of


@onnx_op("Constant")
def constant(node: OnnxNode, writer: BlockWriter) -> None:
    """A parameter."""
    array = _value(node)
    try:
        DType.from_numpy(array.dtype)
    except GraphError as error:
        raise node.error(str(error)) from error
    writer.add_weight(node.output(), array)


@onnx_op("ConstantOfShape")
def constant_of_shape(node: OnnxNode, writer: BlockWriter) -> None:
    """fill_constant; the number is 0 of float32 where none is given."""
    given = node.tensor("value")
    value = np.zeros(1, np.float32) if given is None else given.reshape(-1)
    if value.size != 1:
        raise node.error(f"value: expected one element, got {value.size}")
    shape = numbers_of(writer, node.input(0))
    attrs = {"dtype": DType.from_numpy(value.dtype).code, **shape.attr("shape")}
    # As text, integers of 64 bits stay exact.
    attrs |= {"str_value": str(value[0])} if value.dtype.kind in "iu" else {"value": float(value[0])}
    writer.emit("fill_constant", shape.slot("ShapeTensor"), {"Out": node.output()}, attrs)


def _value(node: OnnxNode) -> Array:
    given = node.tensor("value")
    if given is not None:
        return given
    if node.has("sparse_value"):
        return node.sparse_tensor("sparse_value")
    if node.has("value_int"):
        return np.array(node.integer("value_int", 0), np.int64)
    if node.has("value_float"):
        return np.array(node.real("value_float", 0.0), np.float32)
    if node.has("value_string"):
        return np.array(node.text("value_string", ""), object)
    for values, dtype in (
        (node.integers("value_ints"), np.int64),
        (node.reals("value_floats"), np.float32),
        (node.texts("value_strings"), object),
    ):
        if values is not None:
            return np.array(values, dtype)
    raise node.error("attribute value is missing")
