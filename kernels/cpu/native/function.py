"""Compiled functions as kernels use them: bound to their constant arguments once, then run with arrays."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Sequence

from lite.kernels.cpu.checked import IS_CHECKED
from lite.kernels.cpu.native.checked_job import CheckedJob
from lite.kernels.cpu.native.code_store import Code, find_code
from lite.kernels.cpu.native.job import FREE, Argument, Job, Lengths, UnboundJob
from lite.kernels.cpu.native.job_table import RUN_LAUNCHES
from lite.kernels.cpu.native.loader import load
from lite.kernels.cpu.native.worker_pool import native
from lite.plugin.kernel.owned_lock import OwnedLock
from lite.plugin.kernel.run_context import current_run

__all__ = ["FREE", "Function"]


class Function:
    """The function ``file.name`` of the folder `compiled`, for all threads of the process.

    Or the one of `source`, a text in Python and the kinds of its parameters; then `name` must identify all
    of it, and `lengths` are its lengths, as the folder `lengths` has them for the others.
    """

    def __init__(self, name: str, source: Sequence[str] = (), lengths: Lengths | None = None) -> None:
        self.name = name
        self._source = source
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
        missing = current_run().missing
        if missing is not None and missing.only_binds:
            return self._unbound(count, cost, grain)
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

    def _unbound(self, count: int, cost: float, grain: int) -> Job:
        """A job that does nothing; it enters what is missing, also of what every run needs."""
        from lite.plugin.kernel.compilation import NotCompiledError

        names = [RUN_LAUNCHES]
        if current_run().threads > 1:
            names += ["worker_pool.post", "worker_pool.serve"]
        with contextlib.suppress(NotCompiledError):
            self.load()
        for name in names:
            with contextlib.suppress(NotCompiledError):
                native(name)
        return UnboundJob(count, cost, grain)

    def load(self) -> tuple[Code, int]:
        """The code, compiled where necessary, and its address in memory."""
        if self._loaded is None:
            with self._lock:
                if self._loaded is None:
                    code = find_code(self.name, self._source)
                    self._loaded = code, load(code)
        return self._loaded
