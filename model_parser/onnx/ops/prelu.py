"""ONNX PRelu."""

from __future__ import annotations

import numpy as np

from lite.ir.types import Shape
from lite.model_parser.onnx.block_writer import BlockWriter
from lite.model_parser.onnx.node import OnnxNode
from lite.model_parser.onnx.registry import onnx_op


@onnx_op("PRelu")
def prelu(node: OnnxNode, writer: BlockWriter) -> None:
    """prelu for one slope or one per channel; else a sum of what is positive and what is not."""
    source, slope = node.input(0), node.input(1)
    mode = _mode(writer.shape(slope), writer.shape(source))
    if mode is not None and writer.dtype(source).is_float:
        writer.emit("prelu", {"X": source, "Alpha": slope}, {"Out": node.output()}, {"mode": mode})
        return
    zero = writer.weight(np.zeros((), writer.dtype(source).numpy), node.output())
    negative = writer.binary("elementwise_min", source, zero)
    scaled = writer.binary("elementwise_mul", negative, slope)
    positive = writer.binary("elementwise_max", source, zero)
    writer.binary("elementwise_add", positive, scaled, out=node.output())


def _mode(slope: Shape | None, source: Shape | None) -> str | None:
    if slope is None or source is None or any(isinstance(dim, str) for dim in slope):
        return None
    if all(dim == 1 for dim in slope):
        return "all"
    leading = len(source) - len(slope)
    padded = (*(1,) * leading, *slope)
    per_channel = len(padded) > 1 and all(dim == 1 for axis, dim in enumerate(padded) if axis != 1)
    return "channel" if per_channel else None
