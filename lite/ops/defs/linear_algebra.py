"""Decompositions of matrices, equations, and products other than those of matrices."""

from __future__ import annotations

from lite.ir.types import UNKNOWN, Dim, DType
from lite.ops.attrs import choice, ints
from lite.ops.broadcast import broadcast_right
from lite.ops.rules import same_as
from lite.ops.schema import op
from lite.ops.view import Inferred, Meta, OpView


def _least(rows: Dim, columns: Dim) -> Dim:
    return min(rows, columns) if isinstance(rows, int) and isinstance(columns, int) else UNKNOWN


def _qr(op: OpView) -> Inferred:
    x = op["X"]
    *batch, rows, columns = x.dims
    inner = rows if op.text("mode") == "complete" else _least(rows, columns)
    q = (0,) if op.text("mode") == "r" else (*batch, rows, inner)
    return {"Q": Meta(x.dtype, q), "R": Meta(x.dtype, (*batch, inner, columns))}


def _svd(op: OpView) -> Inferred:
    x = op["X"]
    *batch, rows, columns = x.dims
    inner = _least(rows, columns)
    full = op.flag("full_matrices")
    return {
        "U": Meta(x.dtype, (*batch, rows, rows if full else inner)),
        "S": Meta(x.dtype, (*batch, inner)),
        "VH": Meta(x.dtype, (*batch, columns if full else inner, columns)),
    }


def _eigh(op: OpView) -> Inferred:
    x = op["X"]
    return {"Eigenvalues": Meta(x.dtype, x.dims[:-1]), "Eigenvectors": Meta(x.dtype, x.shape)}


def _lu(op: OpView) -> Inferred:
    x = op["X"]
    *batch, rows, columns = x.dims
    pivots = Meta(DType.INT32, (*batch, _least(rows, columns)))
    return {"Out": Meta(x.dtype, x.shape), "Pivots": pivots, "Infos": Meta(DType.INT32, tuple(batch) or (1,))}


def _slogdeterminant(op: OpView) -> Meta:
    return Meta(op["Input"].dtype, (2, *op["Input"].dims[:-2]))


def _solve(op: OpView) -> Meta:
    x, y = op["X"], op["Y"]
    if y.rank == 1:
        return Meta(x.dtype, x.dims[:-1])
    return Meta(x.dtype, (*broadcast_right(op, x.dims[:-2], y.dims[:-2]), *y.dims[-2:]))


def _solve_factor(op: OpView) -> Meta:
    x, y = op["X"], op["Y"]
    return Meta(x.dtype, (*broadcast_right(op, x.dims[:-2], y.dims[:-2]), *x.dims[-2:]))


def _kron(op: OpView) -> Meta:
    x, y = op["X"].dims, op["Y"].dims
    rank = max(len(x), len(y))
    pairs = zip((1,) * (rank - len(x)) + x, (1,) * (rank - len(y)) + y, strict=True)
    sizes = (a * b if isinstance(a, int) and isinstance(b, int) else UNKNOWN for a, b in pairs)
    return Meta(op["X"].dtype, tuple(sizes))


def _cross(op: OpView) -> Meta:
    return Meta(op["X"].dtype, broadcast_right(op, op["X"].dims, op["Y"].dims))


def _dot(op: OpView) -> Meta:
    return Meta(op["X"].dtype, op["X"].dims[:-1])


def _scalar(op: OpView) -> Meta:
    return Meta(op["X"].dtype, ())


def _sum_with_product(op: OpView) -> Meta:
    x, y = op["X"].dims, op["Y"].dims
    return Meta(op["X"].dtype, (*x[:-1], y[-1]))


def _chain(op: OpView) -> Meta:
    first, last = op.all("X")[0], op.all("X")[-1]
    rows = first.dims[:-1] if first.rank > 1 else ()
    return Meta(first.dtype, (*rows, *(last.dims[1:] if last.rank > 1 else ())))


def _frobenius(op: OpView) -> Meta:
    x = op["X"]
    axes = set(range(x.rank)) if op.flag("reduce_all") else {x.axis(axis) for axis in op.integers("dim")}
    kept = [1 if axis in axes else dim for axis, dim in enumerate(x.dims)]
    dims = kept if op.flag("keep_dim") else [dim for axis, dim in enumerate(x.dims) if axis not in axes]
    return Meta(x.dtype, tuple(dims))


