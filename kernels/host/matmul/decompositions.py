"""Decompositions of matrices and solutions of equations by numpy; narrow floats are computed in float32."""

from __future__ import annotations

import numpy as np

from lite.kernels.host.compute_dtype import widened
from lite.plugin.kernel import Array, kernel


def _as_type(result: Array, like: Array) -> Array:
    return np.asarray(result).astype(like.dtype, copy=False)


def _adjoint(x: Array) -> Array:
    return np.swapaxes(x, -1, -2)


@kernel("cholesky")
def cholesky(X: Array, *, upper: bool) -> Array:
    """Paddle cholesky: L with L·Lᵀ = X (`upper`: its transpose) of matrices ``[…, n, n]``."""
    factor = np.linalg.cholesky(widened(X))
    return _as_type(np.ascontiguousarray(_adjoint(factor)) if upper else factor, X)


@kernel("cholesky_solve")
def cholesky_solve(X: Array, Y: Array, *, upper: bool) -> Array:
    """Paddle cholesky_solve: Z with A·Z = X, where Y is the factor of A."""
    factor = widened(np.triu(Y) if upper else np.tril(Y))
    product = _adjoint(factor) @ factor if upper else factor @ _adjoint(factor)
    return _as_type(np.linalg.solve(product, widened(X)), X)


@kernel("qr")
def qr(X: Array, *, mode: str) -> tuple[Array, Array]:
    """Paddle qr: Q and R with Q·R = X; Q is empty for the mode ``r``."""
    q, r = np.linalg.qr(widened(X), "complete" if mode == "complete" else "reduced")
    return np.zeros(0, X.dtype) if mode == "r" else _as_type(q, X), _as_type(r, X)


@kernel("svd")
def svd(X: Array, *, full_matrices: bool) -> tuple[Array, Array, Array]:
    """Paddle svd: U, S and VH with U·diag(S)·VH = X."""
    u, s, vh = np.linalg.svd(widened(X), full_matrices)
    return _as_type(u, X), _as_type(s, X), _as_type(vh, X)


def _eigh(X: Array, *, UPLO: str) -> tuple[Array, Array]:
    """Paddle eigh and eigvalsh: eigenvalues, ascending, and eigenvectors of symmetric matrices."""
    values, vectors = np.linalg.eigh(widened(X), "U" if UPLO == "U" else "L")
    return _as_type(values, X), _as_type(vectors, X)


kernel("eigh")(_eigh)
kernel("eigvalsh")(_eigh)


@kernel("lu")
def lu(X: Array, *, pivots: bool) -> tuple[Array, Array, Array]:
    """Paddle lu: L below and U from the diagonal on, the rows exchanged with each one (from 1), and zeros."""
    result = widened(X).copy()
    batch, (rows, columns) = X.shape[:-2], X.shape[-2:]
    flat, steps = result.reshape(-1, rows, columns), min(rows, columns)
    exchanged = np.empty((len(flat), steps), np.int32)
    for matrix, places in zip(flat, exchanged, strict=True):
        for n in range(steps):
            best = n + int(np.abs(matrix[n:, n]).argmax()) if pivots else n
            places[n] = best + 1
            matrix[[n, best]] = matrix[[best, n]]
            if matrix[n, n]:
                matrix[n + 1 :, n] /= matrix[n, n]
            matrix[n + 1 :, n + 1 :] -= np.outer(matrix[n + 1 :, n], matrix[n, n + 1 :])
    return _as_type(result, X), exchanged.reshape(*batch, steps), np.zeros(batch or (1,), np.int32)


@kernel("slogdeterminant")
def slogdeterminant(Input: Array) -> Array:
    """Paddle slogdeterminant: ``[2, …]``, signs of determinants, and logarithms of their magnitudes."""
    sign, logarithm = np.linalg.slogdet(widened(Input))
    return _as_type(np.stack([sign, logarithm]), Input)


@kernel("solve")
def solve(X: Array, Y: Array) -> Array:
    """Paddle solve: Z with X·Z = Y; Y may be a vector."""
    if Y.ndim == 1:
        return _as_type(np.linalg.solve(widened(X), widened(Y)[:, None])[..., 0], X)
    return _as_type(np.linalg.solve(widened(X), widened(Y)), X)


@kernel("triangular_solve")
def triangular_solve(X: Array, Y: Array, *, upper: bool, transpose: bool, unitriangular: bool) -> Array:
    """Paddle triangular_solve: Z with X·Z = Y, of which only one triangle of X counts."""
    matrix = np.triu(widened(X)) if upper else np.tril(widened(X))
    if unitriangular:
        places = np.arange(matrix.shape[-1])
        matrix[..., places, places] = 1
    return _as_type(np.linalg.solve(_adjoint(matrix) if transpose else matrix, widened(Y)), X)


@kernel("matrix_power")
def matrix_power(X: Array, *, n: int) -> Array:
    """Paddle matrix_power: the n-th power of matrices, of their inverses where n is negative."""
    return _as_type(np.linalg.matrix_power(widened(X), n), X)
