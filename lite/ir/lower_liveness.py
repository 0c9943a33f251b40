"""When a value is needed for the last time, so that its variable may be written again."""

from __future__ import annotations

from collections.abc import Iterable

from lite.ir.graph import Graph, Node, Value


class Liveness:
    """Last uses in one graph.

    The variables of `carried` arguments are the graph's to write; those of its other arguments and of
    constants are not, and what the graph returns is needed to its end.
    """

    def __init__(self, graph: Graph, carried: Iterable[Value]) -> None:
        self._position = {node: position for position, node in enumerate(graph)}
        self._carried = set(carried)

    def ends_at(self, value: Value, node: Node) -> bool:
        """Whether nothing behind `node` needs `value`, and its variable may be written there."""
        return self._may_be_written(value) and self._last_use(value) <= self._position[node]

    def ends_before(self, value: Value, node: Node) -> bool:
        """Whether neither `node` nor anything behind it needs `value`, and its variable may be written."""
        return self._may_be_written(value) and self._last_use(value) < self._position[node]

    def _may_be_written(self, value: Value) -> bool:
        owned = value.producer is not None or value in self._carried
        return owned and not value.is_result and not value.is_constant

    def _last_use(self, value: Value) -> int:
        return max((self._position[user] for user in value.users), default=-1)
