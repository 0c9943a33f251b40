"""Tensor of ``paddlelite.lite``: what inputs and outputs have in common."""

from __future__ import annotations

import abc
import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from lite.compat.paddlelite.enums import PrecisionType, TargetType
from lite.errors import InputError
from lite.ir.types import Array, DType


class Tensor(abc.ABC):
    """An input or output of a predictor."""

    def __init__(self, name: str) -> None:
        self._name = name

    @abc.abstractmethod
    def numpy(self) -> Array:
        """The array itself; raises `InputError` where there is none yet."""

    @abc.abstractmethod
    def from_numpy(self, array: Array, place: TargetType = TargetType.Host) -> None:
        """Take a copy of `array` with its shape; raises `InputError` when it cannot be taken."""

    @abc.abstractmethod
    def resize(self, shape: Sequence[int]) -> None:
        """Set the shape of the elements that come next."""

    @abc.abstractmethod
    def lod(self) -> list[list[int]]:
        """The offsets of each level; empty where there are none."""

    @abc.abstractmethod
    def set_lod(self, lod: Sequence[Sequence[int]]) -> None:
        """Set the offsets of each level."""

    def shape(self) -> list[int]:
        """The sizes of the axes."""
        return list(self.numpy().shape)

    def target(self) -> TargetType:
        """Where the elements lie: always Host."""
        return TargetType.Host

    def precision(self) -> PrecisionType:
        """The element type."""
        return PrecisionType.of(DType.from_numpy(self.numpy().dtype))

    def set_float_data(self, data: ArrayLike, type: TargetType = TargetType.Host) -> None:
        """Take float32 elements in the tensor's shape; raises `InputError` for another number of them."""
        self._set(data, np.float32, type)

    def set_int8_data(self, data: ArrayLike, type: TargetType = TargetType.Host) -> None:
        """Take int8 elements in the tensor's shape; raises `InputError`, also for numbers out of range."""
        self._set(data, np.int8, type)

    def set_uint8_data(self, data: ArrayLike, type: TargetType = TargetType.Host) -> None:
        """Take uint8 elements, like `set_int8_data`."""
        self._set(data, np.uint8, type)

    def set_int32_data(self, data: ArrayLike, type: TargetType = TargetType.Host) -> None:
        """Take int32 elements, like `set_int8_data`."""
        self._set(data, np.int32, type)

    def float_data(self) -> list[float]:
        """All elements in order; raises `InputError` where they are not float32."""
        return [float(element) for element in self._elements(np.float32)]

    def int8_data(self) -> list[int]:
        """All elements in order; raises `InputError` where they are not int8."""
        return [int(element) for element in self._elements(np.int8)]

    def uint8_data(self) -> list[int]:
        """All elements in order; raises `InputError` where they are not uint8."""
        return [int(element) for element in self._elements(np.uint8)]

    def int32_data(self) -> list[int]:
        """All elements in order; raises `InputError` where they are not int32."""
        return [int(element) for element in self._elements(np.int32)]

    def _set(self, data: ArrayLike, dtype: type[np.generic], target: TargetType) -> None:
        elements, shape = self._converted(data, dtype), self.shape()
        if -1 in shape:
            raise InputError(f"{self._name!r} has the shape {shape}; call resize before its elements are set")
        if elements.size != math.prod(shape):
            raise InputError(
                f"{self._name!r}: expected {math.prod(shape)} elements for the shape {shape}, "
                f"got {elements.size}"
            )
        self.from_numpy(elements.reshape(shape), target)

    def _converted(self, data: ArrayLike, dtype: type[np.generic]) -> Array:
        """The numbers as `dtype`; floats may lose digits, integers must be in range."""
        given = np.asarray(data)
        is_float = dtype is np.float32
        if given.size and given.dtype.kind not in ("biuf" if is_float else "biu"):
            raise InputError(
                f"{self._name!r}: expected {np.dtype(dtype)} elements, got {given.dtype}; convert them first"
            )
        elements: Array = given.astype(dtype)
        if not is_float and not np.array_equal(elements, given):
            limits = np.iinfo(elements.dtype)
            raise InputError(
                f"{self._name!r}: expected elements from {limits.min} to {limits.max}, "
                f"got {given.min()} to {given.max()}"
            )
        return elements

    def _elements(self, dtype: type[np.generic]) -> Array:
        array = self.numpy()
        if array.dtype != dtype:
            raise InputError(
                f"{self._name!r} has elements of {array.dtype}, not {np.dtype(dtype)}; read it with numpy()"
            )
        return array.reshape(-1)
