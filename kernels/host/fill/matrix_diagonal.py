"""Diagonals and triangles of matrices by numpy."""

from __future__ import annotations

import numpy as np

from lite.ir.types import DType
from lite.plugin.kernel import Array, kernel, write


@kernel("diagonal")
def diagonal(Input: Array, *, offset: int, axis1: int, axis2: int, out: Array | None = None) -> Array:
    """Paddle diagonal: the diagonals of matrices on two axes, as the last axis."""
    return write(out, np.diagonal(Input, offset, axis1, axis2).copy())


@kernel("trace")
def trace(Input: Array, *, offset: int, axis1: int, axis2: int) -> Array:
    """Paddle trace: the sums of the diagonals."""
    return np.asarray(np.trace(Input, offset, axis1, axis2)).astype(Input.dtype, copy=False)


@kernel("diag_v2")
def diag(X: Array, *, offset: int, padding_value: float) -> Array:
    """Paddle diag_v2: the diagonal of ``X[n, m]``, or a matrix with the diagonal ``X[n]`` in a padding."""
    if X.ndim == 2:
        return np.diagonal(X, offset).copy()
    vector = X.reshape(-1)
    size = len(vector) + abs(offset)
    result = np.full((size, size), padding_value, X.dtype)
    steps = np.arange(len(vector))
    result[steps + max(-offset, 0), steps + max(offset, 0)] = vector
    return result


@kernel("diag_embed")
def diag_embed(Input: Array, *, offset: int, dim1: int, dim2: int) -> Array:
    """Paddle diag_embed: matrices on the axes `dim1` and `dim2` with the diagonals ``Input[…, n]``."""
    size, steps = Input.shape[-1] + abs(offset), np.arange(Input.shape[-1])
    result = np.zeros((*Input.shape[:-1], size, size), Input.dtype)
    result[..., steps + max(-offset, 0), steps + max(offset, 0)] = Input
    return np.ascontiguousarray(np.moveaxis(result, (-2, -1), (dim1, dim2)))


@kernel("eye")
def eye(*, num_rows: int, num_columns: int, dtype: int, out: Array | None = None) -> Array:
    """Paddle eye: ones on the main diagonal; as many columns as rows where `num_columns` is negative."""
    columns = num_rows if num_columns < 0 else num_columns
    return write(out, np.eye(num_rows, columns, dtype=DType.from_code(dtype).numpy))


@kernel("tril_indices")
def tril_indices(*, rows: int, cols: int, offset: int, dtype: int) -> Array:
    """Paddle tril_indices: ``[2, n]``, rows and columns of a lower triangle, row by row."""
    return np.stack(np.tril_indices(rows, offset, cols)).astype(DType.from_code(dtype).numpy)


@kernel("triu_indices")
def triu_indices(*, row: int, col: int, offset: int, dtype: int) -> Array:
    """Paddle triu_indices: ``[2, n]``, rows and columns of an upper triangle, row by row."""
    return np.stack(np.triu_indices(row, offset, col)).astype(DType.from_code(dtype).numpy)


@kernel("fill_diagonal")
def fill_diagonal(X: Array, *, value: float, offset: int, wrap: bool) -> Array:
    """Paddle fill_diagonal: one value on a diagonal of a matrix, or where all indices are equal.

    With `wrap`, the diagonal of a matrix taller than wide begins again after a row without one.
    """
    result = X.copy()
    if X.ndim > 2:
        steps = np.arange(min(X.shape))
        result[(steps,) * X.ndim] = value
        return result
    rows, columns = X.shape
    places = np.arange(max(-offset, 0) * columns + max(offset, 0), X.size, columns + 1)
    if not wrap:
        places = places[: max(min(rows - max(-offset, 0), columns - max(offset, 0)), 0)]
    result.reshape(-1)[places] = value
    return result


@kernel("fill_diagonal_tensor")
def fill_diagonal_tensor(X: Array, Y: Array, *, offset: int, dim1: int, dim2: int) -> Array:
    """Paddle fill_diagonal_tensor: X with the diagonals on two axes replaced by the last axis of Y."""
    result = X.copy()
    planes = np.moveaxis(result, (dim1, dim2), (-2, -1))
    rows, columns = planes.shape[-2:]
    steps = np.arange(max(min(rows - max(-offset, 0), columns - max(offset, 0)), 0))
    planes[..., steps + max(-offset, 0), steps + max(offset, 0)] = Y
    return result
