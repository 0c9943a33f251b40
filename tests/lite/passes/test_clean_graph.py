"""What docs/clean_graph.md promises to bridges holds for the cases of the conformance kit."""

from __future__ import annotations

from pathlib import Path

import pytest

import lite
from lite.ir.graph import Graph, Node
from lite.ops import SCHEMAS, OpSchema
from lite.ops.program_graph import program_graph
from lite.passes.manager import PassManager
from lite.passes.pipelines import CLEANUP, HEAD
from lite.session.context import pass_context
from lite.tools.conformance.cases import Case, program_of, read_cases
from lite.tools.maintenance.clean_graph_page import HEADER, PAGE, clean_ops, lists

CLEAN = {schema.name for schema in clean_ops()}


def clean_graph(case: Case, *, weights: bool) -> Graph:
    """The graph of a case as devices get it."""
    graph = program_graph(program_of(case, weights=weights, outputs=1))
    PassManager([*HEAD, *CLEANUP], strict_order=False).run(graph, pass_context(lite.Config("model")))
    return graph


def broken(node: Node) -> list[str]:
    """The promises that a node breaks."""
    schema = SCHEMAS[node.op]
    found = [] if node.op in CLEAN else [f"{node.op} is an old spelling"]
    if list(node.attrs) != list(schema.attrs):
        found.append(f"{node.op} has the attributes {list(node.attrs)}")
    found += [
        f"{node.op}.{slot} is constant" for slot in schema.attr_slots if not _may_stay(node, schema, slot)
    ]
    found += [
        f"{node.op}.{slot} is not read"
        for slot, values in node.outputs.items()
        if schema.outputs[slot].optional and not any(value.is_used for value in values)
    ]
    return found


def _may_stay(node: Node, schema: OpSchema, slot: str) -> bool:
    """Whether a slot is absent, computed, or beside another slot for the same attribute."""
    values = node.inputs.get(slot, ())
    names = schema.attr_slots[slot]
    rivals = [s for s, n in schema.attr_slots.items() if s != slot and n == names and s in node.inputs]
    return not values or bool(rivals) or any(value.data is None for value in values)


def cases_of_all_ops() -> list[Case]:
    """A case of each op: that with the most slots."""
    found: dict[str, Case] = {}
    for case in read_cases():
        best = found.get(case.op)
        if best is None or len(case.inputs) > len(best.inputs):
            found[case.op] = case
    return list(found.values())


@pytest.mark.parametrize("weights", [False, True])
def test_the_promises_hold_for_a_case_of_each_op(weights: bool) -> None:
    cases = cases_of_all_ops()
    assert len(cases) > 200
    problems = [
        f"{case.name}: {problem}"
        for case in cases
        for node in clean_graph(case, weights=weights)
        for problem in broken(node)
    ]
    assert problems == []


def test_a_broken_promise_is_seen() -> None:
    (case,) = [case for case in cases_of_all_ops() if case.op == "relu"]
    (node,) = clean_graph(case, weights=False)
    assert broken(node) == []
    node.attrs["fuse"] = True
    node.op = "swish"
    assert broken(node) == ["swish has the attributes ['fuse']"]


def test_the_lists_of_the_page_are_those_of_the_schemas(root: Path) -> None:
    _, header, found = (root / PAGE).read_text(encoding="utf-8").partition(HEADER)
    assert header + found == lists(), "write it with: python -m lite.tools.maintenance.clean_graph_page"
