"""ONNX Cast, CastLike and BitCast."""

from __future__ import annotations

from lite.errors import ModelParseError
from lite.ir.types import DType
from lite.model_parser.onnx.block_writer import BlockWriter
from lite.model_parser.onnx.element_types import dtype_of
from lite.model_parser.onnx.node import OnnxNode
from lite.model_parser.onnx.registry import onnx_op
from lite.ops.defs.affine_quantization import GREATEST


@onnx_op("Cast")
def cast(node: OnnxNode, writer: BlockWriter) -> None:
    """To the type of attribute ``to``."""
    _cast(node, writer, wanted_type(node, "to"))


@onnx_op("CastLike")
def cast_like(node: OnnxNode, writer: BlockWriter) -> None:
    """To the type of the second input."""
    _cast(node, writer, writer.dtype(node.input(1)))


@onnx_op("BitCast")
def bit_cast(node: OnnxNode, writer: BlockWriter) -> None:
    """The same bytes as another type."""
    writer.unary("bitcast", node.input(0), {"dtype": wanted_type(node, "to").code}, node.output())


def wanted_type(node: OnnxNode, attr: str) -> DType:
    """The element type that an attribute names; raises `ModelParseError` where it names none of ours."""
    try:
        dtype = dtype_of(node.integer(attr, 0))
    except ModelParseError as error:
        raise node.error(f"attribute {attr}: {error}") from error
    if dtype is None:
        raise node.error(f"attribute {attr} is missing")
    return dtype


def _cast(node: OnnxNode, writer: BlockWriter, dtype: DType) -> None:
    source = node.input(0)
    if dtype is DType.FLOAT8_E8M0FNU:
        raise node.error("casts to FLOAT8E8M0 are not supported, only those from it")
    greatest = GREATEST.get(dtype)
    if greatest is not None and node.integer("saturate", 1) and writer.dtype(source).is_float:
        # What a type cannot hold becomes its greatest number, infinities too.
        source = writer.unary("clip", source, {"min": -greatest, "max": greatest})
    writer.unary("cast", source, {"out_dtype": dtype.code}, node.output())
