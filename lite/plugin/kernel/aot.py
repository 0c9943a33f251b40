"""Ahead-of-time work of a target, such as compiling its kernels: ``litebridge warmup`` runs it.

A plug-in file registers a function under the name of its target, which returns the steps::

    @aot("npu")
    def compile_all() -> AotSteps:
        return AotSteps([Step("multiply", compile_multiply)])
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from lite.dataclass import dataclass
from lite.plugin.registry import Registry


@dataclass(frozen=True)
class Step:
    """A step that each machine needs once; `run` returns whether it had to do anything."""

    name: str
    run: Callable[[], bool]


@dataclass(frozen=True)
class AotSteps:
    """The steps of a target and the folder that keeps their results, or `why_not`."""

    steps: Sequence[Step] = ()
    folder: str = ""
    why_not: str = ""


F = TypeVar("F", bound=Callable[[], AotSteps])

AOT: Registry[str, Callable[[], AotSteps]] = Registry("ahead-of-time work of target")
"""The function of each target that returns its steps."""


def aot(target: str) -> Callable[[F], F]:
    """Register the function that returns the ahead-of-time steps of `target`."""

    def register(function: F) -> F:
        AOT.add(target, function, function.__module__)
        return function

    return register
