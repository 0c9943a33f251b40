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
        "mv": "mv X Vec -> Out",
        "qr": "qr X -> Q R | mode",
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


@pir_op("multi_dot")
def multi_dot(node: PirNode, writer: BlockWriter) -> None:
    """Products of matrices, from the first to the last."""
    first, *others = node.parts(0)
    for n, other in enumerate(others, 1):
        out = (
            node.output()
            if n == len(others)
            else writer.new(first, PirType("product", first.type.dtype, None))
        )
        writer.emit("matmul_v2", {"X": first, "Y": other}, {"Out": out})
        first = out


@pir_op("baddbmm")
def baddbmm(node: PirNode, writer: BlockWriter) -> None:
    """beta · input + alpha · x y of batches."""
    product = writer.new(node.output())
    writer.emit("matmul_v2", {"X": node.input(1), "Y": node.input(2)}, {"Out": product})
    scaled = writer.unary("scale", product, {"scale": node.real("alpha", 1.0)})
    source = writer.unary("scale", node.input(0), {"scale": node.real("beta", 1.0)})
    writer.emit("elementwise_add", {"X": source, "Y": scaled}, {"Out": node.output()})


@pir_op("frobenius_norm")
def frobenius_norm(node: PirNode, writer: BlockWriter) -> None:
    """The root of the sum of squares over axes."""
    axes = node.input(1).integers()
    if axes is None:
        raise ModelParseError("operand 'axis': expected a constant; export the axes as numbers")
    attrs: dict[str, AttrValue] = {"keep_dim": node.boolean("keep_dim", False), "dim": axes}
    if node.boolean("reduce_all", False) or not axes:
        attrs |= {"reduce_all": True, "dim": []}
    squares = writer.unary("square", node.input(0))
    total = writer.new(node.output())
    writer.emit("reduce_sum", {"X": squares}, {"Out": total}, attrs)
    writer.emit("sqrt", {"X": total}, {"Out": node.output()})


@pir_op("reduce_as")
def reduce_as(node: PirNode, writer: BlockWriter) -> None:
    """The sum over the axes along which a tensor of the second operand's shape would be expanded."""
    source, target = node.input(0).shape, node.input(1).shape
    sizes = [dim for dim in target or () if isinstance(dim, int)]
    if (
        source is None
        or target is None
        or len(sizes) < len(target)
        or not all(isinstance(dim, int) for dim in source)
    ):
        raise ModelParseError("expected operands of known shapes; export the model with fixed sizes")
    missing = len(source) - len(target)
    axes = [*range(missing)]
    axes += [axis + missing for axis, dim in enumerate(target) if dim == 1 and source[axis + missing] != 1]
    if not axes:
        writer.emit("assign", {"X": node.input(0)}, {"Out": node.output()})
        return
    total = writer.new(node.output())
    writer.emit("reduce_sum", {"X": node.input(0)}, {"Out": total}, {"dim": axes, "keep_dim": True})
    writer.emit("reshape2", {"X": total}, {"Out": node.output()}, {"shape": sizes})
