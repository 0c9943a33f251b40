"""Tensor of ``paddle.inference``: what a predictor's inputs and outputs are reached through."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from lite.compat.paddle_inference.enums import DataType
from lite.errors import InputError
from lite.ir.types import Array, DType, Lod
from lite.session.handles import InputHandle, OutputHandle


class Tensor:
    """A value outside a predictor, such as `Predictor.run` takes and returns in lists.

    Those that a predictor hands out are `InputTensor` and `OutputTensor`.
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
        """The offsets of each level; empty where there are none."""
        return [list(level) for level in self._lod]

    def set_lod(self, lod: Sequence[Sequence[int]]) -> None:
        """Set the offsets of each level."""
        self._lod = tuple(tuple(level) for level in lod)

    def reshape(self, shape: int | Sequence[int]) -> None:
        """Give the array another shape with as many elements."""
        self._take(self._value().reshape(shape))

    def copy_from_cpu(self, data: Array | list[str]) -> None:
        """Take a copy of `data`; raises `InputError` for anything but an array or a list of str."""
        self._take(_checked(data, "copy_from_cpu").copy())

    def share_external_data(self, data: Array | Tensor) -> None:
        """Take `data` without copying it; it must not be changed until the run that reads it is over."""
        self._take(_checked(data._value() if isinstance(data, Tensor) else data, "share_external_data"))

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
    """An input of a predictor: what it is given stays for all further runs.

    Arrays are checked when they are given: an `InputError` names the input, expected and got.  Dtypes
    are never converted.
    """

    def __init__(self, handle: InputHandle) -> None:
        super().__init__(handle.name)
        self._handle = handle
        self._shape = [size if isinstance(size, int) else -1 for size in handle.shape or ()]

    def shape(self) -> list[int]:
        """The array's shape; before it, what `reshape` was given or else the model's, open sizes as -1."""
        return list(self._shape) if self._array is None else super().shape()

    def type(self) -> DataType:
        """The element type that the model declares."""
        return DataType.of(self._handle.dtype or DType.FLOAT32)

    def set_lod(self, lod: Sequence[Sequence[int]]) -> None:
        """Set the offsets of each level, before or after the array."""
        super().set_lod(lod)
        if self._array is not None:
            self._handle.set_lod(self._lod)

    def reshape(self, shape: int | Sequence[int]) -> None:
        """Reshape the array if it has as many elements; otherwise announce the shape of the next one."""
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
    """An output of a predictor, as of its last run; before it, reading raises `InputError`."""

    def __init__(self, handle: OutputHandle) -> None:
        super().__init__(handle.name)
        self._handle = handle

    def lod(self) -> list[list[int]]:
        """The offsets of each level; empty where there are none."""
        return [list(level) for level in self._handle.lod()]

    def set_lod(self, lod: Sequence[Sequence[int]]) -> None:
        """Raises `InputError`: outputs are read."""
        raise self._read_only()

    def reshape(self, shape: int | Sequence[int]) -> None:
        """Nothing to do: the run decides the shape."""

    def _value(self) -> Array:
        return self._handle.numpy()

    def _take(self, array: Array) -> None:
        raise self._read_only()

    def _read_only(self) -> InputError:
        return InputError(f"{self._name!r} is an output of the model and can only be read")


def to_tensor(data: object, dtype: str | None = None) -> Tensor:
    """``paddle.to_tensor``: a tensor with a copy of `data`; Python's floats become float32."""
    array = np.array(data)
    if dtype is not None:
        array = array.astype(DType.from_name(dtype).numpy)
    elif not isinstance(data, (np.ndarray, np.generic)) and array.dtype == np.float64:
        array = array.astype(np.float32)
    return Tensor("", array)


def _checked(data: object, method: str) -> Array:
    if isinstance(data, np.ndarray):
        return data
    if isinstance(data, list) and data and all(isinstance(text, str) for text in data):
        return np.array(data, dtype=object)
    raise InputError(f"{method}: expected a numpy array or a list of str, got {type(data).__name__}")
