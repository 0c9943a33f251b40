"""Tensor of ``paddlelite.lite``, and the tensors of a predictor's inputs and outputs."""

from __future__ import annotations

import abc
import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from lite.compat.paddlelite.enums import PrecisionType, TargetType
from lite.compat.paddlelite.environment import warn_ignored
from lite.errors import InputError
from lite.ir.types import Array, DType, Lod
from lite.session.handles import InputHandle, OutputHandle

_HOST = (TargetType.Host, TargetType.X86, TargetType.ARM)


class Tensor(abc.ABC):
    """An input or output of a predictor."""

    def __init__(self, name: str) -> None:
        self._name = name

    @abc.abstractmethod
    def numpy(self) -> Array:
        """The array itself, not a copy; raises `InputError` if the tensor has no array yet."""

    @abc.abstractmethod
    def from_numpy(self, array: Array, place: TargetType = TargetType.Host) -> None:
        """Copy `array`; raises `InputError` if the tensor cannot hold it."""

    @abc.abstractmethod
    def resize(self, shape: Sequence[int]) -> None:
        """Set the shape of the next array."""

    @abc.abstractmethod
    def lod(self) -> list[list[int]]:
        """The offsets of each LoD level; empty without a LoD."""

    @abc.abstractmethod
    def set_lod(self, lod: Sequence[Sequence[int]]) -> None:
        """Set the offsets of each LoD level."""

    def shape(self) -> list[int]:
        """The sizes of the axes."""
        return list(self.numpy().shape)

    def target(self) -> TargetType:
        """The memory that holds the elements: always Host."""
        return TargetType.Host

    def precision(self) -> PrecisionType:
        """The element type."""
        return PrecisionType.of(DType.from_numpy(self.numpy().dtype))

    def set_float_data(self, data: ArrayLike, type: TargetType = TargetType.Host) -> None:
        """Set float32 elements in the tensor's shape; raises `InputError` for a wrong number of them."""
        self._set(data, np.float32, type)

    def set_int8_data(self, data: ArrayLike, type: TargetType = TargetType.Host) -> None:
        """Set int8 elements in the tensor's shape; raises `InputError` for a wrong number or value."""
        self._set(data, np.int8, type)

    def set_uint8_data(self, data: ArrayLike, type: TargetType = TargetType.Host) -> None:
        """Set uint8 elements, like `set_int8_data`."""
        self._set(data, np.uint8, type)

    def set_int32_data(self, data: ArrayLike, type: TargetType = TargetType.Host) -> None:
        """Set int32 elements, like `set_int8_data`."""
        self._set(data, np.int32, type)

    def float_data(self) -> list[float]:
        """All elements in order; raises `InputError` if they are not float32."""
        return [float(element) for element in self._elements(np.float32)]

    def int8_data(self) -> list[int]:
        """All elements in order; raises `InputError` if they are not int8."""
        return [int(element) for element in self._elements(np.int8)]

    def uint8_data(self) -> list[int]:
        """All elements in order; raises `InputError` if they are not uint8."""
        return [int(element) for element in self._elements(np.uint8)]

    def int32_data(self) -> list[int]:
        """All elements in order; raises `InputError` if they are not int32."""
        return [int(element) for element in self._elements(np.int32)]

    def _set(self, data: ArrayLike, dtype: type[np.generic], target: TargetType) -> None:
        elements, shape = self._converted(data, dtype), self.shape()
        if -1 in shape:
            raise InputError(f"{self._name!r} has the shape {shape}; call resize before setting its elements")
        if elements.size != math.prod(shape):
            raise InputError(
                f"{self._name!r}: expected {math.prod(shape)} elements for the shape {shape}, "
                f"got {elements.size}"
            )
        self.from_numpy(elements.reshape(shape), target)

    def _converted(self, data: ArrayLike, dtype: type[np.generic]) -> Array:
        """`data` as `dtype`; floats may lose digits, integers must be in range."""
        source = np.asarray(data)
        is_float = dtype is np.float32
        if source.size and source.dtype.kind not in ("biuf" if is_float else "biu"):
            raise InputError(
                f"{self._name!r}: expected {np.dtype(dtype)} elements, got {source.dtype}; convert them first"
            )
        elements: Array = source.astype(dtype)
        if not is_float and not np.array_equal(elements, source):
            limits = np.iinfo(elements.dtype)
            raise InputError(
                f"{self._name!r}: expected elements from {limits.min} to {limits.max}, "
                f"got {source.min()} to {source.max()}"
            )
        return elements

    def _elements(self, dtype: type[np.generic]) -> Array:
        array = self.numpy()
        if array.dtype != dtype:
            raise InputError(
                f"{self._name!r} has elements of {array.dtype}, not {np.dtype(dtype)}; read it with numpy()"
            )
        return array.reshape(-1)


