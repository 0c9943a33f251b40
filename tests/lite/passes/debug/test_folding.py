"""Groups of ops in one box."""

from __future__ import annotations

from lite.ir.text import parse_graph
from lite.passes.debug.folding import Folding

GRAPH = parse_graph(
    """
    graph main(%x: float32[1], %c: bool[1]) {
      %w = const float32[1] [2.0]
      %a_1 = relu(X=%x)
      %a_2 = elementwise_add(X=%a_1, Y=%w)
      %b_1 = relu(X=%a_2)
      %a_3 = relu(X=%b_1)
      %y = conditional_block(Cond=%c, Input=%a_3) {carried=0}
        graph block1(%a_3: float32[1]) {
          %a_4 = relu(X=%a_3)
          return y=%a_4
        }
      return %y
    }
    """
)
NODES = list(GRAPH)
VALUES = {value.name: value for node in NODES for value in node.all_outputs()}


def test_prefix_groups_the_ops_of_one_graph() -> None:
    folded = Folding(["prefix:a_"]).fold(GRAPH)
    [group] = folded.groups
    assert (group.id, group.name, group.nodes) == (f"fold{NODES[0].id}", "a_*", [*NODES[:2], NODES[3]])
    assert [folded.box_of(node) for node in NODES] == [
        group.id,
        group.id,
        f"op{NODES[2].id}",
        group.id,
        f"op{NODES[4].id}",
    ]
    assert [name for name, value in VALUES.items() if folded.hides(value)] == ["a_1"]
    assert folded.hides(GRAPH.constants["w"])
    [block] = NODES[4].blocks
    assert [each.nodes for each in Folding(["prefix:a_"]).fold(block).groups] == [list(block)]


def test_op_belongs_to_the_first_matching_prefix() -> None:
    folded = Folding(["prefix:a_2", "prefix:a_", "prefix:none"]).fold(GRAPH)
    assert [(group.name, len(group.nodes)) for group in folded.groups] == [("a_*", 2), ("a_2*", 1)]


def test_graph_without_prefixes_has_no_groups() -> None:
    folded = Folding(["block1"]).fold(GRAPH)
    assert folded.groups == []
    assert not any(folded.hides(value) for value in VALUES.values())


def test_blocks_match_by_name_or_pattern() -> None:
    [block] = NODES[4].blocks
    matches = [Folding([each]).folds_block(block) for each in ("block1", "block*", "block", "prefix:block1")]
    assert matches == [True, True, False, False]


def test_unmatched_patterns_are_listed() -> None:
    patterns = ["block1", "main", "loop*", "prefix:a_4", "prefix:c"]
    assert Folding(patterns).unmatched(GRAPH) == ["main", "loop*", "prefix:c"]
    assert Folding().unmatched(GRAPH) == []
