"""Interprets graphs and programs on arrays: each op is run by its host kernel.

Tensor arrays and control flow are the interpreter's own, without the kernels of the host.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from lite.ir import Graph, Program
from lite.ir.program import AttrValue
from lite.ir.types import NO_LOD, Array, Lod
from lite.plugin.kernel import evaluate
from tests.support.interpreter.domain import Domain
from tests.support.interpreter.graphs import interpret_graph
from tests.support.interpreter.programs import interpret_program

Held = tuple[Any, Lod]
"""The content of a variable: an array with its LoD, or a list of such pairs for a tensor array."""


class Tensors(Domain[Held]):
    """The domain of arrays with their LoDs."""

    most_iterations: int | None = None

    def constant(self, array: Array, lod: Lod) -> Held:
        return array, lod

    def initial(self, *, is_array: bool) -> Held:
        assert is_array, "a variable is read before an op writes it"
        return [], NO_LOD

    def holds(self, condition: Held) -> bool:
        return bool(condition[0].item())

    def op(
        self,
        kind: str,
        inputs: Mapping[str, Sequence[Held]],
        attrs: Mapping[str, AttrValue],
        counts: Mapping[str, int],
    ) -> Mapping[str, Sequence[Held]]:
        if kind == "write_to_array":
            return {"Out": [_written(inputs)]}
        if kind == "read_from_array":
            [(array, _)], [(index, _)] = inputs["X"], inputs["I"]
            return {"Out": [array[index.item()]]}
        results = evaluate(
            kind,
            {slot: [array for array, _ in pairs] for slot, pairs in inputs.items()},
            attrs,
            counts,
            {slot: [lod for _, lod in pairs] for slot, pairs in inputs.items()},
        )
        # A kernel may return its argument; variables must not share arrays.
        return {slot: [(np.array(each.array), each.lod) for each in results[slot]] for slot in counts}


def run_graph(graph: Graph, feeds: Mapping[str, Array]) -> dict[str, Array]:
    """The results by name."""
    results = run_graph_on(graph, [feeds[value.name] for value in graph.args])
    return dict(zip(graph.result_names, results, strict=True))


def run_graph_on(graph: Graph, inputs: Sequence[Array]) -> list[Array]:
    """The results; `inputs` are in the order of the graph's arguments."""
    results = interpret_graph(graph, [(array, NO_LOD) for array in inputs], Tensors())
    return [array for array, _ in results]


def run_program(program: Program, arrays: Mapping[str, Array], lods: Mapping[str, Lod]) -> dict[str, Held]:
    """The content of every variable of the main block after the run."""
    feeds = {name: (array, lods.get(name, NO_LOD)) for name, array in arrays.items()}
    return interpret_program(program, feeds, Tensors()).variables


def _written(inputs: Mapping[str, Sequence[Held]]) -> Held:
    """The tensor array with X at I; it grows up to there, with empty tensors in between."""
    [pair], [(index, _)] = inputs["X"], inputs["I"]
    elements: list[Held] = [each for array, _ in inputs.get("Array", ()) for each in array]
    elements += [(np.empty(0, np.float32), NO_LOD)] * (index.item() + 1 - len(elements))
    elements[index.item()] = pair
    return elements, NO_LOD
