"""Reductions of rows that have the same segment number."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from lite.errors import ModelParseError
from lite.ir.program import AttrValue
from lite.ir.types import DType
from lite.model_parser.tflite.graph_writer import GraphWriter
from lite.model_parser.tflite.node import TfliteNode
from lite.model_parser.tflite.sizes import as_int32, filled, joined, sizes
from lite.model_parser.tflite.tensors import Tensor
from lite.model_parser.tflite.translations import tflite_op

_LEAST = {DType.FLOAT32: float(np.finfo(np.float32).min), DType.INT32: int(np.iinfo(np.int32).min)}
_GREATEST = {DType.FLOAT32: float(np.finfo(np.float32).max), DType.INT32: int(np.iinfo(np.int32).max)}

_KINDS: dict[str, tuple[str, dict[str, AttrValue], Mapping[DType, float]]] = {
    "UNSORTED_SEGMENT_MAX": ("scatter_nd_update", {"reduction": "amax"}, _LEAST),
    "UNSORTED_SEGMENT_MIN": ("scatter_nd_update", {"reduction": "amin"}, _GREATEST),
    "UNSORTED_SEGMENT_PROD": ("scatter_nd_update", {"reduction": "multiply"}, dict.fromkeys(_LEAST, 1)),
    "UNSORTED_SEGMENT_SUM": ("scatter_nd_add", {}, dict.fromkeys(_LEAST, 0)),
}
"""TFLite op → op, its attributes, and the element of a segment without rows."""


@tflite_op("SEGMENT_SUM")
def segment_sum(node: TfliteNode, writer: GraphWriter) -> None:
    """`scatter_nd_add` to as many rows of zeros as the greatest segment number says."""
    data, segments = _rows(node)
    numbers = writer.name(segments)
    last = writer.unary("reduce_max", as_int32(writer, segments), {"dim": [0], "keep_dim": True})
    count = writer.binary("elementwise_add", last, writer.weight("one", np.ones(1, np.int32)))
    start = writer.weight("start", np.zeros(1, data.dtype.numpy))
    inputs = {
        "X": filled(writer, joined(writer, count, sizes(writer, data, 1)), start, data.dtype),
        "Index": writer.unary("unsqueeze2", numbers, {"axes": [-1]}),
        "Updates": writer.name(data),
    }
    writer.write(node, "scatter_nd_add", inputs)


@tflite_op(*_KINDS)
def unsorted_segment(node: TfliteNode, writer: GraphWriter) -> None:
    """The op that `_KINDS` names; rows of negative segments go to one more row, which is cut off."""
    op, attrs, starts = _KINDS[node.op]
    data, segments = _rows(node)
    count = writer.unary("reshape2", as_int32(writer, node.input(2)), {"shape": [1]})
    one, zero = (writer.weight("number", np.array([number], np.int32)) for number in (1, 0))
    numbers = as_int32(writer, segments)
    chosen = writer.new_name(numbers)
    conditions = {"Condition": writer.binary("less_than", numbers, zero), "X": count, "Y": numbers}
    writer.emit("where", conditions, {"Out": chosen})
    rows = joined(writer, writer.binary("elementwise_add", count, one), sizes(writer, data, segments.rank))
    start = np.array([starts[data.dtype]], data.dtype.numpy)
    inputs = {
        "X": filled(writer, rows, writer.weight("start", start), data.dtype),
        "Index": writer.unary("unsqueeze2", chosen, {"axes": [-1]}),
        "Updates": writer.name(data),
    }
    total = writer.new_name(node.output().name)
    writer.emit(op, inputs, {"Out": total}, attrs)
    ranges: dict[str, AttrValue] = {"axes": [0], "starts": [0], "ends": [-1]}
    writer.write(node, "slice", {"Input": total}, ranges)


def _rows(node: TfliteNode) -> tuple[Tensor, Tensor]:
    """The rows and their segment numbers, whose sizes are the first ones of the rows."""
    data, segments = node.input(0), node.input(1)
    if not 1 <= segments.rank <= data.rank:
        raise ModelParseError(f"expected segment numbers of rank 1 to {data.rank}, got rank {segments.rank}")
    if data.dtype not in _LEAST or data.quantisation is not None:
        raise ModelParseError(f"expected rows of float32 or int32 that are not quantised, got {data.dtype}")
    return data, segments
