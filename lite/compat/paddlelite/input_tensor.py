"""The tensor that an input is fed through."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from lite.compat.paddlelite.enums import PrecisionType, TargetType
from lite.compat.paddlelite.notice import warn_once
from lite.compat.paddlelite.tensor import Tensor
from lite.errors import InputError
from lite.ir.types import Array, DType, Lod
from lite.session.handles import InputHandle

_HOST = (TargetType.Host, TargetType.X86, TargetType.ARM)


class InputTensor(Tensor):
    """An input: what it is given stays for all further runs.

    Element types are never converted: a wrong one raises `InputError`.
    """

    def __init__(self, handle: InputHandle) -> None:
        super().__init__(handle.name)
        self._handle = handle
        self._array: Array | None = None
        self._shape = [size if isinstance(size, int) else -1 for size in handle.shape or ()]
        self._lod: Lod = ()

    def require_elements(self) -> None:
        """Raise `InputError` where the next run has nothing to read, as after `resize`."""
        if self._array is None:
            raise InputError(f"input {self._name!r} of shape {self._shape} has no elements; call from_numpy")

    def numpy(self) -> Array:
        """The array that the next run reads; writing to it changes the input.

        After `resize` its elements are zeros until others are given.
        """
        array = self._array
        if array is None:
            if -1 in self._shape:
                self.require_elements()
            array = np.zeros(self._shape, (self._handle.dtype or DType.FLOAT32).numpy)
            self._take(array)
        return array

    def from_numpy(self, array: Array, place: TargetType = TargetType.Host) -> None:
        """Take a copy of `array` with its shape; raises `InputError` when the model cannot take it."""
        if not isinstance(array, np.ndarray):
            raise InputError(
                f"input {self._name!r}: from_numpy: expected a numpy array, got {type(array).__name__}"
            )
        if place not in _HOST:
            warn_once(f"a tensor on {TargetType(place).name}", "its elements are taken to the host")
        self._take(array.copy(order="C"))

    def resize(self, shape: Sequence[int]) -> None:
        """Set the shape; elements stay where there are as many, otherwise new ones must be given."""
        if self._array is not None and self._array.size == math.prod(shape):
            self._take(self._array.reshape(shape))
        else:
            self._array, self._shape = None, list(shape)

    def shape(self) -> list[int]:
        """The array's shape; before it, what `resize` was given or else the model's, open sizes as -1."""
        return list(self._shape)

    def precision(self) -> PrecisionType:
        """The element type that the model declares."""
        return PrecisionType.of(self._handle.dtype)

    def lod(self) -> list[list[int]]:
        """The offsets of each level; empty where there are none."""
        return [list(level) for level in self._lod]

    def set_lod(self, lod: Sequence[Sequence[int]]) -> None:
        """Set the offsets of each level, before or after the array."""
        self._lod = tuple(tuple(level) for level in lod)
        if self._array is not None:
            self._handle.set_lod(self._lod)

    def _take(self, array: Array) -> None:
        self._handle.from_numpy(array)
        self._handle.set_lod(self._lod)
        self._array, self._shape = array, list(array.shape)
