"""Dropout, which copies its input but where a run asks for training."""

from __future__ import annotations

import numpy as np

from lite.ir.program import AttrValue
from lite.ir.types import DType
from lite.model_parser.onnx.block_writer import BlockWriter
from lite.model_parser.onnx.node import OnnxNode
from lite.model_parser.onnx.translations import onnx_op, translate


@onnx_op("Dropout")
def dropout(node: OnnxNode, writer: BlockWriter) -> None:
    """`assign`, with a mask of ones as the second output; random where training_mode is true."""
    training = node.optional(2)
    flag = None if training is None else writer.constant(training)
    if training is not None and flag is None:
        translate(_choice(node, training), writer)
    elif flag is not None and flag.any():
        _random(node, writer)
    else:
        _copy(node, writer)


def _copy(node: OnnxNode, writer: BlockWriter) -> None:
    writer.unary("assign", node.input(0), out=node.output())
    mask = node.optional_output(1)
    if mask is not None:
        dtype = DType.BOOL.code if node.opset >= 10 else -1
        writer.unary("fill_any_like", node.input(0), {"value": 1.0, "dtype": dtype}, mask)


def _random(node: OnnxNode, writer: BlockWriter) -> None:
    """`where`: a share of `ratio`, by default a half, is 0, and the rest is divided by 1 − ratio."""
    source, dtype = node.input(0), writer.dtype(node.input(0))
    ratio = writer.cast(node.optional(1) or writer.weight(np.array(0.5, np.float32), source), DType.FLOAT32)
    numbers, kept = writer.new_name(source), node.optional_output(1) or writer.new_name(source)
    attrs: dict[str, AttrValue] = {
        "min": 0.0,
        "max": 1.0,
        "seed": node.integer("seed", 0),
        "dtype": DType.FLOAT32.code,
    }
    writer.emit("uniform_random", {"ShapeTensor": writer.shape_of(source)}, {"Out": numbers}, attrs)
    writer.binary("greater_equal", numbers, ratio, out=kept)
    share = writer.cast(writer.unary("scale", ratio, {"scale": -1.0, "bias": 1.0}), dtype)
    zero = writer.weight(np.zeros((), dtype.numpy), source)
    inputs = {"Condition": kept, "X": writer.binary("elementwise_div", source, share), "Y": zero}
    writer.emit("where", inputs, {"Out": node.output()})


def _choice(node: OnnxNode, training: str) -> OnnxNode:
    """An If between Dropout with and without a constant training_mode, so that only one draws numbers."""
    # Imported here because the package onnx is slow to import.
    from onnx import TensorProto, helper

    outputs = [f"dropout.{name}" if name else "" for name in node.outputs]
    results = [helper.make_empty_tensor_value_info(name) for name in outputs if name]
    branches = []
    for flags in ([helper.make_tensor("training", TensorProto.BOOL, [], [True])], []):
        inputs = [*node.inputs[:2], *(flag.name for flag in flags)]
        body = helper.make_node("Dropout", inputs, outputs, node.name)
        if node.has("seed"):
            body.attribute.append(helper.make_attribute("seed", node.integer("seed", 0)))
        branches.append(helper.make_graph([body], "dropout", [], results, flags))
    names = [name for name in node.outputs if name]
    choice = helper.make_node(
        "If", [training], names, node.name, then_branch=branches[0], else_branch=branches[1]
    )
    return node.replaced(choice, node.opset)
