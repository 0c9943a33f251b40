"""Matrix products and matrix functions."""

from __future__ import annotations

from lite.model_parser.paddle.pir.block_writer import BlockWriter
from lite.model_parser.paddle.pir.node import PirNode
from lite.model_parser.paddle.pir.translations import pir_op, pir_ops

pir_ops(
    {
        "bmm": "bmm X Y -> Out",
        "determinant": "determinant Input -> Out",
        "einsum": "einsum Operands -> Out _ _ | equation",
        "inverse": "inverse Input -> Output",
        "matmul": "matmul_v2 X Y -> Out | transpose_x=trans_x transpose_y=trans_y",
    }
)


@pir_op("addmm")
def addmm(node: PirNode, writer: BlockWriter) -> None:
    """beta · input + alpha · x y."""
    product = writer.new(node.output())
    writer.emit("matmul_v2", {"X": node.input(1), "Y": node.input(2)}, {"Out": product})
    scaled = writer.unary("scale", product, {"scale": node.real("alpha", 1.0)})
    source = writer.unary("scale", node.input(0), {"scale": node.real("beta", 1.0)})
    writer.emit("elementwise_add", {"X": source, "Y": scaled}, {"Out": node.output()})
