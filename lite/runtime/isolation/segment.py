"""Memory that two processes share, and tensors in it."""

from __future__ import annotations

import mmap
import os
import sys
import tempfile
import weakref
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from lite.errors import GraphError
from lite.ir.types import Array, DType

ALIGNMENT = 64
"""Where tensors begin: what vector instructions and caches like."""


@dataclass(frozen=True)
class TensorSpec:
    """Element type and shape of a tensor, and at which byte of a segment it begins.

    Raises `GraphError` for strings: their elements are references, which mean nothing elsewhere.
    """

    dtype: str
    shape: tuple[int, ...]
    offset: int = 0

    def __post_init__(self) -> None:
        if self.dtype == str(DType.STRING):
            raise GraphError("strings and other objects cannot be shared with another process")

    @classmethod
    def of(cls, array: Array) -> TensorSpec:
        """That of an array; raises `GraphError` for element types that no tensor has."""
        return cls(str(DType.from_numpy(array.dtype)), tuple(int(size) for size in array.shape))

    @property
    def nbytes(self) -> int:
        """How many bytes it takes."""
        count = 1
        for size in self.shape:
            count *= size
        return count * DType.from_name(self.dtype).itemsize


def placed(specs: Iterable[TensorSpec], alignment: int = ALIGNMENT) -> tuple[list[TensorSpec], int]:
    """The tensors one behind the other, and the bytes that they take together."""
    found = []
    end = 0
    for spec in specs:
        start = -(-end // alignment) * alignment
        found.append(TensorSpec(spec.dtype, spec.shape, start))
        end = start + spec.nbytes
    return found, end


class Segment:
    """Shared memory without a name: it lives while a process has it mapped or open.

    `descriptor` is what the other process needs; it is closed by `sent`, or with the segment.
    """

    def __init__(self, descriptor: int, size: int) -> None:
        self.size = size
        self.descriptor = descriptor
        self._close = weakref.finalize(self, os.close, descriptor)
        self._map = mmap.mmap(descriptor, size)

    @classmethod
    def create(cls, size: int) -> Segment:
        """New memory of at least `size` bytes; raises `OSError`."""
        size = max(size, mmap.PAGESIZE)
        descriptor = _anonymous_file()
        try:
            os.ftruncate(descriptor, size)
        except OSError:
            os.close(descriptor)
            raise
        return cls(descriptor, size)

    @classmethod
    def holding(cls, arrays: Sequence[Array]) -> tuple[Segment, list[TensorSpec]]:
        """New memory with copies of these arrays, and where they lie; raises `OSError`."""
        specs, size = placed(TensorSpec.of(array) for array in arrays)
        segment = cls.create(size)
        for spec, array in zip(specs, arrays, strict=True):
            np.copyto(segment.array(spec), array)
        return segment, specs

    @property
    def is_sent(self) -> bool:
        """Whether the other process has it."""
        return not self._close.alive

    def sent(self) -> None:
        """Close the descriptor: the other process has its own now."""
        self._close()

    def array(self, spec: TensorSpec) -> Array:
        """A tensor of the segment, which stays mapped as long as the array lives."""
        dtype = DType.from_name(spec.dtype).numpy
        return np.ndarray(spec.shape, dtype, buffer=self._map, offset=spec.offset)


def _anonymous_file() -> int:
    if sys.platform == "linux":
        return os.memfd_create("litebridge", os.MFD_CLOEXEC)
    with tempfile.TemporaryFile() as file:
        return os.dup(file.fileno())


class Box:
    """A segment that is used for one message after the other, and replaced when it gets too small."""

    def __init__(self) -> None:
        self._segment: Segment | None = None

    def reserve(self, specs: Iterable[TensorSpec], alignment: int = ALIGNMENT) -> list[TensorSpec]:
        """Where these tensors go; what was there before is gone.  Raises `OSError` without memory."""
        found, size = placed(specs, alignment)
        if self._segment is None or self._segment.size < size:
            # Half as much again, so that slowly growing inputs do not replace it each time.
            self._segment = Segment.create(size + size // 2)
        return found

    def array(self, spec: TensorSpec) -> Array:
        """A tensor that `reserve` placed, to be written."""
        assert self._segment is not None, "nothing was reserved yet"
        return self._segment.array(spec)

    def put(self, arrays: Sequence[Array], alignment: int = ALIGNMENT) -> list[TensorSpec]:
        """Copy arrays into the box; those that lie there already are not moved over each other."""
        sources = [array.copy() if self._holds(array) else array for array in arrays]
        specs = self.reserve((TensorSpec.of(array) for array in sources), alignment)
        for spec, source in zip(specs, sources, strict=True):
            np.copyto(self.array(spec), source)
        return specs

    @property
    def unsent(self) -> Segment | None:
        """The segment, if the other process does not have it yet."""
        segment = self._segment
        return None if segment is None or segment.is_sent else segment

    def _holds(self, array: Array) -> bool:
        if self._segment is None:
            return False
        whole = self._segment.array(TensorSpec("uint8", (self._segment.size,)))
        return np.may_share_memory(array, whole)
