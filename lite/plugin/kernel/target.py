"""What a target's author says of it: whether its values lie in memory of its own.

The kernels of a target without memory of its own (a CPU library, a numpy variant) read and write
numpy arrays, as the host's do.  A target with memory of its own registers itself, for instance in
the file of its copying kernels::

    register_target("npu", own_memory=True)

Its kernels take and return objects of its own kind; they hand out no memory of an argument.  Besides
them it has kernels for ``io_copy`` and ``io_copy_once``, which turn an array into such an object
(``destination`` is the target) and such an object into a fresh array (``source`` is the target); of
None, an output of a block that did not run, they make None.
"""

from __future__ import annotations

import inspect
from dataclasses import dataclass

from lite.ir.types import HOST
from lite.plugin.registry import Registry


@dataclass(frozen=True)
class Target:
    """A place where kernels run; with `own_memory` its values are objects that only it can read."""

    name: str
    own_memory: bool = False


TARGETS: Registry[str, Target] = Registry("target")
"""The targets that registered; any other name is a target in the host's memory."""


def register_target(name: str, *, own_memory: bool = False) -> Target:
    """Make a target known; raises `PluginError` naming both owners when the name is taken."""
    target = Target(name, own_memory)
    caller = inspect.currentframe()
    outer = caller.f_back if caller is not None else None
    TARGETS.add(name, target, __name__ if outer is None else str(outer.f_globals.get("__name__")))
    return target


def has_own_memory(name: str) -> bool:
    """Whether values on this target are anything but numpy arrays; False for unknown names."""
    target = TARGETS.find(name)
    return target is not None and target.own_memory


def shares_memory(first: str, second: str) -> bool:
    """Whether kernels of both targets can read the same values."""
    return first == second or not (has_own_memory(first) or has_own_memory(second))


register_target(HOST)
