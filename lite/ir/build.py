"""Program → Graph: every write gets a version of its own, sub-blocks become nested graphs.

A node with sub-blocks lists what its blocks read from outside as inputs and what they write outside
as new outputs.  ``while`` (after R. Cytron et al., SSA with block arguments instead of φ)::

    outputs Out[k]  =  while(Condition=[c], X=[carried…, read…]) {carried = n}
    block arguments =  c, carried…, read…          block results = c', carried'…

Its outputs are the final c' and carried'…; ``conditional_block`` has Input instead of X, no
argument for its condition, and returns the carried arguments when the condition does not hold.
Weights are constants of each graph that reads them; the arrays are shared.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from lite.errors import GraphError, suggest
from lite.ir.graph import SUBGRAPH, Graph, Ids, Node, Value
from lite.ir.program import AttrType, AttrValue, Block, Op, Program, VarKind
from lite.ir.types import UNKNOWN, Dim

WHILE = "while"
CONDITIONAL = ("conditional_block", "conditional_block_infer")
ARRAY_WRITE = "write_to_array"
ARRAY_CREATE = "create_array"
UNINITIALIZED = "uninitialized"

_DROPPED_ATTRS = frozenset({"op_callstack", "op_namescope", "op_role", "op_role_var", "op_device"})
_EMPTY = "@EMPTY@"
"""What Paddle writes where a slot's variable is absent."""
_HOLDERS = (VarKind.STEP_SCOPES, VarKind.FEED, VarKind.FETCH, VarKind.RAW)


def build_graph(program: Program, effects: Collection[str] = (), keep: Sequence[str] = ()) -> Graph:
    """The main block's graph; feed and fetch ops become its arguments and results, ordered by ``col``.

    `effects` are the op types whose order among each other counts.  The last values of the variables
    in `keep` are returned behind the model's outputs.

    Raises `GraphError`: a variable without producer or fed twice, a read before the write (a cycle), a
    weight without data, block indices that are out of range or cyclic, a kept name that does not exist.
    """
    if not program.blocks:
        raise GraphError(f"{program.source}: the program has no blocks")
    main = program.blocks[0]
    builder = _BlockBuilder(program, main, None, Ids(), frozenset(effects))
    for name in fed_names(program):
        if name in builder.current:
            raise GraphError(f"{program.source}: {name!r} is fed twice")
        builder.add_argument(name)
    builder.add_ops(op for op in main.ops if op.type not in ("feed", "fetch"))
    fetched = fetched_names(program)
    for name in keep:
        if name not in builder.current:
            near = suggest(name, builder.current)
            raise GraphError(f"{program.source}: keep: the main block has no variable {name!r}{near}")
    names = [*fetched, *(name for name in keep if name not in fetched)]
    builder.graph.set_results((builder.read(name, "fetch") for name in names), names)
    return builder.graph


def block_inputs(node: Node) -> list[Value]:
    """The inputs of a node that the arguments of its sub-block stand for, in their order."""
    if node.op == WHILE:
        return [*node.inputs.get("Condition", ()), *node.inputs.get("X", ())]
    if node.op in CONDITIONAL:
        return list(node.inputs.get("Input", ()))
    return list(node.all_inputs())


