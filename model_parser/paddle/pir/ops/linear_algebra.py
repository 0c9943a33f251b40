"""Decompositions, equations, and products other than those of matrices."""

from __future__ import annotations

from lite.errors import ModelParseError
from lite.ir.program import AttrValue
from lite.model_parser.paddle.pir.block_writer import BlockWriter
from lite.model_parser.paddle.pir.node import PirNode
from lite.model_parser.paddle.pir.translations import pir_op, pir_ops
from lite.model_parser.paddle.pir.types import PirType

pir_ops(
    {
        "baddbmm": "baddbmm Input X Y -> Out | alpha=Alpha beta=Beta",
        "bilinear": "bilinear_tensor_product X Y Weight Bias -> Out",
        "cholesky": "cholesky X -> Out | upper",
        "cholesky_solve": "cholesky_solve X Y -> Out | upper",
        "cross": "cross X Y -> Out | axis=dim",
        "det": "determinant Input -> Out",
        "dist": "dist X Y -> Out | p",
        "dot": "dot X Y -> Out",
        "eigh": "eigh X -> Eigenvalues Eigenvectors | UPLO",
        "eigvalsh": "eigvalsh X -> Eigenvalues Eigenvectors | uplo=UPLO",
        "kron": "kron X Y -> Out",
        "lu": "lu X -> Out Pivots Infos | pivot=pivots",
        "matrix_power": "matrix_power X -> Out | n",
        "multi_dot": "multi_dot X -> Out",
        "mv": "mv X Vec -> Out",
        "qr": "qr X -> Q R | mode",
        "reduce_as": "reduce_as x target -> out",
        "renorm": "renorm X -> Out | p axis max_norm",
        "slogdet": "slogdeterminant Input -> Out",
        "solve": "solve X Y -> Out",
        "spectral_norm": "spectral_norm Weight U V -> Out | dim power_iters eps",
        "svd": "svd X -> U S VH | full_matrices",
        "triangular_solve": "triangular_solve X Y -> Out | upper transpose unitriangular",
    }
)


@pir_op("svdvals")
def svdvals(node: PirNode, writer: BlockWriter) -> None:
    """The singular values of `svd`."""
    u, vh = (writer.new(node.input(0), PirType("factor", node.output().type.dtype, None)) for _ in range(2))
    writer.emit("svd", {"X": node.input(0)}, {"U": u, "S": node.output(), "VH": vh})


@pir_op("frobenius_norm")
def frobenius_norm(node: PirNode, writer: BlockWriter) -> None:
    """The root of the sum of squares over axes."""
    axes = node.input(1).integers()
    if axes is None:
        raise ModelParseError("operand 'axis': expected a constant; export the axes as numbers")
    attrs: dict[str, AttrValue] = {"keep_dim": node.boolean("keep_dim", False), "dim": axes}
    if node.boolean("reduce_all", False) or not axes:
        attrs |= {"reduce_all": True, "dim": []}
    writer.emit("frobenius_norm", {"X": node.input(0)}, {"Out": node.output()}, attrs)