class InputTensor(Tensor):
    """An input of a predictor; its array is kept for all later runs.

    Element types are never converted: a wrong one raises `InputError`.
    """

    def __init__(self, handle: InputHandle) -> None:
        super().__init__(handle.name)
        self._handle = handle
        self._array: Array | None = None
        self._shape = [size if isinstance(size, int) else -1 for size in handle.shape or ()]
        self._lod: Lod = ()

    def require_elements(self) -> None:
        """Raise `InputError` if the tensor has no array for the next run, as after `resize`."""
        if self._array is None:
            raise InputError(f"input {self._name!r} of shape {self._shape} has no elements; call from_numpy")

    def numpy(self) -> Array:
        """The array that the next run reads; writing to it changes the input.

        After `resize` its elements are zero until others are set.
        """
        array = self._array
        if array is None:
            if -1 in self._shape:
                self.require_elements()
            array = np.zeros(self._shape, (self._handle.dtype or DType.FLOAT32).numpy)
            self._take(array)
        return array

    def from_numpy(self, array: Array, place: TargetType = TargetType.Host) -> None:
        """Copy `array`; raises `InputError` if the model does not accept its shape or dtype."""
        if not isinstance(array, np.ndarray):
            raise InputError(
                f"input {self._name!r}: from_numpy: expected a numpy array, got {type(array).__name__}"
            )
        if place not in _HOST:
            warn_ignored(f"a tensor on {TargetType(place).name}", "its elements are copied to the host")
        self._take(array.copy(order="C"))

    def resize(self, shape: Sequence[int]) -> None:
        """Set the shape; if the number of elements changes, new elements must be set."""
        if self._array is not None and self._array.size == math.prod(shape):
            self._take(self._array.reshape(shape))
        else:
            self._array, self._shape = None, list(shape)

    def shape(self) -> list[int]:
        """The array's shape.

        Without an array, it is the shape of the last `resize`, or the model's, with -1 for open sizes.
        """
        return list(self._shape)

    def precision(self) -> PrecisionType:
        """The element type that the model declares."""
        return PrecisionType.of(self._handle.dtype)

    def lod(self) -> list[list[int]]:
        """The offsets of each LoD level; empty without a LoD."""
        return [list(level) for level in self._lod]

    def set_lod(self, lod: Sequence[Sequence[int]]) -> None:
        """Set the offsets of each LoD level, before or after the array."""
        self._lod = tuple(tuple(level) for level in lod)
        if self._array is not None:
            self._handle.set_lod(self._lod)

    def _take(self, array: Array) -> None:
        self._handle.from_numpy(array)
        self._handle.set_lod(self._lod)
        self._array, self._shape = array, list(array.shape)


class OutputTensor(Tensor):
    """An output of a predictor's last run; reading it before the first run raises `InputError`."""

    def __init__(self, handle: OutputHandle) -> None:
        super().__init__(handle.name)
        self._handle = handle

    def numpy(self) -> Array:
        """The array, which belongs to the caller: the next run returns another one."""
        return self._handle.numpy()

    def lod(self) -> list[list[int]]:
        """The offsets of each LoD level; empty without a LoD."""
        return [list(level) for level in self._handle.lod()]

    def resize(self, shape: Sequence[int]) -> None:
        """Has no effect: the run decides the shape."""

    def from_numpy(self, array: Array, place: TargetType = TargetType.Host) -> None:
        """Raises `InputError`: an output is read-only."""
        raise self._read_only()

    def set_lod(self, lod: Sequence[Sequence[int]]) -> None:
        """Raises `InputError`: an output is read-only."""
        raise self._read_only()

    def _read_only(self) -> InputError:
        return InputError(f"{self._name!r} is an output of the model, which is read-only")
