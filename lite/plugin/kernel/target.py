"""Targets of kernels, which may have memory of their own.

The kernels of a target without memory of its own (a CPU library, a numpy variant) read and write numpy
arrays, as the host's kernels do.  Such a target needs no registration.  A target with memory of its own
registers itself, for instance in the file of its copying kernels::

    register_target("npu", own_memory=True)

Its kernels take and return objects of its own type, and never return the memory of an argument.  It also has
kernels for ``io_copy`` and ``io_copy_once``, which convert an array into such an object (``destination`` is
the target) and such an object into a new array (``source`` is the target).  If a block
did not run, its outputs are None, and these kernels return None for None.
"""

from __future__ import annotations

import inspect

from lite.dataclass import dataclass
from lite.ir.types import HOST
from lite.plugin.registry import Registry


@dataclass(frozen=True)
class Target:
    """Where kernels run; with `own_memory`, only the target's kernels can read its values."""

    name: str
    own_memory: bool = False


TARGETS: Registry[str, Target] = Registry("target")
"""The registered targets; any other name is a target in the host's memory."""


def register_target(name: str, *, own_memory: bool = False) -> Target:
    """Register a target; raises `PluginError` with both owners if the name is taken."""
    target = Target(name, own_memory)
    caller = inspect.currentframe()
    outer = caller.f_back if caller is not None else None
    TARGETS.add(name, target, __name__ if outer is None else str(outer.f_globals.get("__name__")))
    return target


def has_own_memory(name: str) -> bool:
    """Whether values on this target are not numpy arrays; False for unregistered names."""
    target = TARGETS.find(name)
    return target is not None and target.own_memory


def shares_memory(first: str, second: str) -> bool:
    """Whether kernels of both targets can read the same values."""
    return first == second or not (has_own_memory(first) or has_own_memory(second))


register_target(HOST)