class _BlockBuilder:
    """Builds one block's graph; `current` maps each variable to its newest value."""

    def __init__(
        self,
        program: Program,
        block: Block,
        parent: _BlockBuilder | None,
        ids: Ids,
        effects: frozenset[str],
    ) -> None:
        self.program = program
        self.block = block
        self.parent = parent
        self.effects = effects
        self.graph = Graph(ids, "main" if parent is None else f"block{block.index}")
        self.current: dict[str, Value] = {}
        self.captured: list[str] = []
        self.written: dict[str, None] = {}
        self.loop_writes: frozenset[str] = frozenset()
        """Outer variables that a loop's body writes: an iteration may find what an earlier one wrote."""

    def add_argument(self, name: str) -> Value:
        value = self.graph.add_arg(name)
        self._describe(value)
        self.current[name] = value
        return value

    def add_ops(self, ops: Iterable[Op]) -> None:
        for op in ops:
            block_index = next((a.value for a in op.attrs.values() if a.type == AttrType.BLOCK), None)
            if block_index is None and op.type not in (WHILE, *CONDITIONAL):
                self._add_plain(op)
            elif block_index is None:
                raise GraphError(f"{self.program.source}: {op.type}: attribute sub_block is missing")
            elif op.type == WHILE:
                self._add_while(op, self._nested(op, block_index))
            elif op.type in CONDITIONAL:
                self._add_conditional(op, self._nested(op, block_index))
            elif op.type == SUBGRAPH:
                # Which devices there are is asked anew: a region saved earlier is only its ops.
                self.add_ops(self._nested_block(op, block_index).ops)
            else:
                raise GraphError(f"{self.program.source}: {op.type}: no rule says what its sub-block means")

    def read(self, name: str, reader: str) -> Value:
        """The newest value of `name` here; captured from outside, or a weight, where it is not local."""
        value = self.current.get(name)
        if value is None:
            value = self._from_outside(name) or self._undefined(name, reader)
            self.current[name] = value
        return value

    def has(self, name: str) -> bool:
        """Whether `name` has a value here or outside."""
        if name in self.current or name in self.loop_writes or name in self.program.weights:
            return True
        return self.parent is not None and self.parent.has(name)

    def capture(self, name: str) -> Value:
        """An argument of this block for an outer variable."""
        self.captured.append(name)
        return self.add_argument(name)

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
        """Whether an enclosing block wrote the weight before, or an earlier iteration may have."""
        builder = self
        while name not in builder.loop_writes and builder.parent is not None:
            builder = builder.parent
            value = builder.current.get(name)
            if value is not None and not value.is_constant:
                return True
        return name in builder.loop_writes

    def _undefined(self, name: str, reader: str) -> Value:
        var = self.program.find_var(self.block, name)
        if var is not None and var.kind == VarKind.TENSOR_ARRAY:
            return self._write(self.graph.add_node(ARRAY_CREATE, {}, {"Out": [name]}).output())
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

    def _write(self, value: Value) -> Value:
        self._describe(value)
        self.current[value.name] = value
        self.written[value.name] = None
        return value

    def _describe(self, value: Value) -> None:
        var = self.program.find_var(self.block, value.name)
        if var is not None:
            value.kind, value.dtype, value.lod_level = var.kind, var.dtype, var.lod_level or 0
            value.shape = None if var.shape is None else tuple(_dim(dim) for dim in var.shape)

    def _holds_nothing(self, name: str) -> bool:
        if name == _EMPTY:
            return True
        var = self.program.find_var(self.block, name)
        return var is not None and var.kind in _HOLDERS and name not in self.program.weights

    def _add_plain(self, op: Op) -> Node:
        reader = f"op {op.type}"
        inputs: dict[str, list[Value]] = {}
        for slot, names in op.inputs.items():
            inputs[slot] = [
                self.read(n, f"{reader}, slot {slot}") for n in names if not self._holds_nothing(n)
            ]
        for name, attribute in op.attrs.items():
            if attribute.type in (AttrType.VAR, AttrType.VARS):
                inputs[name] = [self.read(n, f"{reader}, attribute {name}") for n in _names(attribute.value)]
        if op.type == ARRAY_WRITE:
            inputs["Array"] = [self.read(name, reader) for name in op.outputs.get("Out", ())]
        outputs = {
            slot: [n for n in names if not self._holds_nothing(n)] for slot, names in op.outputs.items()
        }
        node = self.graph.add_node(op.type, inputs, outputs, _plain_attrs(op))
        node.effect = op.type in self.effects
        for value in node.all_outputs():
            self._write(value)
        return node

    def _nested_block(self, op: Op, index: AttrValue) -> Block:
        blocks = self.program.blocks
        where = f"{self.program.source}: {op.type}: sub_block"
        if not isinstance(index, int) or not 0 < index < len(blocks):
            raise GraphError(f"{where} is {index}; the program has blocks 0 to {len(blocks) - 1}")
        outer: _BlockBuilder | None = self
        while outer is not None:
            if outer.block.index == blocks[index].index:
                raise GraphError(f"{where} {index} contains itself")
            outer = outer.parent
        return blocks[index]

    def _nested(self, op: Op, index: AttrValue) -> _BlockBuilder:
        block = self._nested_block(op, index)
        inner = _BlockBuilder(self.program, block, self, self.graph.ids, self.effects)
        if op.type == WHILE:
            inner.loop_writes = frozenset(_outer_writes(self.program, block))
            inner.capture(_condition(op, "Condition", self.program))
        inner.add_ops(block.ops)
        return inner

    def _add_while(self, op: Op, inner: _BlockBuilder) -> None:
        condition = inner.captured[0]
        carried = [condition, *(name for name in inner.outer_writes(op) if name != condition)]
        for name in carried:
            if not self.has(name):
                self._initialise(name)
            if name not in inner.captured:
                inner.capture_for_result(name)
        inner.order_arguments(carried)
        inputs = {"Condition": [condition], "X": [n for n in inner.captured if n != condition]}
        self._add_control(op, inner, inputs, carried, len(carried))

    def _add_conditional(self, op: Op, inner: _BlockBuilder) -> None:
        written = inner.outer_writes(op)
        carried = [name for name in written if self.has(name)]
        for name in carried:
            if name not in inner.captured:
                inner.capture_for_result(name)
        inner.order_arguments(carried)
        inputs = {"Cond": op.inputs.get("Cond", []), "Input": inner.captured}
        results = [*carried, *(name for name in written if name not in carried)]
        self._add_control(op, inner, inputs, results, len(carried))

    def _add_control(
        self,
        op: Op,
        inner: _BlockBuilder,
        inputs: dict[str, list[str]],
        results: list[str],
        carried: int,
    ) -> None:
        inner.graph.set_results([inner.current[name] for name in results], results)
        reader = f"op {op.type}"
        values = {slot: [self.read(name, reader) for name in names] for slot, names in inputs.items()}
        attrs = {**_plain_attrs(op), "carried": carried}
        node = self.graph.add_node(op.type, values, {"Out": results}, attrs)
        node.blocks.append(inner.graph)
        node.effect = op.type in self.effects or any(n.effect for n in inner.graph)
        for value in node.all_outputs():
            self._write(value)

    def outer_writes(self, op: Op) -> list[str]:
        """Variables of enclosing blocks that this block writes, those first that `op` lists in Out."""
        written = [name for name in self.written if name not in self.block.vars]
        listed = [name for name in op.outputs.get("Out", ()) if name in written]
        return list(dict.fromkeys([*listed, *written]))

    def capture_for_result(self, name: str) -> None:
        """An argument that only pairs with a result: the newest value stays what the block wrote."""
        written = self.current.get(name)
        argument = self.capture(name)
        self.current[name] = written or argument

    def order_arguments(self, first: list[str]) -> None:
        """Put the arguments for `first` in front, in that order."""
        arguments = {value.name: value for value in self.graph.args}
        self.captured = [*first, *(name for name in self.captured if name not in first)]
        self.graph.args = [arguments[name] for name in self.captured]

    def _initialise(self, name: str) -> None:
        """Give a variable that a loop carries, and that has no value yet, one to begin with."""
        var = self.program.find_var(self.block, name)
        if var is not None and var.kind == VarKind.TENSOR_ARRAY:
            self.read(name, "tensor array")
            return
        self._write(self.graph.add_node(UNINITIALIZED, {}, {"Out": [name]}).output())


