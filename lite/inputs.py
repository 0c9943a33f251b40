"""What a model takes: the check of every array that is fed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lite.errors import GraphError, InputError
from lite.ir.graph import Value
from lite.ir.types import Array, Dim, DType, Shape, shape_text


@dataclass(frozen=True)
class InputSpec:
    """Name, dtype and shape of an input; None where the model does not say.

    `promised` is the user's own `input_shapes` entry, which no fed shape may break.
    """

    name: str
    dtype: DType | None
    shape: Shape | None
    promised: Shape | None = None

    @classmethod
    def of(cls, value: Value, promised: Sequence[Dim] | None) -> InputSpec:
        """The spec of a graph argument."""
        return cls(value.name, value.dtype, value.shape, None if promised is None else tuple(promised))

    @property
    def numpy_dtype(self) -> np.dtype[np.generic]:
        """The dtype that arrays must have; float32 where the model does not say."""
        return (self.dtype or DType.FLOAT32).numpy


def checked_input(spec: InputSpec, array: Array) -> Array:
    """`array` as it will be fed; raises `InputError` naming input, expected and got.

    Lists and numpy scalars become arrays.  Dtypes are never converted: a wrong one is a mistake that
    a conversion would hide.
    """
    if not isinstance(array, np.ndarray):
        array = np.asarray(array, None if spec.dtype is None else spec.dtype.numpy)
    try:
        dtype = DType.from_numpy(array.dtype)
    except GraphError as error:
        raise InputError(f"input {spec.name!r}: {error}") from error
    if spec.dtype is not None and dtype is not spec.dtype:
        raise InputError(
            f"input {spec.name!r}: expected dtype {spec.dtype}, got {dtype}; "
            f"convert it with array.astype({str(spec.dtype)!r})"
        )
    for what, shape in (("input_shapes", spec.promised), ("the model", spec.shape)):
        if shape is not None and not _fits(shape, array.shape):
            raise InputError(
                f"input {spec.name!r}: expected shape {shape_text(shape)} ({what} says), "
                f"got {list(array.shape)}"
            )
    return array


def _fits(expected: Shape, got: tuple[int, ...]) -> bool:
    return len(expected) == len(got) and all(
        isinstance(want, str) or want == have for want, have in zip(expected, got, strict=True)
    )