def _bilinear(op: OpView) -> Meta:
    return Meta(op["X"].dtype, (op["X"].dims[0], op["Weight"].dims[0]))


op(
    "cholesky",
    "A triangular factor of positive definite matrices.",
    "X:float/2-",
    "Out",
    same_as("X"),
    attrs={"upper": False},
)
op(
    "cholesky_solve",
    "Solutions of A·Z = X, where Y is the Cholesky factor of A.",
    "X:float/2- Y:float/2-",
    "Out",
    _solve_factor,
    attrs={"upper": False},
)
op(
    "qr",
    "An orthogonal and an upper triangular factor.",
    "X:float/2-",
    "Q R",
    _qr,
    attrs={"mode": choice("reduced", "complete", "r")},
)
op("svd", "Singular value decomposition.", "X:float/2-", "U S VH", _svd, attrs={"full_matrices": False})
for _name, _uplo in (("eigh", "UPLO"), ("eigvalsh", "UPLO")):
    op(
        _name,
        "Eigenvalues and eigenvectors of symmetric matrices.",
        "X:float/2-",
        "Eigenvalues Eigenvectors?",
        _eigh,
        attrs={_uplo: "L"},
    )
op(
    "lu",
    "Triangular factors in one matrix, and the rows that were exchanged, from 1.",
    "X:float/2-",
    "Out Pivots Infos?",
    _lu,
    attrs={"pivots": True},
)
op(
    "slogdeterminant",
    "Signs of determinants, and logarithms of their magnitudes.",
    "Input:float/2-",
    "Out",
    _slogdeterminant,
)
op("solve", "Solutions of X·Z = Y.", "X:float/2- Y:float/1-", "Out", _solve)
op(
    "triangular_solve",
    "Solutions of X·Z = Y for triangular X.",
    "X:float/2- Y:float/2-",
    "Out",
    _solve,
    attrs={"upper": True, "transpose": False, "unitriangular": False},
)
op("matrix_power", "Powers of square matrices.", "X:float/2-", "Out", same_as("X"), attrs={"n": 1})
op("kron", "Kronecker product.", "X:number Y:number", "Out", _kron)
op(
    "cross",
    "Cross products of vectors of 3 numbers along an axis.",
    "X:number Y:number",
    "Out",
    _cross,
    attrs={"dim": 9},
)
op("dot", "Products of vectors on the last axis.", "X:number/1-2 Y:number/1-2", "Out", _dot)
op("mv", "Product of a matrix and a vector.", "X:float/2 Vec:float/1", "Out", _dot)
op("dist", "The p-norm of X - Y.", "X:float Y:float", "Out", _scalar, attrs={"p": 2.0})
op(
    "bilinear_tensor_product",
    "x · Weight[i] · y for each i, and a bias.",
    "X:float/2 Y:float/2 Weight:float/3 Bias?:float",
    "Out",
    _bilinear,
)
op(
    "renorm",
    "X with slices along an axis scaled down to a p-norm of at most max_norm.",
    "X:float",
    "Out",
    same_as("X"),
    attrs={"p": 2.0, "axis": 0, "max_norm": 1.0},
)
op(
    "spectral_norm",
    "Weight divided by its largest singular value, by power iterations from U and V.",
    "Weight:float U:float V:float",
    "Out",
    same_as("Weight"),
    attrs={"dim": 0, "power_iters": 1, "eps": 1e-12},
)
for _name, _rank in (("addmm", 2), ("baddbmm", 3)):
    op(
        _name,
        "Beta · Input + Alpha · X·Y, where Input broadcasts.",
        f"Input:float X:float/{_rank} Y:float/{_rank}",
        "Out",
        _sum_with_product,
        attrs={"Alpha": 1.0, "Beta": 1.0},
    )
op("multi_dot", "Product of matrices, the first and last of which may be vectors.", "X*:float", "Out", _chain)
op(
    "frobenius_norm",
    "The root of the sum of squares along axes.",
    "X:float",
    "Out",
    _frobenius,
    attrs={"dim": ints(-1), "keep_dim": False, "reduce_all": False},
)
op(
    "reduce_as",
    "The sum over the axes along which target would be expanded.",
    "x:number target",
    "out",
    same_as("target"),
)
