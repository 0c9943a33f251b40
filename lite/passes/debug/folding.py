"""Groups of ops that a picture shows as one box."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from fnmatch import fnmatchcase

from lite.dataclass import dataclass
from lite.ir.graph import Graph, Node, Value

PREFIX = "prefix:"


@dataclass
class Group:
    """Ops of one graph in one box; `id` is the box's, `name` the pattern that they match."""

    id: str
    name: str
    nodes: list[Node] = field(default_factory=list)


class FoldedGraph:
    """One graph with some of its ops in groups."""

    def __init__(self, groups: dict[Node, Group]) -> None:
        self.group_of = groups
        self.groups = list({group.id: group for group in groups.values()}.values())

    def box_of(self, node: Node) -> str:
        """The id of the box that shows an op."""
        group = self.group_of.get(node)
        return f"op{node.id}" if group is None else group.id

    def hides(self, value: Value) -> bool:
        """Whether a value is inner to one group: neither argument nor result, written and read only there."""
        ends = list(value.users) if value.producer is None else [value.producer, *value.users]
        boxes = {self.box_of(node) for node in ends}
        is_inner = not value.is_result and (value.is_constant or value.producer is not None)
        return is_inner and len(boxes) == 1 and ends[0] in self.group_of

    def is_written_by_group_of(self, node: Node, value: Value) -> bool:
        """Whether the group of `node` also writes `value`, which `node` reads."""
        return value.producer is not None and self.box_of(value.producer) == self.box_of(node)


class Folding:
    """Patterns of parts to fold: ``block1`` and ``block*`` name nested graphs, ``prefix:layer3_`` ops.

    A prefix matches an op if one of its outputs has a name with this prefix.  The matching ops of each
    graph become one box.
    """

    def __init__(self, patterns: Sequence[str] = ()) -> None:
        self._prefixes = [each[len(PREFIX) :] for each in patterns if each.startswith(PREFIX)]
        self._blocks = [each for each in patterns if not each.startswith(PREFIX)]

    def folds_block(self, block: Graph) -> bool:
        """Whether a nested graph is part of the box of its op."""
        return any(fnmatchcase(block.name, pattern) for pattern in self._blocks)

    def fold(self, graph: Graph) -> FoldedGraph:
        """The groups of one graph; graphs nested in it have their own."""
        by_prefix: dict[str, Group] = {}
        groups: dict[Node, Group] = {}
        for node in graph:
            prefix = self._prefix(node)
            if prefix is not None:
                group = by_prefix.setdefault(prefix, Group(f"fold{node.id}", f"{prefix}*"))
                group.nodes.append(node)
                groups[node] = group
        return FoldedGraph(groups)

    def unmatched(self, graph: Graph) -> list[str]:
        """The patterns without a match in a graph and the graphs nested in it."""
        graphs = list(graph.walk(regions=True))
        blocks = {each.name for each in graphs[1:]}
        names = {value.name for each in graphs for node in each for value in node.all_outputs()}
        return [
            *(each for each in self._blocks if not any(fnmatchcase(block, each) for block in blocks)),
            *(PREFIX + each for each in self._prefixes if not any(name.startswith(each) for name in names)),
        ]

    def _prefix(self, node: Node) -> str | None:
        names = [value.name for value in node.all_outputs()]
        return next((each for each in self._prefixes if any(n.startswith(each) for n in names)), None)
