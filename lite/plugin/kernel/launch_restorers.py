"""Joined launches from data: a later process on the same machine makes them again without binding a plan.

A target that can store its launches implements `Joined.stored`, and registers how to make them again, in the
module that `StoredLaunches.module` names::

    @launch_restorer("npu")
    def restored(record: Record, memory: Sequence[Array], constants: Sequence[Array]) -> Joined | None: ...

A record names memory by place: it holds no addresses and no machine code.  Its offsets are not checked
again, so a caller restores only records that are signed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from lite.ir.types import Array
from lite.plugin.kernel.launches import Joined
from lite.plugin.registry import Registry

Record = dict[str, Any]

Restore = Callable[[Record, Sequence[Array], Sequence[Array]], Joined | None]
"""Joined launches from their record, blocks of memory that each run overwrites, and constants.

None where this process cannot make them: another machine, another version, or code that is not compiled.
"""

F = TypeVar("F", bound=Restore)

LAUNCH_RESTORERS: Registry[str, Restore] = Registry("restorer of launches of target")


def launch_restorer(target: str) -> Callable[[F], F]:
    """Register the function that makes stored launches of a target again."""

    def register(function: F) -> F:
        LAUNCH_RESTORERS.add(target, function, function.__module__)
        return function

    return register
