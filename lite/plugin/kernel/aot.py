"""What kernels can do ahead of their first use, such as compiling: ``litebridge warmup`` has it done.

A plug-in file registers a function under the name of its target; it returns the steps::

    @ahead("cpu")
    def compile_all() -> Ahead:
        return Ahead([Step("multiply", compile_multiply)])
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from lite.plugin.registry import Registry


@dataclass(frozen=True)
class Step:
    """Something to do once per machine; `run` answers whether there was anything left to do."""

    name: str
    run: Callable[[], bool]


@dataclass(frozen=True)
class Ahead:
    """The steps of a target: where their results are kept, or why they cannot be done."""

    steps: Sequence[Step] = ()
    folder: str = ""
    why_not: str = ""


F = TypeVar("F", bound=Callable[[], Ahead])

AHEAD: Registry[str, Callable[[], Ahead]] = Registry("preparation of target")
"""What each target has to do ahead."""


def ahead(target: str) -> Callable[[F], F]:
    """Register the function that answers what is to be done for `target`."""

    def register(function: F) -> F:
        AHEAD.add(target, function, function.__module__)
        return function

    return register
