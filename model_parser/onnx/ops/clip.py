"""ONNX Clip."""

from __future__ import annotations

import math

import numpy as np

from lite.model_parser.onnx.block_writer import BlockWriter
from lite.model_parser.onnx.node import OnnxNode
from lite.model_parser.onnx.registry import onnx_op


@onnx_op("Clip")
def clip(node: OnnxNode, writer: BlockWriter) -> None:
    """Bounds are attributes up to opset 10, then inputs of which either may be absent."""
    source, low, high = node.input(0), node.optional(1), node.optional(2)
    if node.opset < 11:
        bounds = {"min": node.real("min", -math.inf), "max": node.real("max", math.inf)}
        writer.unary("clip", source, bounds, node.output())
        return
    if writer.dtype(source).is_integer or any(b and writer.constant(b) is None for b in (low, high)):
        _one_after_another(node, writer)
        return
    bounds = {"min": _number(writer, low, -math.inf), "max": _number(writer, high, math.inf)}
    writer.unary("clip", source, bounds, node.output())


def _one_after_another(node: OnnxNode, writer: BlockWriter) -> None:
    """Exact for any integer, and for bounds that the model computes."""
    steps = [("elementwise_max", node.optional(1)), ("elementwise_min", node.optional(2))]
    given = [(op, bound) for op, bound in steps if bound]
    if not given:
        writer.unary("assign", node.input(0), out=node.output())
    result = node.input(0)
    for n, (op, bound) in enumerate(given, 1):
        scalar = writer.unary("reshape2", bound, {"shape": [1]}) if writer.rank(bound) != 0 else bound
        result = writer.binary(op, result, scalar, out=node.output() if n == len(given) else None)


def _number(writer: BlockWriter, name: str | None, default: float) -> float:
    array = writer.constant(name) if name else None
    return default if array is None or not array.size else float(np.asarray(array).reshape(-1)[0])
