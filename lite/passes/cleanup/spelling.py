"""Old spellings of an op that become several nodes, or one node under conditions.

A function in ``lite/passes/cleanup/spellings/<op>.py`` rewrites each of them.  If only names and attributes
differ, the schema of the op translates them (`lite.ops.schema.Canonical`), and no function is needed.
"""

from __future__ import annotations

import functools
import importlib
import pkgutil
from collections.abc import Callable

from lite.ir.graph import Graph, Node
from lite.passes.cleanup import spellings
from lite.plugin.registry import Registry

Spelling = Callable[[Graph, Node], bool]
"""Rewrites a node; returns False if it did not change the node."""

SPELLINGS: Registry[str, Spelling] = Registry("spelling")


def spelling(*ops: str) -> Callable[[Spelling], Spelling]:
    """Register the function that rewrites nodes of these ops; raises `PluginError` if an op has one."""

    def register(function: Spelling) -> Spelling:
        for op in ops:
            SPELLINGS.add(op, function, function.__module__)
        return function

    return register


def find_spelling(op: str) -> Spelling | None:
    """The function that rewrites nodes of `op`, or None."""
    _load()
    return SPELLINGS.find(op)


@functools.cache
def _load() -> None:
    for module in pkgutil.iter_modules(spellings.__path__):
        importlib.import_module(f"{spellings.__name__}.{module.name}")
