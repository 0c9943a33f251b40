"""ONNX Transpose."""

from __future__ import annotations

from lite.model_parser.onnx.block_writer import BlockWriter
from lite.model_parser.onnx.node import OnnxNode
from lite.model_parser.onnx.registry import onnx_op


@onnx_op("Transpose")
def transpose(node: OnnxNode, writer: BlockWriter) -> None:
    """Without a permutation, the axes in reverse order."""
    axes = node.integers("perm")
    if axes is None:
        rank = writer.rank(node.input(0))
        if rank is None:
            raise node.error("perm: expected it where the rank of the input is not known")
        axes = list(range(rank))[::-1]
    writer.unary("transpose2", node.input(0), {"axis": [*axes]}, node.output())
