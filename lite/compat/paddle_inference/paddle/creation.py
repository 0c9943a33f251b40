"""Functions of ``paddle`` that make tensors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from lite.compat.paddle_inference.paddle.dtypes import as_dtype
from lite.compat.paddle_inference.paddle.tensor import Tensor, array_of


def full(shape: Sequence[int], fill_value: Any, dtype: object = None, name: str | None = None) -> Tensor:
    """One value everywhere; bool for a bool and float32 for others, unless `dtype` says another."""
    plain = "bool" if isinstance(fill_value, bool) else "float32"
    kind = as_dtype(plain if dtype is None else dtype).of.numpy
    return Tensor(np.full([int(size) for size in shape], fill_value, kind))


def zeros(shape: Sequence[int], dtype: object = None, name: str | None = None) -> Tensor:
    """Zeros, float32 unless `dtype` says another."""
    return full(shape, 0, dtype)


def ones(shape: Sequence[int], dtype: object = None, name: str | None = None) -> Tensor:
    """Ones, float32 unless `dtype` says another."""
    return full(shape, 1, dtype)


def full_like(x: Any, fill_value: Any, dtype: object = None, name: str | None = None) -> Tensor:
    """One value in the shape of `x`."""
    array = array_of(x)
    return full(array.shape, fill_value, array.dtype if dtype is None else dtype)


def zeros_like(x: Any, dtype: object = None, name: str | None = None) -> Tensor:
    """Zeros in the shape of `x`."""
    return full_like(x, 0, dtype)


def ones_like(x: Any, dtype: object = None, name: str | None = None) -> Tensor:
    """Ones in the shape of `x`."""
    return full_like(x, 1, dtype)


def empty(shape: Sequence[int], dtype: object = None, name: str | None = None) -> Tensor:
    """Zeros: no element is left undefined."""
    return full(shape, 0, dtype)


def empty_like(x: Any, dtype: object = None, name: str | None = None) -> Tensor:
    """Zeros in the shape of `x`."""
    return full_like(x, 0, dtype)


def arange(start: Any = 0, end: Any = None, step: Any = 1, dtype: object = None) -> Tensor:
    """Numbers from `start` to below `end`; int64 for integers and float32 for others."""
    begin, stop = (0, start) if end is None else (start, end)
    array = np.arange(begin, stop, step)
    kind = "int64" if array.dtype.kind in "iu" else "float32"
    return Tensor(array.astype(as_dtype(kind if dtype is None else dtype).of.numpy))


def linspace(start: Any, stop: Any, num: Any, dtype: object = None, name: str | None = None) -> Tensor:
    """`num` numbers at equal distances from `start` to `stop`, float32 unless `dtype` says another."""
    kind = as_dtype("float32" if dtype is None else dtype).of.numpy
    return Tensor(np.linspace(float(start), float(stop), int(num)).astype(kind))


def eye(
    num_rows: int, num_columns: int | None = None, dtype: object = None, name: str | None = None
) -> Tensor:
    """Ones on the diagonal, float32 unless `dtype` says another."""
    return Tensor(
        np.eye(num_rows, num_columns, dtype=as_dtype("float32" if dtype is None else dtype).of.numpy)
    )


def tril(x: Any, diagonal: int = 0, name: str | None = None) -> Tensor:
    """The matrices with zeros above a diagonal."""
    return Tensor(np.tril(array_of(x), diagonal))


def triu(x: Any, diagonal: int = 0, name: str | None = None) -> Tensor:
    """The matrices with zeros below a diagonal."""
    return Tensor(np.triu(array_of(x), diagonal))


def meshgrid(*args: Any, name: str | None = None) -> list[Tensor]:
    """The coordinates of a grid; the first vector goes along the first axis."""
    vectors = args[0] if len(args) == 1 and isinstance(args[0], (list, tuple)) else args
    return [Tensor(grid.copy()) for grid in np.meshgrid(*map(array_of, vectors), indexing="ij")]


FUNCTIONS: tuple[Callable[..., object], ...] = (
    full,
    zeros,
    ones,
    full_like,
    zeros_like,
    ones_like,
    empty,
    empty_like,
    arange,
    linspace,
    eye,
    tril,
    triu,
    meshgrid,
)
