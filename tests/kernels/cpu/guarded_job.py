"""Compiled functions run on arrays of exactly their declared lengths, between pages without access.

A function that reads or writes an element outside of its declared lengths ends the process with SIGSEGV.
"""

from __future__ import annotations

import ctypes
import functools
import mmap
from collections.abc import Sequence
from typing import Any

import numpy as np

from lite.ir.types import Array
from lite.kernels.cpu.native import function
from lite.kernels.cpu.native.job import FREE, Job, dtype_of
from lite.kernels.cpu.native.packed_arguments import ANY_TYPE, SCALARS, SCRATCH
from lite.plugin.kernel import Scratch

_WRITTEN = "wmscdjz"


def guarded(length: int, dtype: Any, *, at_end: bool) -> Array:
    """Zeros that end where a page without access begins, or begin where one ends."""
    page = mmap.PAGESIZE
    size = length * np.dtype(dtype).itemsize
    inner = max(-(-size // page), 1) * page
    memory = mmap.mmap(-1, inner + 2 * page)
    start = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    for place in (start, start + page + inner):
        assert not _libc().mprotect(ctypes.c_void_p(place), ctypes.c_size_t(page), 0)
    offset = page + (inner - size if at_end else 0)
    return np.frombuffer(memory, dtype, length, offset)


def guarded_copy(array: Array) -> Array:
    """A copy of an array that ends where a page without access begins; objects cannot be guarded."""
    if array.dtype.hasobject:
        return array
    copy = guarded(array.size, array.dtype, at_end=True).reshape(array.shape)
    copy[...] = array
    return copy


class _Unrecorded(Job):
    """A job whose launches are not recorded: its arrays are those of one run."""

    def _record(self, *_: object) -> bool:
        return False


class GuardedJob(Job):
    """A job that runs on copies of its arrays, at the end and then at the begin of guarded memory.

    The results are copied back.  Launches are not recorded, so the runtime joins no steps.
    """

    def __init__(self, name: str, parameters: Sequence[str], lengths: Any, *rest: Any) -> None:
        super().__init__(name, parameters, lengths, *rest)
        address, arguments, count, cost, grain = rest
        known = (None if isinstance(each, Scratch) or each is FREE else each for each in arguments)
        least = iter(lengths(*known, count))
        self.name, self.kinds, self.arguments = name, parameters, arguments
        self.least = [0 if kind in SCALARS else next(least) for kind in parameters]
        self.rest = lengths, address, count, cost, grain

    def __call__(self, *arrays: Array) -> None:
        free = iter(arrays)
        originals = [next(free) if each is FREE else each for each in self.arguments]
        # Results may use the memory of operands.
        contents = [
            _content(each, kind) if isinstance(each, np.ndarray) else None
            for each, kind in zip(originals, self.kinds, strict=True)
        ]
        for array, length in zip(contents, self.least, strict=True):
            if array is not None and len(array) < length:
                super().__call__(*arrays)  # which refuses it
        for at_end in (True, False):
            self._replay(originals, contents, at_end=at_end)

    def examine(self, arguments: Sequence[Any]) -> None:
        """Called with the guarded arguments before each run."""

    def job(self, arguments: Sequence[Any]) -> Job:
        """A job of the same function with other arguments, unguarded."""
        lengths, *rest = self.rest
        return _Unrecorded(self.name, self.kinds, lengths, rest[0], arguments, *rest[1:])

    def _replay(self, originals: Sequence[Any], contents: Sequence[Any], *, at_end: bool) -> None:
        arguments, written = list(originals), []
        for n, (kind, original, length) in enumerate(zip(self.kinds, originals, self.least, strict=True)):
            if kind in SCALARS or original is None:
                continue
            dtype = dtype_of(kind)
            if isinstance(original, Scratch):
                # Work items may run in two rows of scratch memory.
                rows = original.shape[0] if kind in SCRATCH else 1
                arguments[n] = Scratch((rows, length), np.dtype(dtype))
                arguments[n].array = guarded(rows * length, dtype, at_end=at_end)
                continue
            arguments[n] = guarded(length, dtype, at_end=at_end)
            arguments[n][:] = contents[n][:length]
            if kind in _WRITTEN:
                written.append((arguments[n], original))
        self.examine(arguments)
        self.job(arguments)()
        for array, original in written:
            flat = original.reshape(-1)
            (flat if flat.dtype == array.dtype else flat.view(array.dtype))[: len(array)] = array


def _content(array: Array, kind: str) -> Array:
    """A flat copy, of bytes where a function takes elements of any type."""
    flat = np.array(array, order="C").reshape(-1)
    return flat.view(np.uint8) if kind in ANY_TYPE else flat


def guard_jobs(kind: type[GuardedJob] = GuardedJob) -> None:
    """Replace the class of all jobs that are bound from now on."""
    function.Job = kind  # type: ignore[attr-defined]


@functools.cache
def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)
