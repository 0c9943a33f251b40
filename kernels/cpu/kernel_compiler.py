"""Compiles functions of this target for runs that do not wait for them."""

from __future__ import annotations

import fcntl
import importlib.util
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from lite.kernels.cpu.native.code_store import TARGET, compile_code, is_compiled
from lite.kernels.cpu.native.folder import CACHE_VARIABLE, writable_folder
from lite.plugin.kernel.compilation import KernelCompiler, KernelTask, kernel_compiler


class CpuCompiler:
    """Compiles functions into the folder of machine code; see `KernelCompiler`."""

    def why_not(self) -> str:
        """Why nothing can be compiled for other processes."""
        if importlib.util.find_spec("numba") is None:
            return "numba is not installed; pip install litebridge[jit]"
        if writable_folder() is None:
            return f"no folder is writable; name one in the environment variable {CACHE_VARIABLE}"
        return ""

    def folder(self) -> str:
        """The folder of machine code."""
        return str(writable_folder())

    def is_kept(self, task: KernelTask) -> bool:
        """Whether the code is on disk."""
        return is_compiled(task.name)

    def compile(self, tasks: Sequence[KernelTask]) -> None:
        """Compile what is not on disk, while no other process does."""
        with _locked(self.folder()):
            for task in tasks:
                if not is_compiled(task.name):
                    compile_code(task.name, task.source)


@kernel_compiler(TARGET)
def cpu_compiler() -> KernelCompiler:
    """The compiler of the target cpu."""
    return CpuCompiler()


@contextmanager
def _locked(folder: str) -> Iterator[None]:
    """Hold the lock of the folder, which ends with the process at the latest."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)
