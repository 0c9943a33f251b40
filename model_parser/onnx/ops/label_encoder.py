"""LabelEncoder of the domain ai.onnx.ml, opset 1 to 4."""

from __future__ import annotations

import numpy as np

from lite.ir.types import Array
from lite.model_parser.onnx.block_writer import BlockWriter
from lite.model_parser.onnx.node import OnnxNode
from lite.model_parser.onnx.translations import onnx_op

_UNUSED = "_Unused"
"""The default of texts, by ONNX."""


@onnx_op("ai.onnx.ml.LabelEncoder")
def label_encoder(node: OnnxNode, writer: BlockWriter) -> None:
    """`label_encoder`, whose table is constant."""
    if node.has("classes_strings"):
        keys, values, default = _classes(node, writer.dtype(node.input(0)).name == "STRING")
    else:
        keys = _list(node, "keys")
        values = _list(node, "values")
        default = _default(node, values)
    if keys.size != values.size:
        raise node.error(f"expected as many values as keys, got {values.size} and {keys.size}")
    if keys.dtype != writer.dtype(node.input(0)).numpy:
        raise node.error(f"the keys are {keys.dtype}, and the input is {writer.dtype(node.input(0))}")
    slots = {"X": node.input(0)}
    for slot, array in {"Keys": keys.ravel(), "Values": values.ravel(), "Default": default}.items():
        slots[slot] = writer.weight(array, node.output())
    writer.emit("label_encoder", slots, {"Out": node.output()})


def _classes(node: OnnxNode, from_text: bool) -> tuple[Array, Array, Array]:
    """The table of opset 1: texts to their positions, or positions to texts."""
    texts = text_array(node.strings("classes_strings") or [])
    positions = np.arange(texts.size)
    if from_text:
        return texts, positions, np.asarray(node.integer("default_int64", -1), np.int64)
    return positions, texts, text_array([node.string("default_string", _UNUSED)])


def _list(node: OnnxNode, what: str) -> Array:
    """The keys or values: the one attribute of several that the node has."""
    tensor = node.tensor(f"{what}_tensor")
    if tensor is not None:
        return tensor
    texts = node.strings(f"{what}_strings")
    if texts is not None:
        return text_array(texts)
    integers, reals = node.integers(f"{what}_int64s"), node.reals(f"{what}_floats")
    if integers is not None:
        return np.asarray(integers, np.int64)
    if reals is not None:
        return np.asarray(reals, np.float32)
    raise node.error(f"{what}_tensor, {what}_strings, {what}_int64s and {what}_floats are missing")


def _default(node: OnnxNode, values: Array) -> Array:
    """The default value, one element of the type of the values."""
    tensor = node.tensor("default_tensor")
    if tensor is not None and tensor.size == 1 and tensor.dtype == values.dtype:
        return tensor.ravel()
    if values.dtype.kind == "O":
        return text_array([node.string("default_string", _UNUSED)])
    if values.dtype.kind in "iu":
        return np.asarray([node.integer("default_int64", -1)]).astype(values.dtype)
    return np.asarray([node.real("default_float", -0.0)]).astype(values.dtype)


def text_array(texts: list[str]) -> Array:
    """Texts as a vector of objects."""
    array = np.empty(len(texts), object)
    array[:] = texts
    return array
