"""Patterns: groups of ops that a device runs as one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from lite.ir.graph import Graph, Node, Value


class Pattern:
    """Describes values of a graph."""


@dataclass(frozen=True)
class Match:
    """Where a composite was found: its ops in running order, and what the pattern named.

    The last op is the composite's root: only what it writes is read from outside.
    """

    composite: Composite
    nodes: tuple[Node, ...]
    captures: Mapping[str, Value]

    @property
    def root(self) -> Node:
        """The op whose outputs are the composite's."""
        return self.nodes[-1]


@dataclass(frozen=True)
class Composite:
    """A pattern that becomes one op of the device, called ``device.name``.

    `check` has the last word on a match; it answers a sentence to refuse it, or None.
    """

    name: str
    pattern: Pattern
    check: Callable[[Match], str | None] | None = None


def find_composites(graph: Graph, composites: Sequence[Composite]) -> list[Match]:  # noqa: ARG001
    """Matches that share no op, of earlier composites first."""
    return []
