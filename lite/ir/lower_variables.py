"""Variables for the values of a graph: names, declarations, weights, and when a variable may be reused."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable

from lite.errors import GraphError
from lite.ir.graph import Graph, Node, Value
from lite.ir.program import Block, Program, Var, VarKind, Weight
from lite.ir.types import NO_LOD, Array, Dim, Lod, Shape

_UNKNOWN_SIZE = -1


class Variables:
    """Gives every value a variable; a name means the same variable in all blocks.

    The names of the main graph's arguments and results are reserved for them.  `holders` maps each
    variable to the value that it holds at the present point of lowering.
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

    def __contains__(self, value: Value) -> bool:
        """Whether a value has a variable already."""
        return value in self._names

    def is_unused(self, name: str) -> bool:
        """Whether the variable has held no value so far."""
        return name not in self.holders

    def fresh(self, base: str) -> str:
        """A new name: `base`, or `base` with a number if that is taken."""
        name = base
        while name in self._taken:
            self._number[base] = self._number.get(base, 0) + 1
            name = f"{base}_{self._number[base]}"
        self._taken.add(name)
        return name

    def hold(self, block: Block, value: Value, name: str) -> None:
        """Declare the variable `name` and note that it holds `value` from now on."""
        self.declare(block, value, name)
        self._names[value] = name
        self.holders[name] = value

    def alias(self, value: Value, name: str) -> None:
        """Note that `value`, in a sub-block, is what the variable `name` of an outer block holds."""
        self._names[value] = name

    def declare(self, block: Block, value: Value, name: str) -> None:
        """Declare the variable `name` with the type of `value`, in `block` unless it is declared already."""
        shape = None if value.shape is None else tuple(_size(dim) for dim in value.shape)
        if name in self._declared:
            self._declared[name].shape = _common_shape(self._declared[name].shape, shape)
            return
        original = self._like_vars.get(name)
        var = Var(name) if original is None else dataclasses.replace(original)
        var.kind, var.dtype, var.shape = value.kind, value.dtype, shape
        if value.lod_level or var.lod_level:
            var.lod_level = value.lod_level
        if var.persistable and name not in self._program.weights:
            var.persistable = False
        block.vars[name] = self._declared[name] = var

    def temporary(self, block: Block, value: Value) -> str:
        """A new variable with the type of a value."""
        name = self.fresh(self[value])
        self.declare(block, value, name)
        return name

    def add_feed(self, block: Block, value: Value) -> None:
        """Declare the variable of an argument of the main graph, which has the argument's name."""
        self.hold(block, value, value.name)
        block.vars[value.name].need_check_feed = True

    def add_holder(self, block: Block, kind: VarKind, base: str) -> str:
        """A new variable of a kind that holds no tensor, called `base` if possible."""
        name = self.fresh(base)
        original = self._like_vars.get(name)
        fits = original is not None and original.kind is kind
        block.vars[name] = dataclasses.replace(original) if original is not None and fits else Var(name, kind)
        return name

    def add_weights(self, main: Block, graph: Graph) -> None:
        """Add weights for the constants of all graphs; the same name and array are one weight."""
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
        original = self._like.weights.get(name) if self._like is not None else None
        same = original is not None and _identity(original.array) == _identity(array)
        return original.lod if original is not None and same else NO_LOD


class Liveness:
    """The last use of each value of a graph, after which the value's variable may be written again.

    The variables of constants and of arguments that are not `carried` may never be written, and results
    are used until the end of the graph.
    """

    def __init__(self, graph: Graph, carried: Iterable[Value]) -> None:
        self._position = {node: position for position, node in enumerate(graph)}
        self._carried = set(carried)

    def ends_at(self, value: Value, node: Node) -> bool:
        """Whether `node` may write the variable of `value`: no later node reads the value."""
        return self._is_writable(value) and self._last_use(value) <= self._position[node]

    def ends_before(self, value: Value, node: Node) -> bool:
        """Like `ends_at`, and `node` does not read the value either."""
        return self._is_writable(value) and self._last_use(value) < self._position[node]

    def _is_writable(self, value: Value) -> bool:
        owned = value.producer is not None or value in self._carried
        return owned and not value.is_result and not value.is_constant

    def _last_use(self, value: Value) -> int:
        return max((self._position[user] for user in value.users), default=-1)


def _identity(array: Array) -> object:
    """A key that is equal for two arrays with the same elements in memory."""
    interface = array.__array_interface__
    return interface["data"][0], array.shape, array.strides, array.dtype


def _size(dim: Dim) -> int:
    return dim if isinstance(dim, int) else _UNKNOWN_SIZE


def _common_shape(first: Shape | None, second: Shape | None) -> Shape | None:
    """The shape of a variable that holds values of both shapes."""
    if first is None or second is None or len(first) != len(second):
        return None
    return tuple(a if a == b else _UNKNOWN_SIZE for a, b in zip(first, second, strict=True))
