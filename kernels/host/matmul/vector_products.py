"""Products of vectors, Kronecker products, norms of differences and of weights, by numpy."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lite.kernels.host.compute_dtype import widened
from lite.plugin.kernel import Array, kernel


@kernel("kron")
def kron(X: Array, Y: Array) -> Array:
    """Paddle kron: Y scaled by each element of X."""
    return np.kron(X, Y).astype(X.dtype, copy=False)


_FIRST_OF_3 = 9
"""The attribute `dim` of cross where the axis is the first of 3 elements."""


@kernel("cross")
def cross(X: Array, Y: Array, *, dim: int) -> Array:
    """Paddle cross: cross products along an axis of 3 elements."""
    x, y = np.broadcast_arrays(X, Y)
    axis = x.shape.index(3) if dim == _FIRST_OF_3 else dim
    return np.ascontiguousarray(np.cross(x, y, axis=axis))


@kernel("dot")
def dot(X: Array, Y: Array) -> Array:
    """Paddle dot: the sum of products along the last axis."""
    return np.asarray((widened(X) * widened(Y)).sum(-1)).astype(X.dtype, copy=False)


@kernel("mv")
def mv(X: Array, Vec: Array) -> Array:
    """Paddle mv: the product of ``X[m, n]`` and ``Vec[n]``."""
    return np.asarray(widened(X) @ widened(Vec)).astype(X.dtype, copy=False)


@kernel("addmm")
@kernel("baddbmm")
def addmm(Input: Array, X: Array, Y: Array, *, Alpha: float, Beta: float) -> Array:
    """Paddle addmm and baddbmm: Beta · Input + Alpha · X·Y of matrices or batches, where Input broadcasts."""
    product = widened(X) @ widened(Y)
    return np.asarray(Beta * widened(Input) + Alpha * product).astype(X.dtype, copy=False)


@kernel("multi_dot")
def multi_dot(X: list[Array]) -> Array:
    """Paddle multi_dot: the product of matrices; the first and last may be vectors."""
    return np.asarray(np.linalg.multi_dot([widened(x) for x in X])).astype(X[0].dtype, copy=False)


@kernel("frobenius_norm")
def frobenius_norm(X: Array, *, dim: Sequence[int], keep_dim: bool, reduce_all: bool) -> Array:
    """Paddle frobenius_norm: the root of the sum of squares along axes."""
    axes = None if reduce_all else tuple(dim)
    total = np.square(widened(X)).sum(axes, keepdims=keep_dim)
    return np.asarray(np.sqrt(total)).astype(X.dtype, copy=False)


@kernel("reduce_as")
def reduce_as(x: Array, target: Array) -> Array:
    """Paddle reduce_as: the sum of x over the axes along which target would be expanded to it."""
    missing = x.ndim - target.ndim
    axes = [axis + missing for axis, size in enumerate(target.shape) if size != x.shape[axis + missing]]
    total = widened(x).sum((*range(missing), *axes), keepdims=True)
    return np.asarray(total).astype(x.dtype, copy=False).reshape(target.shape)


def _norm(x: Array, p: float, axes: tuple[int, ...] | None = None) -> Array:
    """The p-norm; p may be 0 or infinite."""
    magnitude = np.abs(x)
    if p == np.inf:
        return np.asarray(magnitude.max(axes, keepdims=axes is not None))
    if p == -np.inf:
        return np.asarray(magnitude.min(axes, keepdims=axes is not None))
    if p == 0:
        return np.asarray((magnitude != 0).sum(axes, keepdims=axes is not None))
    return np.asarray((magnitude**p).sum(axes, keepdims=axes is not None) ** (1 / p))


@kernel("dist")
def dist(X: Array, Y: Array, *, p: float) -> Array:
    """Paddle dist: the p-norm of X - Y, a single number."""
    return np.asarray(_norm(widened(X) - widened(Y), p)).astype(X.dtype, copy=False)


@kernel("bilinear_tensor_product")
def bilinear_tensor_product(X: Array, Y: Array, Weight: Array, Bias: Array | None) -> Array:
    """Paddle bilinear_tensor_product: ``x[n] · Weight[i] · y[n]`` for each i, and a bias ``[1, i]``."""
    result = np.einsum("na,iab,nb->ni", widened(X), widened(Weight), widened(Y), optimize=True)
    result = result if Bias is None else result + Bias.reshape(1, -1)
    return np.asarray(result).astype(X.dtype, copy=False)


@kernel("renorm")
def renorm(X: Array, *, p: float, axis: int, max_norm: float) -> Array:
    """Paddle renorm: slices along an axis whose p-norm is above `max_norm` are scaled down to it."""
    x, place = widened(X), axis % X.ndim
    norm = _norm(x, p, tuple(n for n in range(X.ndim) if n != place))
    factor = np.where(norm > max_norm, max_norm / (norm + 1e-7), 1)
    return np.asarray(x * factor).astype(X.dtype, copy=False)


@kernel("spectral_norm")
def spectral_norm(Weight: Array, U: Array, V: Array, *, dim: int, power_iters: int, eps: float) -> Array:
    """Paddle spectral_norm: Weight divided by its largest singular value, with `dim` as rows.

    U and V, whose sizes are those of the rows and columns, are where the power iterations begin.
    """
    matrix = np.moveaxis(widened(Weight), dim, 0).reshape(Weight.shape[dim], -1)
    u, v = widened(U).reshape(-1), widened(V).reshape(-1)
    for _ in range(power_iters):
        v = matrix.T @ u
        v = v / (np.sqrt((v * v).sum()) + eps)
        u = matrix @ v
        u = u / (np.sqrt((u * u).sum()) + eps)
    return np.asarray(Weight / (u @ matrix @ v)).astype(Weight.dtype, copy=False)
