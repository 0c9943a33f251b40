"""Dropout, which copies its input but where a run asks for training."""

from __future__ import annotations

import numpy as np

from lite.ir.program import AttrValue
from lite.ir.types import DType
from lite.model_parser.onnx.block_writer import BlockWriter
from lite.model_parser.onnx.node import OnnxNode
from lite.model_parser.onnx.translations import onnx_op


@onnx_op("Dropout")
def dropout(node: OnnxNode, writer: BlockWriter) -> None:
    """`assign`, with a mask of ones as the second output; random where training_mode may be true."""
    source, training = node.input(0), node.optional(2)
    flag = None if training is None else writer.constant(training)
    if training is not None and (flag is None or flag.any()):
        _random_dropout(node, writer, training)
        return
    writer.unary("assign", source, out=node.output())
    mask = node.optional_output(1)
    if mask is not None:
        dtype = DType.BOOL.code if node.opset >= 10 else -1
        writer.unary("fill_any_like", source, {"value": 1.0, "dtype": dtype}, mask)


def _random_dropout(node: OnnxNode, writer: BlockWriter, training: str) -> None:
    """`where`: with training_mode, a share of `ratio` is 0 and the rest is divided by 1 − ratio."""
    source, dtype = node.input(0), writer.dtype(node.input(0))
    ratio = writer.cast(node.optional(1) or writer.weight(np.array(0.5, np.float32), source), DType.FLOAT32)
    numbers = writer.new_name(source)
    attrs: dict[str, AttrValue] = {
        "min": 0.0,
        "max": 1.0,
        "seed": node.integer("seed", 0),
        "dtype": DType.FLOAT32.code,
    }
    writer.emit("uniform_random", {"ShapeTensor": writer.shape_of(source)}, {"Out": numbers}, attrs)
    kept = writer.binary("greater_equal", numbers, ratio)
    mask = node.optional_output(1)
    if mask is not None:
        writer.binary("logical_or", kept, writer.unary("logical_not", training), out=mask)
    share = writer.cast(writer.unary("scale", ratio, {"scale": -1.0, "bias": 1.0}), dtype)
    zero = writer.weight(np.zeros((), dtype.numpy), source)
    inputs = {"Condition": kept, "X": writer.binary("elementwise_div", source, share), "Y": zero}
    scaled = writer.new_name(source)
    writer.emit("where", inputs, {"Out": scaled})
    writer.emit("where", {"Condition": training, "X": scaled, "Y": source}, {"Out": node.output()})
