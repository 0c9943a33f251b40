"""The variables of a program that is made from a graph: names, records and weights."""

from __future__ import annotations

import dataclasses

from lite.errors import GraphError
from lite.ir.graph import Graph, Value
from lite.ir.program import Block, Program, Var, VarKind, Weight
from lite.ir.types import NO_LOD, Array, Dim, Lod, Shape

_UNKNOWN_SIZE = -1


class Variables:
    """Gives every value a variable; a name stands for one variable in all blocks.

    The names of the main graph's arguments and results are theirs.  `holders` says which value each
    variable holds at the point that lowering has reached.
    """

    def __init__(self, program: Program, graph: Graph, like: Program | None) -> None:
        self.holders: dict[str, Value] = {}
        self._names: dict[Value, str] = {}
        self._declared: dict[str, Var] = {}
        self._program = program
        self._like = like
        self._like_vars: dict[str, Var] = {}
        for block in reversed(like.blocks if like is not None else []):
            self._like_vars.update(block.vars)
        self._results = dict(zip(graph.result_names, graph.results, strict=True))
        self._taken = {value.name for value in graph.args} | self._results.keys()
        self._number: dict[str, int] = {}
        if len({value.name for value in graph.args}) != len(graph.args):
            raise GraphError(f"graph {graph.name}: arguments share a name: {[v.name for v in graph.args]}")

    def __getitem__(self, value: Value) -> str:
        """The name of the variable that holds a value."""
        return self._names[value]

    def is_unused(self, name: str) -> bool:
        """Whether the variable held no value so far."""
        return name not in self.holders

    def fresh(self, base: str) -> str:
        """A name that no variable has: `base`, or `base` with a number."""
        name = base
        while name in self._taken:
            self._number[base] = self._number.get(base, 0) + 1
            name = f"{base}_{self._number[base]}"
        self._taken.add(name)
        return name

    def hold(self, value: Value, name: str) -> None:
        """From here on, the variable `name` holds `value`."""
        self._names[value] = name
        self.holders[name] = value

    def alias(self, value: Value, name: str) -> None:
        """`value` stands, in a sub-block, for what the variable `name` of an outer block holds."""
        self._names[value] = name

    def declare(self, block: Block, value: Value, name: str) -> None:
        """The variable `name` will hold `value`; it belongs to the block that declares it first."""
        shape = None if value.shape is None else tuple(_size(dim) for dim in value.shape)
        if name in self._declared:
            self._declared[name].shape = _joined(self._declared[name].shape, shape)
            return
        known = self._like_vars.get(name)
        var = Var(name) if known is None else dataclasses.replace(known)
        var.kind, var.dtype, var.shape = value.kind, value.dtype, shape
        if value.lod_level or var.lod_level:
            var.lod_level = value.lod_level
        if var.persistable and name not in self._program.weights:
            var.persistable = False
        block.vars[name] = self._declared[name] = var

    def temporary(self, block: Block, value: Value) -> str:
        """A new variable of the type of a value."""
        name = self.fresh(self[value])
        self.declare(block, value, name)
        return name

    def add_feed(self, block: Block, value: Value) -> None:
        """The variable of an argument of the main graph, under the argument's name."""
        self.declare(block, value, value.name)
        self.hold(value, value.name)
        block.vars[value.name].need_check_feed = True

    def add_holder(self, block: Block, kind: VarKind, base: str) -> str:
        """A variable that holds no tensor, called `base` if possible."""
        name = self.fresh(base)
        known = self._like_vars.get(name)
        fits = known is not None and known.kind is kind
        block.vars[name] = dataclasses.replace(known) if known is not None and fits else Var(name, kind)
        return name

    def add_weights(self, main: Block, graph: Graph) -> None:
        """Weights for the constants of all graphs; those of one name and array are one weight."""
        shared: dict[tuple[str, object], str] = {}
        for inner in graph.walk(regions=True):
            for value in inner.constants.values():
                if value.data is None:
                    raise GraphError(f"graph {inner.name}: constant {value!r} has no array")
                key = (value.name, _identity(value.data))
                if key not in shared:
                    shared[key] = self._add_weight(main, value, value.data)
                self.alias(value, shared[key])

    def _add_weight(self, main: Block, value: Value, array: Array) -> str:
        is_result = self._results.get(value.name) is value
        name = value.name if is_result else self.fresh(value.name)
        self._program.weights[name] = Weight(array, self._lod(value.name, array))
        self.declare(main, value, name)
        main.vars[name].persistable = True
        main.vars[name].is_parameter = True
        return name

    def _lod(self, name: str, array: Array) -> Lod:
        known = self._like.weights.get(name) if self._like is not None else None
        return known.lod if known is not None and _identity(known.array) == _identity(array) else NO_LOD


def _identity(array: Array) -> object:
    """The same for two arrays that are the same elements in memory."""
    interface = array.__array_interface__
    return interface["data"][0], array.shape, array.strides, array.dtype


def _size(dim: Dim) -> int:
    return dim if isinstance(dim, int) else _UNKNOWN_SIZE


def _joined(first: Shape | None, second: Shape | None) -> Shape | None:
    """The shape of a variable that holds a value of the one shape and then one of the other."""
    if first is None or second is None or len(first) != len(second):
        return None
    return tuple(a if a == b else _UNKNOWN_SIZE for a, b in zip(first, second, strict=True))
