"""ONNX matrix products: MatMul, Gemm, MatMulInteger, QLinearMatMul, Einsum, and Det."""

from __future__ import annotations

from lite.ir.types import DType
from lite.model_parser.onnx.block_writer import BlockWriter
from lite.model_parser.onnx.node import OnnxNode
from lite.model_parser.onnx.registry import onnx_op


@onnx_op("MatMul")
def matmul(node: OnnxNode, writer: BlockWriter) -> None:
    """matmul_v2."""
    writer.binary("matmul_v2", node.input(0), node.input(1), out=node.output())


@onnx_op("Gemm")
def gemm(node: OnnxNode, writer: BlockWriter) -> None:
    """alpha · A · B + beta · C as a product, scales where they are not 1, and a sum."""
    alpha, beta = node.real("alpha", 1.0), node.real("beta", 1.0)
    bias = node.optional(2) if beta else None
    attrs = {"trans_x": bool(node.integer("transA", 0)), "trans_y": bool(node.integer("transB", 0))}
    last = bias is None and alpha == 1
    product = writer.binary("matmul_v2", node.input(0), node.input(1), attrs, node.output() if last else None)
    if alpha != 1:
        product = writer.unary("scale", product, {"scale": alpha}, None if bias else node.output())
    if bias is not None:
        bias = bias if beta == 1 else writer.unary("scale", bias, {"scale": beta})
        writer.binary("elementwise_add", product, bias, out=node.output())


@onnx_op("MatMulInteger")
def matmul_integer(node: OnnxNode, writer: BlockWriter) -> None:
    """The product of what is left after the zero points, as int32."""
    first = centred(writer, node.input(0), node.optional(2), rows=True)
    second = centred(writer, node.input(1), node.optional(3), rows=False)
    product = writer.binary("matmul_v2", first, second)
    writer.unary("cast", product, {"out_dtype": DType.INT32.code}, node.output())


@onnx_op("QLinearMatMul")
def qlinear_matmul(node: OnnxNode, writer: BlockWriter) -> None:
    """The whole-number product times the scales of A and B, quantised by the scale of the result."""
    first = centred(writer, node.input(0), node.optional(2), rows=True)
    second = centred(writer, node.input(3), node.optional(5), rows=False)
    product = writer.binary("matmul_v2", first, second)
    for name, rows in ((node.input(1), True), (node.input(4), False)):
        scale = _per_row(writer, name) if rows else name
        wide = writer.unary("cast", scale, {"out_dtype": DType.FLOAT64.code})
        product = writer.binary("elementwise_mul", product, wide)
    writer.emit(
        "affine_quantize",
        {"X": product, "Scale": node.input(6), "ZeroPoint": node.input(7)},
        {"Out": node.output()},
        {"dtype": writer.dtype(node.input(7)).code},
    )


@onnx_op("Einsum")
def einsum(node: OnnxNode, writer: BlockWriter) -> None:
    """einsum of the same equation."""
    equation = node.text("equation", "")
    if not equation:
        raise node.error("attribute equation is missing")
    writer.emit("einsum", {"Operands": list(node.inputs)}, {"Out": node.output()}, {"equation": equation})


@onnx_op("Det")
def det(node: OnnxNode, writer: BlockWriter) -> None:
    """determinant."""
    writer.emit("determinant", {"Input": node.input(0)}, {"Out": node.output()})


def centred(writer: BlockWriter, name: str, zero_point: str | None, *, rows: bool) -> str:
    """A quantised matrix less its zero point, as float64, in which its products and sums are exact.

    A vector of zero points has one for each row, or else for each column.
    """
    wide = {"out_dtype": DType.FLOAT64.code}
    matrix = writer.unary("cast", name, wide)
    if zero_point is None:
        return matrix
    zero_point = _per_row(writer, zero_point) if rows else zero_point
    return writer.binary("elementwise_sub", matrix, writer.unary("cast", zero_point, wide))


def _per_row(writer: BlockWriter, name: str) -> str:
    return writer.unary("unsqueeze2", name, {"axes": [1]}) if writer.rank(name) == 1 else name
