"""The variables of a program that is made from a graph: their names, records and weights."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Sequence

from lite.errors import GraphError
from lite.ir.graph import Graph, Value
from lite.ir.program import Block, Program, Var, VarKind, Weight
from lite.ir.types import NO_LOD, Array, Dim, Shape


class Variables:
    """Gives every value a variable; a name stands for one variable in all blocks.

    The names of the main graph's arguments and results are theirs.  `holders` says which value each
    variable holds at the point that lowering has reached.
    """

    def __init__(self, program: Program, graph: Graph, like: Program | None) -> None:
        self.holders: dict[str, Value] = {}
        self._names: dict[Value, str] = {}
        self._program = program
        self._like = like
        self._like_vars: dict[str, Var] = {}
        for block in reversed(like.blocks) if like is not None else ():
            self._like_vars.update(block.vars)
        self._results = dict(zip(graph.result_names, graph.results, strict=True))
        self._taken = {value.name for value in graph.args} | self._results.keys()
        self._next: dict[str, int] = {}
        if len({value.name for value in graph.args}) != len(graph.args):
            raise GraphError(f"graph {graph.name}: arguments share a name: {[v.name for v in graph.args]}")
        self._weights: dict[str, list[tuple[str, Array]]] = {}
        self._constants = [value for inner in graph.walk() for value in inner.constants.values()]

    def __getitem__(self, value: Value) -> str:
        """The name of the variable that holds a value."""
        return self._names[value]

    def is_unused(self, name: str) -> bool:
        """Whether no value was in the variable so far."""
        return name not in self.holders

    def fresh(self, base: str) -> str:
        """A name that no variable has: `base`, or `base` with a number."""
        name = base
        while name in self._taken:
            number = self._next.get(base, 1)
            self._next[base] = number + 1
            name = f"{base}_{number}"
        self._taken.add(name)
        return name

    def put(self, block: Block, value: Value, name: str) -> str:
        """From here on, the variable `name` of `block` holds `value`; the name."""
        self._names[value] = name
        self.holders[name] = value
        self._declare(block, value, name)
        return name

    def share(self, value: Value, name: str) -> None:
        """`value` is another name, in a sub-block, of what the variable holds."""
        self._names[value] = name

    def put_temporary(self, block: Block, value: Value) -> str:
        """A new variable of the value's type."""
        name = self.fresh(self[value])
        self._declare(block, value, name)
        return name

    def add_feed(self, block: Block, value: Value) -> None:
        """The variable of an argument of the main graph."""
        self.put(block, value, value.name)
        block.vars[value.name].need_check_feed = True

    def add_holder(self, block: Block, kind: VarKind, base: str) -> str:
        """A variable that holds no tensor: where feeds come from, where fetches go, a scope."""
        name = self.fresh(base)
        block.vars[name] = self._like_vars[name] if self._is_like(name, kind) else Var(name, kind)
        return name
