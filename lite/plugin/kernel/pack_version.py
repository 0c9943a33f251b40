"""What the packed weights of a target depend on besides the op, its constants and the sources.

The cache keeps what `PrepareContext.shared` made for the next process, which may run on another machine
where the directory is shared.  A target whose packing follows the machine says what it follows, in the
``__init__`` of its package, which is imported with every kernel::

    @packing("npu")
    def version() -> str:
        return f"{LANES} lanes"
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from lite.plugin.registry import Registry

F = TypeVar("F", bound=Callable[[], str])

PACKING: Registry[str, Callable[[], str]] = Registry("packing of target")
"""What each target says; one that says nothing packs alike on all machines."""


def packing(target: str) -> Callable[[F], F]:
    """Register the function that answers what the packed weights of `target` depend on."""

    def register(function: F) -> F:
        PACKING.add(target, function, function.__module__)
        return function

    return register
