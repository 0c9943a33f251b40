"""ONNX IsNaN and IsInf."""

from __future__ import annotations

import numpy as np

from lite.model_parser.onnx.block_writer import BlockWriter
from lite.model_parser.onnx.node import OnnxNode
from lite.model_parser.onnx.registry import onnx_op


@onnx_op("IsNaN")
def is_nan(node: OnnxNode, writer: BlockWriter) -> None:
    """isnan_v2."""
    writer.unary("isnan_v2", node.input(0), out=node.output())


@onnx_op("IsInf")
def is_inf(node: OnnxNode, writer: BlockWriter) -> None:
    """isinf_v2, or equality with the one infinity that counts."""
    source = node.input(0)
    signs = [
        sign for sign, attr in ((1, "detect_positive"), (-1, "detect_negative")) if node.integer(attr, 1)
    ]
    if len(signs) == 2:
        writer.unary("isinf_v2", source, out=node.output())
        return
    if not signs:
        writer.unary("fill_any_like", source, {"value": 0.0, "dtype": 0}, node.output())
        return
    infinity = np.array(signs[0] * np.inf).astype(writer.dtype(source).numpy)
    writer.binary("equal", source, writer.weight(infinity, source), out=node.output())
