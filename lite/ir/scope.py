"""Scope: the newest value of each variable while the graph of a block is built.

This is the renaming of variables in the construction of SSA form (R. Cytron et al., 1991), for the
structured control flow of Paddle's blocks.
"""

from __future__ import annotations

from lite.errors import GraphError
from lite.ir.graph import Graph, Ids, Value
from lite.ir.program import Block, Op, Program, VarKind
from lite.ir.types import UNKNOWN, Dim

ARRAY_CREATE = "create_array"
"""The op that makes the empty tensor array of a variable without a value."""
UNINITIALIZED = "uninitialized"
"""The op that makes the initial value of a variable that a loop carries and that has none."""

_EMPTY = "@EMPTY@"
"""Paddle's name for the absent variable of a slot."""
_HOLDERS = (VarKind.STEP_SCOPES, VarKind.FEED, VarKind.FETCH, VarKind.RAW)
"""Kinds of variables that hold no value of the model."""


class Scope:
    """The graph of one block, and the newest value of each of its variables, `current`.

    `captured` names the outer variables that are arguments of the graph, in their order; `loop_writes`
    the outer variables that the body of a loop writes, so that an iteration may read the value that an
    earlier iteration wrote.
    """

    def __init__(
        self,
        program: Program,
        block: Block,
        parent: Scope | None,
        ids: Ids,
        loop_writes: frozenset[str] = frozenset(),
    ) -> None:
        self.program = program
        self.block = block
        self.parent = parent
        self.loop_writes = loop_writes
        self.graph = Graph(ids, "main" if parent is None else f"block{block.index}")
        self.current: dict[str, Value] = {}
        self.captured: list[str] = []
        self._written: dict[str, None] = {}

    def add_argument(self, name: str) -> Value:
        """A new argument of the graph for a variable."""
        value = self.graph.add_arg(name)
        self._describe(value)
        self.current[name] = value
        return value

    def capture(self, name: str) -> Value:
        """A new argument of the graph for an outer variable."""
        self.captured.append(name)
        return self.add_argument(name)

    def capture_for_result(self, name: str) -> None:
        """A new argument that is only paired with a result; a value that the block wrote stays current."""
        written = self.current.get(name)
        argument = self.capture(name)
        self.current[name] = written or argument

    def order_arguments(self, first: list[str]) -> None:
        """Put the arguments for these variables in front, in their order."""
        arguments = {value.name: value for value in self.graph.args}
        self.captured = [*first, *(name for name in self.captured if name not in first)]
        self.graph.args = [arguments[name] for name in self.captured]

    def read(self, name: str, reader: str) -> Value:
        """The newest value of a variable; one that is not local becomes an argument or a constant.

        Raises `GraphError`, naming the `reader`, for a variable without a value.
        """
        value = self.current.get(name)
        if value is None:
            value = self._from_outside(name) or self._create(name, reader)
            self.current[name] = value
        return value

    def has(self, name: str) -> bool:
        """Whether a variable has a value in this block or outside."""
        if name in self.current or name in self.loop_writes or name in self.program.weights:
            return True
        return self.parent is not None and self.parent.has(name)

    def write(self, value: Value) -> Value:
        """Make an output the newest value of its variable."""
        self._describe(value)
        self.current[value.name] = value
        self._written[value.name] = None
        return value

    def initialise(self, name: str) -> None:
        """Give an initial value to a variable that a loop carries and that has none."""
        var = self.program.find_var(self.block, name)
        if var is not None and var.kind == VarKind.TENSOR_ARRAY:
            self.read(name, "tensor array")
            return
        self.write(self.graph.add_node(UNINITIALIZED, {}, {"Out": [name]}).output())

    def outer_writes(self, op: Op) -> list[str]:
        """The variables of enclosing blocks that this block writes, first those in the slot Out of `op`."""
        written = [name for name in self._written if name not in self.block.vars]
        listed = [name for name in op.outputs.get("Out", ()) if name in written]
        return list(dict.fromkeys([*listed, *written]))

    def holds_value(self, name: str) -> bool:
        """Whether a variable holds a value of the model: not an absent one, a scope or a feed list."""
        if name == _EMPTY:
            return False
        var = self.program.find_var(self.block, name)
        return var is None or var.kind not in _HOLDERS or name in self.program.weights

    def _from_outside(self, name: str) -> Value | None:
        weight = self.program.weights.get(name)
        if weight is not None and not self._is_overwritten(name):
            value = self.graph.add_constant(name, weight.array)
            value.lod_level = len(weight.lod)
            return value
        if self.parent is None or name in self.block.vars:
            return None
        if name not in self.loop_writes and not self.parent.has(name):
            var = self.program.find_var(self.block, name)
            if var is None or var.kind != VarKind.TENSOR_ARRAY:
                return None
            self.parent.read(name, "tensor array")
        return self.capture(name)

    def _is_overwritten(self, name: str) -> bool:
        """Whether an enclosing block wrote to a weight before, or an earlier iteration may have."""
        scope = self
        while name not in scope.loop_writes and scope.parent is not None:
            scope = scope.parent
            value = scope.current.get(name)
            if value is not None and not value.is_constant:
                return True
        return name in scope.loop_writes

    def _create(self, name: str, reader: str) -> Value:
        """The empty tensor array of a variable without a value; raises `GraphError` for other kinds."""
        var = self.program.find_var(self.block, name)
        if var is not None and var.kind == VarKind.TENSOR_ARRAY:
            return self.write(self.graph.add_node(ARRAY_CREATE, {}, {"Out": [name]}).output())
        where = f"{self.program.source}: block {self.block.index}, {reader}"
        if var is not None and var.persistable:
            raise GraphError(f"{where}: weight {name!r} has no data; was the parameter file loaded?")
        later = next((n for n, op in enumerate(self.block.ops) if _writes(op, name)), None)
        if later is not None:
            raise GraphError(
                f"{where}: {name!r} is read before op {later} ({self.block.ops[later].type}) writes it; "
                "the ops are out of order or form a cycle"
            )
        raise GraphError(f"{where}: no op writes {name!r}, and it is neither fed nor a weight")

    def _describe(self, value: Value) -> None:
        """Set the type of a value to that of its variable."""
        var = self.program.find_var(self.block, value.name)
        if var is not None:
            value.kind, value.dtype, value.lod_level = var.kind, var.dtype, var.lod_level or 0
            value.shape = None if var.shape is None else tuple(_dim(dim) for dim in var.shape)


def _writes(op: Op, name: str) -> bool:
    return any(name in names for names in op.outputs.values())


def _dim(dim: Dim) -> Dim:
    return UNKNOWN if isinstance(dim, int) and dim < 0 else dim
