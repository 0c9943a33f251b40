"""Checks that a fusion keeps the results of a graph."""

from __future__ import annotations

import numpy as np

from lite.ir.graph import Graph
from lite.ir.text import parse_graph, print_graph
from lite.ir.types import Array
from tests.lite.passes.check import run_pass
from tests.lite.runtime.run_text import runtime_of
from tests.support.interpreter.tensors import run_graph


def feeds_of(graph: Graph) -> dict[str, Array]:
    """Normal numbers for every argument; an open size is 2."""
    generator = np.random.default_rng(0)
    feeds: dict[str, Array] = {}
    for value in graph.args:
        assert value.shape is not None
        assert value.dtype is not None
        shape = [dim if isinstance(dim, int) else 2 for dim in value.shape]
        feeds[value.name] = generator.standard_normal(shape).astype(value.dtype.numpy)
    return feeds


def check_fused(spec: str, text: str, ops: list[str]) -> Graph:
    """Assert that `spec` leaves the nodes `ops` and keeps the results; returns the graph."""
    graph, changed = _run_checked(spec, text)
    assert [node.op for node in graph] == ops
    assert changed == ([node.op for node in parse_graph(text)] != ops)
    return graph


def check_run(spec: str, text: str, ops: list[str]) -> None:
    """Like `check_fused`, for ops of control flow and tensor arrays: the results are those of the runtime."""
    graph = parse_graph(text)
    args = [*feeds_of(graph).values()]
    assert run_pass(spec, graph)
    assert [node.op for node in graph] == ops
    expected, _ = runtime_of(text).run(args)
    results, _ = runtime_of(print_graph(graph)).run(args)
    for result, wanted in zip(results, expected, strict=True):
        np.testing.assert_array_equal(result, wanted)


def check_changed(spec: str, text: str) -> Graph:
    """Assert that `spec` changes the graph and keeps its results; returns the changed graph."""
    graph, changed = _run_checked(spec, text)
    assert changed
    return graph


def _run_checked(spec: str, text: str) -> tuple[Graph, bool]:
    """The graph after the pass and the pass's report of a change; asserts equal results and constants."""
    graph = parse_graph(text)
    feeds = feeds_of(graph)
    before = run_graph(graph, feeds)
    arrays = {
        id(value.data): value.data.copy() for value in graph.constants.values() if value.data is not None
    }
    held = [value.data for value in graph.constants.values()]
    changed = run_pass(spec, graph)
    after = run_graph(graph, feeds)
    assert list(after) == list(before)
    for name, expected in before.items():
        # Sums of large terms that cancel are as exact as their terms, so the scale is the largest result.
        largest = max(1.0, float(np.max(np.abs(expected), initial=0.0)))
        np.testing.assert_allclose(after[name], expected, rtol=1e-5, atol=1e-6 * largest)
        assert after[name].dtype == expected.dtype
    for array in held:
        np.testing.assert_array_equal(array, arrays[id(array)])
    return graph, changed
