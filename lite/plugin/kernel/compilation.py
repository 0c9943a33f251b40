"""Kernels that a target compiles when they are first needed, for runs that do not wait for that.

A target registers what compiles its kernels::

    @kernel_compiler("npu")
    def npu_compiler() -> KernelCompiler:
        return NpuCompiler()

Where `RunContext.missing` is not None, it calls its `refuse` instead of compiling a kernel.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol, TypeVar

from lite.dataclass import dataclass
from lite.plugin.registry import Registry


@dataclass(frozen=True)
class KernelTask:
    """A kernel to compile; `source` is what its target's compiler needs besides the name."""

    target: str
    name: str
    source: tuple[str, ...] = ()


class NotCompiledError(Exception):
    """A kernel is not compiled yet, and the run shall not wait for it."""


class KernelCompiler(Protocol):
    """Compiles the kernels of a target, and keeps them for all processes."""

    def why_not(self) -> str:
        """Why kernels cannot be kept; an empty text if they can."""

    def folder(self) -> str:
        """Where the kernels are kept."""

    def is_kept(self, task: KernelTask) -> bool:
        """Whether the kernel is compiled."""

    def compile(self, tasks: Sequence[KernelTask], is_wanted: Callable[[], bool]) -> None:
        """Compile those that are not kept; one process of the machine at a time does.

        A process that waits for another one stops waiting where `is_wanted` is False, without compiling.
        """


F = TypeVar("F", bound=Callable[[], KernelCompiler])

COMPILERS: Registry[str, Callable[[], KernelCompiler]] = Registry("compiler of target")
"""The compiler of each target that compiles kernels in runs."""


def kernel_compiler(target: str) -> Callable[[F], F]:
    """Register the function that returns the compiler of `target`."""

    def register(function: F) -> F:
        COMPILERS.add(target, function, function.__module__)
        return function

    return register
