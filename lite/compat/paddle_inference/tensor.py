"""Tensor of ``paddle.inference``: handles of a predictor's inputs and outputs."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from lite.compat.paddle_inference.enums import DataType
from lite.compat.paddle_inference.paddle.tensor import Tensor as EagerTensor
from lite.compat.paddle_inference.paddle.tensor import array_of
from lite.errors import InputError
from lite.ir.types import Array, DType, Lod
from lite.session.handles import InputHandle, OutputHandle


class Tensor:
    """A value outside a predictor, as in the lists that `Predictor.run` takes and returns.

    The handles of a predictor are `InputTensor` and `OutputTensor`.
    """

    def __init__(self, name: str = "", array: Array | None = None, lod: Lod = ()) -> None:
        self._name, self._array, self._lod = name, array, lod

    def name(self) -> str:
        """The variable's name."""
        return self._name

    def shape(self) -> list[int]:
        """The sizes of the axes."""
        return list(self._value().shape)

    def type(self) -> DataType:
        """The element type."""
        return DataType.of(DType.from_numpy(self._value().dtype))

    def lod(self) -> list[list[int]]:
        """The offsets of each LoD level; empty without a LoD."""
        return [list(level) for level in self._lod]

    def set_lod(self, lod: Sequence[Sequence[int]]) -> None:
        """Set the offsets of each LoD level."""
        self._lod = tuple(tuple(level) for level in lod)

    def reshape(self, shape: int | Sequence[int]) -> None:
        """Reshape the array to `shape`, which must have the same number of elements."""
        self._take(self._value().reshape(shape))

    def copy_from_cpu(self, data: Array | list[str]) -> None:
        """Copy `data`, an array or a list of str; raises `InputError` for another type."""
        self._take(_checked(data, "copy_from_cpu").copy())

    def share_external_data(self, data: Array | Tensor | EagerTensor) -> None:
        """Use `data` without a copy; the caller must not change it until the next run has ended."""
        self._take(_checked(array_in(data), "share_external_data"))

    def share_external_data_by_ptr_name(self, *_: object) -> None:
        """Always raises `InputError`: memory of other processes is not mapped."""
        raise InputError(
            "share_external_data_by_ptr_name is not there; use share_external_data with an array"
        )

    def copy_to_cpu(self) -> Array:
        """A copy of the array."""
        return self._value().copy()

    def numpy(self) -> Array:
        """A copy of the array."""
        return self.copy_to_cpu()

    def _value(self) -> Array:
        if self._array is None:
            raise InputError(f"tensor {self._name!r} has no array yet; call copy_from_cpu")
        return self._array

    def _take(self, array: Array) -> None:
        self._array = array


class InputTensor(Tensor):
    """An input of a predictor; its array is kept for all later runs.

    Setting an array of a wrong shape or dtype raises `InputError`.  Dtypes are never converted.
    """

    def __init__(self, handle: InputHandle) -> None:
        super().__init__(handle.name)
        self._handle = handle
        self._shape = [size if isinstance(size, int) else -1 for size in handle.shape or ()]

    def shape(self) -> list[int]:
        """The array's shape.

        Without an array, it is the shape of the last `reshape`, or the model's, with -1 for open sizes.
        """
        return list(self._shape) if self._array is None else super().shape()

    def type(self) -> DataType:
        """The element type that the model declares."""
        return DataType.of(self._handle.dtype or DType.FLOAT32)

    def set_lod(self, lod: Sequence[Sequence[int]]) -> None:
        """Set the offsets of each LoD level, before or after the array."""
        super().set_lod(lod)
        if self._array is not None:
            self._handle.set_lod(self._lod)

    def reshape(self, shape: int | Sequence[int]) -> None:
        """Reshape the array; if the number of elements differs, drop it and set the shape of the next one."""
        self._shape = [shape] if isinstance(shape, int) else list(shape)
        if self._array is not None and self._array.size == math.prod(self._shape):
            super().reshape(shape)
        else:
            self._array = None

    def _take(self, array: Array) -> None:
        self._handle.from_numpy(array)
        self._handle.set_lod(self._lod)
        super()._take(array)


class OutputTensor(Tensor):
    """An output of a predictor's last run; reading it before the first run raises `InputError`."""

    def __init__(self, handle: OutputHandle) -> None:
        super().__init__(handle.name)
        self._handle = handle

    def lod(self) -> list[list[int]]:
        """The offsets of each LoD level; empty without a LoD."""
        return [list(level) for level in self._handle.lod()]

    def set_lod(self, lod: Sequence[Sequence[int]]) -> None:
        """Raises `InputError`: an output is read-only."""
        raise self._read_only()

    def reshape(self, shape: int | Sequence[int]) -> None:
        """Has no effect: the run decides the shape."""

    def _value(self) -> Array:
        return self._handle.numpy()

    def _take(self, array: Array) -> None:
        raise self._read_only()

    def _read_only(self) -> InputError:
        return InputError(f"{self._name!r} is an output of the model, which is read-only")


def array_in(data: Array | Tensor | EagerTensor) -> Array:
    """The array of a handle, of a ``paddle.Tensor``, or the array itself."""
    if isinstance(data, EagerTensor):
        return array_of(data)
    return data._value() if isinstance(data, Tensor) else data


def _checked(data: object, method: str) -> Array:
    if isinstance(data, np.ndarray):
        return data
    if isinstance(data, list) and data and all(isinstance(item, str) for item in data):
        return np.array(data, dtype=object)
    raise InputError(f"{method}: expected a numpy array or a list of str, got {type(data).__name__}")
