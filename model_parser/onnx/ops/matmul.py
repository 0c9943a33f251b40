"""Matrix products: MatMul, Gemm, FusedMatMul, FusedGemm, Einsum; and the determinant."""

from __future__ import annotations

from lite.model_parser.onnx.block_writer import BlockWriter
from lite.model_parser.onnx.fused_activation import fused_activation
from lite.model_parser.onnx.node import OnnxNode
from lite.model_parser.onnx.translations import onnx_op, translate


@onnx_op("MatMul")
def matmul(node: OnnxNode, writer: BlockWriter) -> None:
    """`matmul_v2`."""
    writer.binary("matmul_v2", node.input(0), node.input(1), out=node.output())


@onnx_op("Gemm")
def gemm(node: OnnxNode, writer: BlockWriter) -> None:
    """alpha · A · B + beta · C by `matmul_v2`, `scale` for factors other than 1, and `elementwise_add`."""
    alpha, beta = node.real("alpha", 1.0), node.real("beta", 1.0)
    bias = node.optional(2) if beta else None
    attrs = {"trans_x": bool(node.integer("transA", 0)), "trans_y": bool(node.integer("transB", 0))}
    out = node.output() if bias is None and alpha == 1 else None
    product = writer.binary("matmul_v2", node.input(0), node.input(1), attrs, out)
    if alpha != 1:
        product = writer.unary("scale", product, {"scale": alpha}, None if bias else node.output())
    if bias is not None:
        bias = bias if beta == 1 else writer.unary("scale", bias, {"scale": beta})
        writer.binary("elementwise_add", product, bias, out=node.output())


@onnx_op("com.microsoft.FusedGemm")
def fused_gemm(node: OnnxNode, writer: BlockWriter) -> None:
    """Gemm and an activation."""
    out = writer.new_name(node.output())
    translate(node.as_op("Gemm", node.inputs, [out]), writer)
    numbers = [node.real(f"activation_{name}", default) for name, default in (("alpha", 0.0), ("beta", 0.0))]
    has_numbers = node.has("activation_alpha") or node.has("activation_beta")
    fused_activation(node, writer, out, numbers if has_numbers else [])


@onnx_op("com.microsoft.FusedMatMul", "com.microsoft.TransposeMatMul")
def fused_matmul(node: OnnxNode, writer: BlockWriter) -> None:
    """``alpha · A · B``, either transposed; with transBatch, the first axis moves after the batch axes."""
    first, second = (
        _batch_first(writer, node.input(n)) if node.integer(f"transBatch{name}", 0) else node.input(n)
        for n, name in enumerate("AB")
    )
    attrs = {"trans_x": bool(node.integer("transA", 0)), "trans_y": bool(node.integer("transB", 0))}
    alpha = node.real("alpha", 1.0)
    product = writer.binary("matmul_v2", first, second, attrs, node.output() if alpha == 1 else None)
    if alpha != 1:
        writer.unary("scale", product, {"scale": alpha}, node.output())


def _batch_first(writer: BlockWriter, name: str) -> str:
    """``[rows, batch, …, columns]`` as ``[batch, …, rows, columns]``."""
    rank = writer.known_rank(name)
    return writer.unary("transpose2", name, {"axis": [*range(1, rank - 1), 0, rank - 1]})


@onnx_op("Einsum")
def einsum(node: OnnxNode, writer: BlockWriter) -> None:
    """`einsum`."""
    equation = node.string("equation", "")
    if not equation:
        raise node.error("attribute equation is missing")
    writer.emit("einsum", {"Operands": list(node.inputs)}, {"Out": node.output()}, {"equation": equation})


@onnx_op("Det")
def det(node: OnnxNode, writer: BlockWriter) -> None:
    """`determinant`."""
    writer.emit("determinant", {"Input": node.input(0)}, {"Out": node.output()})
