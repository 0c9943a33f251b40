"""Ops that write elements at positions: of coordinates, of a range, or at regular distances."""

from __future__ import annotations

import numpy as np

from lite.errors import ModelParseError
from lite.ir.program import AttrValue
from lite.ir.types import DType
from lite.model_parser.tflite.graph_writer import GraphWriter
from lite.model_parser.tflite.node import TfliteNode
from lite.model_parser.tflite.sizes import as_int32, filled, sizes
from lite.model_parser.tflite.translations import tflite_op


@tflite_op("SCATTER_ND")
def scatter_nd(node: TfliteNode, writer: GraphWriter) -> None:
    """`scatter_nd_add` to zeros of a shape that may be computed: repeated coordinates add up.

    Quantised elements are added as integers, as in the interpreter.
    """
    index, updates, shape = (node.input(position) for position in range(3))
    zero = writer.weight("zero", np.zeros(1, updates.dtype.numpy))
    inputs = {
        "X": filled(writer, writer.name(shape), zero, updates.dtype),
        "Index": writer.name(index),
        "Updates": writer.name(updates),
    }
    writer.write(node, "scatter_nd_add", inputs, is_stored=True)


@tflite_op("SPARSE_TO_DENSE")
def sparse_to_dense(node: TfliteNode, writer: GraphWriter) -> None:
    """`scatter_nd_update` of a default value; the indices are a number, a vector, or rows of coordinates."""
    index, shape, values, default = (node.input(position) for position in range(4))
    if index.rank > 2 or values.rank > 1:
        raise ModelParseError(
            f"expected indices of rank 0 to 2 and values of rank 0 or 1, got {index.rank} and {values.rank}"
        )
    rows = writer.name(index)
    if index.rank < 2:
        rows = writer.unary("reshape2", rows, {"shape": [-1, 1]})
    (source, start), is_stored = writer.moved(node, [values, default])
    count = index.shape[0] if index.rank else 1
    if not values.rank and count != 1:
        if not isinstance(count, int):
            raise ModelParseError("a value for indices of unknown number is not supported")
        source = writer.unary("broadcast_to", source, {"shape": [count]})
    elif not values.rank:
        source = writer.unary("reshape2", source, {"shape": [1]})
    dtype = values.dtype if is_stored or values.quantisation is None else DType.FLOAT32
    target = filled(writer, writer.name(shape), start, dtype)
    inputs = {"X": target, "Index": rows, "Updates": source}
    writer.write(node, "scatter_nd_update", inputs, is_stored=is_stored)


@tflite_op("DYNAMIC_UPDATE_SLICE")
def dynamic_update_slice(node: TfliteNode, writer: GraphWriter) -> None:
    """`set_value` from computed positions, which are moved so that the update fits inside."""
    source, update, begin = (node.input(position) for position in range(3))
    if update.rank != source.rank:
        raise ModelParseError(f"expected an update of rank {source.rank}, got rank {update.rank}")
    (operand, values), is_stored = writer.moved(node, [source, update])
    if not source.rank:
        writer.write(node, "assign", {"X": values}, is_stored=is_stored)
        return
    size = sizes(writer, update)
    zero = writer.weight("zero", np.zeros(1, np.int32))
    start = writer.binary("elementwise_max", as_int32(writer, begin), zero)
    last = writer.binary("elementwise_sub", sizes(writer, source), size)
    start = writer.binary("elementwise_min", start, last)
    inputs = {
        "Input": operand,
        "ValueTensor": values,
        "StartsTensorList": _elements(writer, start, source.rank),
        "EndsTensorList": _elements(writer, writer.binary("elementwise_add", start, size), source.rank),
    }
    attrs: dict[str, AttrValue] = {"axes": list(range(source.rank)), "steps": [1] * source.rank}
    writer.write(node, "set_value", inputs, attrs, is_stored=is_stored)


def _elements(writer: GraphWriter, vector: str, count: int) -> list[str]:
    """The elements of a vector, each of shape [1]."""
    parts = [writer.new_name(vector) for _ in range(count)]
    writer.emit("split", {"X": vector}, {"Out": parts}, {"axis": 0, "num": count})
    return parts


@tflite_op("DILATE")
def dilate(node: TfliteNode, writer: GraphWriter) -> None:
    """`set_value` with constant steps: a number of copies of a value between neighbours along each axis."""
    source, steps = node.input(0), node.integers(1)
    known = [size for size in source.shape if isinstance(size, int)]
    if len(known) != source.rank or len(steps) != source.rank or min(steps, default=1) < 1:
        raise ModelParseError(
            f"expected known sizes and a positive step for each axis, got {list(source.shape)} and {steps}"
        )
    (operand, value), is_stored = writer.moved(node, [source, node.input(2)])
    ends = [max((size - 1) * step + 1, 0) for size, step in zip(known, steps, strict=True)]
    shape = writer.weight(f"{node.output().name}.sizes", np.array(ends, np.int32))
    dtype = source.dtype if is_stored or source.quantisation is None else DType.FLOAT32
    target = filled(writer, shape, value, dtype)
    attrs: dict[str, AttrValue] = {
        "axes": list(range(source.rank)),
        "starts": [0] * source.rank,
        "ends": ends,
        "steps": steps,
    }
    writer.write(node, "set_value", {"Input": target, "ValueTensor": operand}, attrs, is_stored=is_stored)
