"""Which parts of a graph a picture shows as one box."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase

from lite.ir.graph import Graph, Node, Value

PREFIX = "prefix:"


@dataclass
class Group:
    """Ops of one graph that are shown as one box, and what they have in common."""

    id: str
    name: str
    nodes: list[Node] = field(default_factory=list)


class FoldedGraph:
    """One graph with some of its ops in groups."""

    def __init__(self, groups: dict[Node, Group]) -> None:
        self.group_of = groups
        self.groups = list({group.id: group for group in groups.values()}.values())

    def box_of(self, node: Node) -> str:
        """The id of the box that stands for an op."""
        group = self.group_of.get(node)
        return f"op{node.id}" if group is None else group.id

    def hides(self, value: Value) -> bool:
        """Whether only ops of one group write and read a value, which is no argument or result."""
        ends = list(value.users) if value.producer is None else [value.producer, *value.users]
        boxes = {self.box_of(node) for node in ends}
        is_inner = not value.is_result and (value.is_constant or value.producer is not None)
        return is_inner and len(boxes) == 1 and ends[0] in self.group_of

    def is_loop(self, node: Node, value: Value) -> bool:
        """Whether an op reads what its own group writes."""
        return value.producer is not None and self.box_of(value.producer) == self.box_of(node)


class Folding:
    """Parts named by patterns: ``block1``, ``block*`` (nested graphs by name), ``prefix:layer3_``.

    A prefix folds the ops of a graph of which an output's name begins with it, those of each graph
    into a box of their own.
    """

    def __init__(self, patterns: Sequence[str] = ()) -> None:
        self._prefixes = [each[len(PREFIX) :] for each in patterns if each.startswith(PREFIX)]
        self._blocks = [each for each in patterns if not each.startswith(PREFIX)]

    def folds_block(self, block: Graph) -> bool:
        """Whether a nested graph is shown as one box together with the op it belongs to."""
        return any(fnmatchcase(block.name, pattern) for pattern in self._blocks)

    def fold(self, graph: Graph) -> FoldedGraph:
        """The groups of one graph, without those of the graphs nested in it."""
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
        """The patterns that fit nothing in a graph and the graphs nested in it."""
        graphs = list(graph.walk(regions=True))
        blocks = {each.name for each in graphs[1:]}
        names = {value.name for each in graphs for node in each for value in node.all_outputs()}
        unfit = [each for each in self._blocks if not any(fnmatchcase(block, each) for block in blocks)]
        unfit += [PREFIX + each for each in self._prefixes if not any(n.startswith(each) for n in names)]
        return unfit

    def _prefix(self, node: Node) -> str | None:
        names = [value.name for value in node.all_outputs()]
        return next((each for each in self._prefixes if any(n.startswith(each) for n in names)), None)
