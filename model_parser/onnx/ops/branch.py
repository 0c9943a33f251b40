"""ONNX If."""

from __future__ import annotations

from lite.ir.types import DType
from lite.model_parser.onnx.block_writer import BlockWriter
from lite.model_parser.onnx.node import OnnxNode
from lite.model_parser.onnx.registry import onnx_op
from lite.model_parser.onnx.subgraph import Subgraph


@onnx_op("If")
def branch(node: OnnxNode, writer: BlockWriter) -> None:
    """Two conditional blocks, of which one runs, and a choice of its results, as Paddle writes it."""
    condition = writer.unary("reshape2", node.input(0), {"shape": [1]})
    otherwise = writer.unary("logical_not", condition)
    results = [
        _conditional(node, writer, attribute, when)
        for attribute, when in (("else_branch", otherwise), ("then_branch", condition))
    ]
    mask = writer.unary("cast", condition, {"out_dtype": DType.INT32.code})
    for position, either in enumerate(zip(*results, strict=True)):
        out = node.optional_output(position)
        if out is not None:
            writer.emit("select_input", {"X": either, "Mask": mask}, {"Out": out})


def _conditional(node: OnnxNode, writer: BlockWriter, attribute: str, condition: str) -> list[str]:
    body = Subgraph(node, attribute, writer)
    body.write_nodes()
    if len(body.outputs) != len(node.outputs):
        raise node.error(f"{attribute} has {len(body.outputs)} results, the node {len(node.outputs)}")
    outs = [writer.new(name) for name in body.outputs]
    for result, out in zip(body.outputs, outs, strict=True):
        body.copy_out(result, out)
        writer.describe_like(out, result, body.writer)
    writer.run_block("conditional_block", {"Cond": condition}, outs, body.writer.block, scalar=True)
    return outs
