"""Interprets graphs and programs symbolically, to compare what two forms compute.

A value is a term: the number of the expression that computes it, so equal computations are equal numbers.
The number of a condition decides whether it holds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from lite.ir import Graph, Program
from lite.ir.program import AttrValue
from lite.ir.types import Array, Lod
from tests.support.interpreter.domain import Domain
from tests.support.interpreter.graphs import interpret_graph
from tests.support.interpreter.programs import interpret_program

Term = int


class Terms(Domain[Term]):
    """The domain of terms; attributes of ops are not part of an expression."""

    most_iterations: int | None = 3

    def __init__(self) -> None:
        self._numbers: dict[object, Term] = {}
        self._unwritten = self("unwritten")
        self._empty_array = self("empty array")

    def __call__(self, *expression: object) -> Term:
        return self._numbers.setdefault(expression, len(self._numbers))

    def constant(self, array: Array, lod: Lod) -> Term:
        return self("weight", array.tobytes())

    def initial(self, *, is_array: bool) -> Term:
        return self._empty_array if is_array else self._unwritten

    def holds(self, condition: Term) -> bool:
        return (condition * 2654435761 >> 7) % 3 != 0

    def op(
        self,
        kind: str,
        inputs: Mapping[str, Sequence[Term]],
        attrs: Mapping[str, AttrValue],
        counts: Mapping[str, int],
    ) -> Mapping[str, Sequence[Term]]:
        return {
            slot: [self._output(kind, inputs, slot, index) for index in range(count)]
            for slot, count in counts.items()
        }

    def _output(self, kind: str, inputs: Mapping[str, Sequence[Term]], slot: str, index: int) -> Term:
        if kind in ("uninitialized", "create_array"):
            return self.initial(is_array=kind == "create_array")
        if kind == "assign":
            return inputs["X"][0]
        read = tuple(sorted((name, tuple(terms)) for name, terms in inputs.items() if terms))
        return self(kind, read, slot, index)


def run_graph(graph: Graph, terms: Terms) -> list[Term]:
    """The results of the main graph; arguments are terms of their names."""
    return interpret_graph(graph, [terms("feed", value.name) for value in graph.args], terms)


def run_program(program: Program, terms: Terms) -> list[Term]:
    """The fetched variables, ordered by column; fed variables are terms of their names."""
    names = [op.outputs["Out"][0] for op in program.blocks[0].ops if op.type == "feed"]
    return interpret_program(program, {name: terms("feed", name) for name in names}, terms).fetched
