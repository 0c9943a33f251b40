"""Compiles functions of this target for runs that do not wait for them."""

from __future__ import annotations

import fcntl
import importlib.util
import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from lite.kernels.cpu.native.code_store import TARGET, compile_code, is_compiled
from lite.kernels.cpu.native.folder import CACHE_VARIABLE, writable_folder
from lite.plugin.kernel.compilation import KernelCompiler, KernelTask, kernel_compiler

_INTERVAL = 0.5
"""Seconds between two looks at the lock of another process."""


class CpuCompiler:
    """Compiles functions into the folder of machine code; see `KernelCompiler`."""

    def why_not(self) -> str:
        """Why nothing can be compiled for other processes."""
        if importlib.util.find_spec("numba") is None:
            return "numba is not installed; pip install 'litebridge[jit]'"
        if writable_folder() is None:
            return f"no folder is writable; name one in the environment variable {CACHE_VARIABLE}"
        return ""

    def folder(self) -> str:
        """The folder of machine code."""
        return str(writable_folder())

    def is_kept(self, task: KernelTask) -> bool:
        """Whether the code is on disk."""
        return is_compiled(task.name)

    def compile(self, tasks: Sequence[KernelTask], is_wanted: Callable[[], bool]) -> None:
        """Compile what is not on disk, while no other process does."""

        def is_needed() -> bool:
            return is_wanted() and not all(is_compiled(task.name) for task in tasks)

        with _locked(self.folder(), is_needed) as locked:
            for task in tasks if locked else ():
                if not is_compiled(task.name):
                    compile_code(task.name, task.source)


@kernel_compiler(TARGET)
def cpu_compiler() -> KernelCompiler:
    """The compiler of the target cpu."""
    return CpuCompiler()


@contextmanager
def _locked(folder: str, is_needed: Callable[[], bool]) -> Iterator[bool]:
    """Hold the lock of the folder, which ends with the process at the latest; False without the lock.

    It waits for another process as long as `is_needed`.
    """
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        yield _lock(descriptor, is_needed)
    finally:
        os.close(descriptor)


def _lock(descriptor: int, is_needed: Callable[[], bool]) -> bool:
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if not is_needed():
                return False
            time.sleep(_INTERVAL)
        else:
            return True