def _outer_writes(program: Program, block: Block, seen: frozenset[int] = frozenset()) -> set[str]:
    """Variables of enclosing blocks that a block, or a block nested in it, writes."""
    seen |= {block.index}
    names: set[str] = set()
    for op in block.ops:
        names.update(name for found in op.outputs.values() for name in found)
        for attribute in op.attrs.values():
            index = attribute.value if attribute.type == AttrType.BLOCK else None
            if isinstance(index, int) and 0 < index < len(program.blocks) and index not in seen:
                names |= _outer_writes(program, program.blocks[index], seen)
    return names - block.vars.keys()


def fed_names(program: Program) -> list[str]:
    """What the main block is fed, ordered by ``col``; without feed ops, variables that want checking."""
    block = program.blocks[0]
    feeds = [op for op in block.ops if op.type == "feed"]
    feeds.sort(key=_column)
    names = [name for op in feeds for name in op.outputs.get("Out", ())]
    if names:
        return names
    written = {name for op in block.ops for outputs in op.outputs.values() for name in outputs}
    declared = (var for var in block.vars.values() if var.need_check_feed and var.kind == VarKind.TENSOR)
    return [var.name for var in declared if var.name not in written]


def fetched_names(program: Program) -> list[str]:
    """What the main block fetches, ordered by ``col``; raises `GraphError` when that is nothing."""
    fetches = [op for op in program.blocks[0].ops if op.type == "fetch"]
    fetches.sort(key=_column)
    names = [name for op in fetches for name in op.inputs.get("X", ())]
    if not names:
        raise GraphError(
            f"{program.source}: the program fetches nothing; was it saved for inference, with its outputs?"
        )
    return names


def _column(op: Op) -> int:
    column = op.attr("col")
    return column if isinstance(column, int) else 0


def _condition(op: Op, slot: str, program: Program) -> str:
    names = op.inputs.get(slot, [])
    if len(names) != 1:
        raise GraphError(
            f"{program.source}: {op.type}: slot {slot} names {len(names)} variables, expected one"
        )
    return names[0]


def _plain_attrs(op: Op) -> dict[str, AttrValue]:
    structural = (AttrType.BLOCK, AttrType.BLOCKS, AttrType.VAR, AttrType.VARS)
    return {
        name: attribute.value
        for name, attribute in op.attrs.items()
        if attribute.type not in structural and name not in _DROPPED_ATTRS
    }


def _names(value: AttrValue) -> list[str]:
    return [str(name) for name in value] if isinstance(value, list) else [str(value)]


def _writes(op: Op, name: str) -> bool:
    return any(name in names for names in op.outputs.values())


def _dim(dim: Dim) -> Dim:
    return UNKNOWN if isinstance(dim, int) and dim < 0 else dim
