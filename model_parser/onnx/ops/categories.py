"""Categories, of the domain ai.onnx.ml: OneHotEncoder, CategoryMapper and ZipMap."""

from __future__ import annotations

import logging

import numpy as np

from lite.ir.types import Array, DType
from lite.model_parser.onnx.block_writer import BlockWriter
from lite.model_parser.onnx.node import OnnxNode
from lite.model_parser.onnx.ops.label_encoder import text_array
from lite.model_parser.onnx.translations import onnx_op

log = logging.getLogger(__name__)


@onnx_op("ai.onnx.ml.OneHotEncoder")
def one_hot_encoder(node: OnnxNode, writer: BlockWriter) -> None:
    """1 at the category of each element, on a new last axis; zeros for an unknown category.

    That is an error in ONNX where the attribute zeros is 0.
    """
    x, texts = node.input(0), node.strings("cats_strings")
    if writer.dtype(x) is DType.STRING:
        numbers = np.arange(len(texts or []))
        x = _mapped(writer, x, text_array(texts or []), numbers, np.asarray([-1]), node)
        categories = numbers
    else:
        x, categories = writer.cast(x, DType.INT64), np.asarray(node.integers("cats_int64s") or [], np.int64)
    if not categories.size:
        raise node.error(f"cats_int64s or cats_strings: expected those of {writer.dtype(node.input(0))}")
    column = writer.unary("unsqueeze2", x, {"axes": [-1]})
    is_equal = writer.binary("equal", column, writer.weight(categories, node.output()))
    writer.cast(is_equal, DType.FLOAT32, node.output())


@onnx_op("ai.onnx.ml.CategoryMapper")
def category_mapper(node: OnnxNode, writer: BlockWriter) -> None:
    """`label_encoder` between texts and integers."""
    texts = text_array(node.strings("cats_strings") or [])
    numbers = np.asarray(node.integers("cats_int64s") or [], np.int64)
    if texts.size != numbers.size:
        raise node.error(f"expected as many cats_int64s as cats_strings, got {numbers.size} and {texts.size}")
    if writer.dtype(node.input(0)) is DType.STRING:
        default: Array = np.asarray([node.integer("default_int64", -1)], np.int64)
        keys, values = texts, numbers
    else:
        default, keys, values = text_array([node.string("default_string", "_Unused")]), numbers, texts
    _mapped(writer, node.input(0), keys, values, default, node, node.output())


@onnx_op("ai.onnx.ml.ZipMap")
def zip_map(node: OnnxNode, writer: BlockWriter) -> None:
    """The scores as they are, ``[rows, labels]``: a map for each row would have them by label."""
    labels = node.integers("classlabels_int64s") or node.strings("classlabels_strings")
    log.warning(
        "%s: ZipMap makes a map for each row in ONNX; here %r is one array with a column for each of %s",
        node.name or "ZipMap", node.output(), labels,
    )  # fmt: skip
    writer.unary("assign", node.input(0), out=node.output())


def _mapped(
    writer: BlockWriter, x: str, keys: Array, values: Array, default: Array, node: OnnxNode, out: str = ""
) -> str:
    out = out or writer.new_name(x)
    slots = {"Keys": keys, "Values": values, "Default": default}
    weights = {slot: writer.weight(array, node.output()) for slot, array in slots.items()}
    writer.emit("label_encoder", {"X": x, **weights}, {"Out": out})
    return out
