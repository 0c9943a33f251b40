"""Compiled functions as kernels use them: bound to their constant arguments once, then run with arrays."""

from __future__ import annotations

import functools

from lite.kernels.cpu.checked import IS_CHECKED
from lite.kernels.cpu.native.checked_job import CheckedJob
from lite.kernels.cpu.native.code_store import Code, MakeEntry, find_code
from lite.kernels.cpu.native.job import FREE, Argument, Job, Lengths
from lite.kernels.cpu.native.loader import load
from lite.plugin.kernel.owned_lock import OwnedLock

__all__ = ["FREE", "Function"]


class Function:
    """The function ``file.name`` of the folder `compiled`, for all threads of the process.

    `make` returns another function to compile; then `name` must identify all of its source, and `lengths`
    are its lengths, as the folder `lengths` has them for the others.
    """

    def __init__(self, name: str, make: MakeEntry | None = None, lengths: Lengths | None = None) -> None:
        self.name = name
        self._make = make
        self._declared_lengths = lengths
        self._lock = OwnedLock()
        self._loaded: tuple[Code, int] | None = None

    def bind(self, *arguments: Argument, count: int = 1, cost: float = 0, grain: int = 1) -> Job:
        """A job over the range 0 to `count`; arguments that are `FREE` are passed in each run.

        `cost` are the multiplications of the whole range: the threads of a run share a job that is worth it,
        in multiples of `grain`.

        Raises `TypeError` for arguments that do not have the function's types, and `ValueError` for arrays
        that are shorter than the function needs; so does the job for arrays that are passed to it.
        """
        code, address = self.load()
        kind = CheckedJob if IS_CHECKED else Job
        return kind(self.name, code.parameters, self.lengths, address, arguments, count, cost, grain)

    @functools.cached_property
    def lengths(self) -> Lengths:
        """The least lengths of arrays, from the arguments; see the folder `lengths`."""
        if self._declared_lengths is not None:
            return self._declared_lengths
        # Imports `tile_sizes`, which asks LLVM for the processor where no file has the answer.
        from lite.kernels.cpu.lengths.table import LENGTHS

        return LENGTHS[self.name]

    def load(self) -> tuple[Code, int]:
        """The code, compiled where necessary, and its address in memory."""
        if self._loaded is None:
            with self._lock:
                if self._loaded is None:
                    code = find_code(self.name, self._make)
                    self._loaded = code, load(code)
        return self._loaded
