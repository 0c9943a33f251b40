"""The properties of a machine that a target's packed weights depend on.

The cache keeps the arrays of `PrepareContext.shared` for later processes, which may run on another machine
where several machines share the folder.  A target whose packing depends on the machine registers a
function that names the properties, in the ``__init__`` of its package, which is imported with each kernel::

    @pack_version("npu")
    def version() -> str:
        return f"{LANES} lanes"
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from lite.plugin.registry import Registry

F = TypeVar("F", bound=Callable[[], str])

PACK_VERSIONS: Registry[str, Callable[[], str]] = Registry("pack version of target")
"""The function of each target; a target without one packs weights alike on all machines."""


def pack_version(target: str) -> Callable[[F], F]:
    """Register the function that returns the properties that packed weights of `target` depend on."""

    def register(function: F) -> F:
        PACK_VERSIONS.add(target, function, function.__module__)
        return function

    return register
