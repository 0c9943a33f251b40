"""A pytest plug-in: compiled functions run on arrays of exactly their declared lengths, between guard pages.

Each job runs twice more than it would: on arrays that end where a page without access begins, and on arrays
that begin where one ends.  A function that reads or writes an element outside of its declared lengths ends
the process with SIGSEGV.  Arrays that are one element too short must be refused.  At the end, the names of
all functions that ran are written to the file named by `COVERED`.
"""

from __future__ import annotations

import ctypes
import mmap
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lite.ir.types import Array
from lite.kernels.cpu.native import function
from lite.kernels.cpu.native.job import FREE, Job, dtype_of
from lite.kernels.cpu.native.packed_arguments import SCALARS
from lite.plugin.kernel import Scratch

COVERED = "LITEBRIDGE_TEST_COVERED"
"""Environment variable: the file for the names of the functions that ran."""

_names: set[str] = set()
_WRITTEN = "wmscd"


def guarded(length: int, dtype: Any, *, at_end: bool) -> Array:
    """Zeros that end where a page without access begins, or begin where one ends."""
    page = mmap.PAGESIZE
    size = length * np.dtype(dtype).itemsize
    inner = max(-(-size // page), 1) * page
    memory = mmap.mmap(-1, inner + 2 * page)
    start = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    libc = ctypes.CDLL(None, use_errno=True)
    for place in (start, start + page + inner):
        assert not libc.mprotect(ctypes.c_void_p(place), ctypes.c_size_t(page), 0)
    offset = page + (inner - size if at_end else 0)
    return np.frombuffer(memory, dtype, length, offset)


class GuardedJob(Job):
    """A job that runs on copies of its arrays between guard pages, and copies the results back."""

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
            np.array(each).reshape(-1) if isinstance(each, np.ndarray) else None for each in originals
        ]
        for at_end in (True, False):
            self._replay(originals, contents, at_end=at_end)
        _names.add(self.name)

    def _replay(self, originals: Sequence[Any], contents: Sequence[Any], *, at_end: bool) -> None:
        arguments, written = list(originals), []
        for n, (kind, original, length) in enumerate(zip(self.kinds, originals, self.least, strict=True)):
            if kind in SCALARS or original is None:
                continue
            dtype = dtype_of(kind)
            if isinstance(original, Scratch):
                # Work items may run in two rows of scratch memory.
                rows = original.shape[0] if kind == "s" else 1
                arguments[n] = Scratch((rows, length), np.dtype(dtype))
                arguments[n].array = guarded(rows * length, dtype, at_end=at_end)
                self._refuse(arguments, n, Scratch((1, length - 1), np.dtype(dtype)))
                continue
            arguments[n] = guarded(length, dtype, at_end=at_end)
            arguments[n][:] = contents[n][:length]
            if kind in _WRITTEN:
                written.append((arguments[n], original))
        for n, kind in enumerate(self.kinds):
            if kind not in SCALARS and self.least[n] and isinstance(arguments[n], np.ndarray):
                self._refuse(arguments, n, arguments[n][:-1])
        self._job(arguments)()
        for array, original in written:
            original.reshape(-1)[: len(array)] = array

    def _job(self, arguments: Sequence[Any]) -> Job:
        lengths, *rest = self.rest
        return Job(self.name, self.kinds, lengths, rest[0], arguments, *rest[1:])

    def _refuse(self, arguments: Sequence[Any], place: int, short: Any) -> None:
        changed = [short if n == place else each for n, each in enumerate(arguments)]
        if self.kinds[place] == "n":
            # Never free, and lengths follow from its elements.
            with pytest.raises((ValueError, IndexError)):
                self._job(changed)
            return
        with pytest.raises(ValueError, match=f"argument {place} of {self.name} needs"):
            self._job(changed)
        if not isinstance(short, Scratch):
            changed[place] = FREE
            job = self._job(changed)
            with pytest.raises(ValueError, match=f"argument {place} of {self.name} needs"):
                job(short)


def pytest_configure(config: pytest.Config) -> None:
    """Replace the class of all jobs."""
    function.Job = GuardedJob  # type: ignore[assignment, attr-defined]


def pytest_unconfigure(config: pytest.Config) -> None:
    """Write the names of the functions that ran."""
    if COVERED in os.environ:
        Path(os.environ[COVERED]).write_text("\n".join(sorted(_names)))
