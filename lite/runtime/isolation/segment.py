"""Segment: memory that two processes share, and tensors in it."""

from __future__ import annotations

import functools
import mmap
import os
import sys
import tempfile
import weakref
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from lite.errors import GraphError
from lite.ir.types import Array, DType

ALIGNMENT = 64
"""Tensors start at multiples of this many bytes, for vector instructions and cache lines."""

_MOST_ARRAYS = 256


class TensorSpec(NamedTuple):
    """Dtype and shape of a tensor, and its offset in a segment, in bytes."""

    dtype: str
    shape: tuple[int, ...]
    offset: int = 0

    @classmethod
    def of(cls, array: Array) -> TensorSpec:
        """The spec of an array; raises `GraphError` for dtypes that no tensor has.

        Also for strings: their elements are references to objects of this process.
        """
        return _spec(array.dtype, array.shape)

    @property
    def nbytes(self) -> int:
        """The size in bytes."""
        count = 1
        for size in self.shape:
            count *= size
        return count * DType.from_name(self.dtype).itemsize


@functools.lru_cache(1024)
def _spec(dtype: np.dtype[Any], shape: tuple[int, ...]) -> TensorSpec:
    found = DType.from_numpy(dtype)
    if found is DType.STRING:
        raise GraphError("strings and other objects cannot be shared with another process")
    return TensorSpec(str(found), tuple(int(size) for size in shape))


@functools.lru_cache(1024)
def lay_out(specs: tuple[TensorSpec, ...], alignment: int = ALIGNMENT) -> tuple[tuple[TensorSpec, ...], int]:
    """The tensors with offsets one after the other, and their total size in bytes."""
    placed = []
    end = 0
    for spec in specs:
        start = -(-end // alignment) * alignment
        placed.append(TensorSpec(spec.dtype, spec.shape, start))
        end = start + spec.nbytes
    return tuple(placed), end


class Segment:
    """Shared memory without a name, which exists while a process has it mapped or open.

    `descriptor` is for the other process; it is closed by `close_descriptor`, or with the segment.
    Arrays of a segment that another process sent are `read_only`.
    """

    def __init__(self, descriptor: int, size: int, *, read_only: bool = False) -> None:
        self.size = size
        self.descriptor = descriptor
        self._read_only = read_only
        self._arrays: dict[TensorSpec, Array] = {}
        self._close = weakref.finalize(self, os.close, descriptor)
        self._map = mmap.mmap(descriptor, size)
        self.whole = self.array(TensorSpec("uint8", (size,)))
        """All bytes."""

    @classmethod
    def create(cls, size: int) -> Segment:
        """A new segment of at least `size` bytes; raises `OSError`."""
        size = max(size, mmap.PAGESIZE)
        descriptor = _anonymous_file()
        try:
            os.ftruncate(descriptor, size)
        except OSError:
            os.close(descriptor)
            raise
        return cls(descriptor, size)

    @classmethod
    def holding(cls, arrays: Sequence[Array]) -> tuple[Segment, tuple[TensorSpec, ...]]:
        """A new segment with copies of these arrays, and their specs; raises `OSError`."""
        specs, size = lay_out(tuple(TensorSpec.of(array) for array in arrays))
        segment = cls.create(size)
        for spec, array in zip(specs, arrays, strict=True):
            np.copyto(segment.array(spec), array)
        return segment, specs

    @property
    def is_sent(self) -> bool:
        """Whether the other process has received it."""
        return not self._close.alive

    def close_descriptor(self) -> None:
        """Close the descriptor; the other process has received its own."""
        self._close()

    def array(self, spec: TensorSpec) -> Array:
        """A tensor of the segment, which stays mapped while the array exists; the same object each time."""
        array = self._arrays.get(spec)
        if array is None:
            if len(self._arrays) >= _MOST_ARRAYS:
                self._arrays.clear()
            dtype = DType.from_name(spec.dtype).numpy
            array = np.ndarray(spec.shape, dtype, buffer=self._map, offset=spec.offset)
            array.flags.writeable = not self._read_only
            self._arrays[spec] = array
        return array


def _anonymous_file() -> int:
    if sys.platform == "linux":
        return os.memfd_create("litebridge", os.MFD_CLOEXEC)
    with tempfile.TemporaryFile() as file:
        return os.dup(file.fileno())


class TensorBuffer:
    """A segment for the tensors of one message at a time, replaced by a larger one when it is too small."""

    def __init__(self) -> None:
        self._segment: Segment | None = None

    def reserve(self, specs: Iterable[TensorSpec], alignment: int = ALIGNMENT) -> Sequence[TensorSpec]:
        """Place the tensors of the next message, over those of the last one.  Raises `OSError`."""
        placed, size = lay_out(tuple(specs), alignment)
        if self._segment is None or self._segment.size < size:
            # Half as much again, so that slowly growing inputs do not replace it each time.
            self._segment = Segment.create(size + size // 2)
        return placed

    def array(self, spec: TensorSpec) -> Array:
        """A tensor that `reserve` placed."""
        assert self._segment is not None, "reserve comes first"
        return self._segment.array(spec)

    def put(self, arrays: Sequence[Array], alignment: int = ALIGNMENT) -> Sequence[TensorSpec]:
        """Copy arrays into the buffer.  Arrays that are views of it are copied before it is overwritten."""
        sources = [array.copy() if self._holds(array) else array for array in arrays]
        specs = self.reserve((TensorSpec.of(array) for array in sources), alignment)
        for spec, source in zip(specs, sources, strict=True):
            np.copyto(self.array(spec), source)
        return specs

    @property
    def unsent(self) -> Segment | None:
        """The segment, if the other process has not received it yet."""
        segment = self._segment
        return None if segment is None or segment.is_sent else segment

    def _holds(self, array: Array) -> bool:
        return self._segment is not None and np.may_share_memory(array, self._segment.whole)
