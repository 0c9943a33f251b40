"""Program → Graph: every write gets a version of its own, sub-blocks become nested graphs.

A node with a sub-block lists the values that the sub-block reads from outside as inputs and those that
it writes outside as new outputs.  The nested graph has them as arguments and results, which take the
place of φ functions (A. Appel, "SSA is functional programming", 1998)::

    outputs Out[k]  =  while(Condition=[c], X=[carried…, read…]) {carried = n}
    block arguments =  c, carried…, read…          block results = c', carried'…

A loop's outputs are the final c' and carried'….  ``conditional_block`` has the slot Input instead of X
and no argument for its condition; if the condition does not hold, its outputs are the carried inputs.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from lite.errors import GraphError, suggest
from lite.ir.graph import SUBGRAPH, Graph, Ids, Node, Value
from lite.ir.program import AttrType, AttrValue, Block, Op, Program, VarKind
from lite.ir.scope import Scope

WHILE = "while"
CONDITIONAL = ("conditional_block", "conditional_block_infer")
ARRAY_WRITE = "write_to_array"

_DROPPED_ATTRS = frozenset({"op_callstack", "op_namescope", "op_role", "op_role_var", "op_device"})


def build_graph(program: Program, effects: Collection[str] = (), keep: Sequence[str] = ()) -> Graph:
    """The graph of the main block, whose feed and fetch ops become arguments and results, by ``col``.

    `effects` are the op types that must keep their order among each other.  The final values of the
    variables in `keep` are results after the model's outputs.  Weights are constants of each graph that
    reads them; the graphs share the arrays.

    Raises `GraphError` for a variable that no op writes or that is fed twice, for a read before the write
    (a cycle), a weight without data, a block index that is out of range or cyclic, and a name in `keep`
    that the main block lacks.
    """
    if not program.blocks:
        raise GraphError(f"{program.source}: the program has no blocks")
    main = program.blocks[0]
    scope = Scope(program, main, None, Ids())
    for name in fed_names(program):
        if name in scope.current:
            raise GraphError(f"{program.source}: {name!r} is fed twice")
        scope.add_argument(name)
    builder = _BlockBuilder(program, scope, frozenset(effects))
    builder.add_ops(op for op in main.ops if op.type not in ("feed", "fetch"))
    fetched = fetched_names(program)
    for name in keep:
        if name not in scope.current:
            near = suggest(name, scope.current)
            raise GraphError(f"{program.source}: keep: the main block has no variable {name!r}{near}")
    names = [*fetched, *(name for name in keep if name not in fetched)]
    scope.graph.set_results((scope.read(name, "fetch") for name in names), names)
    return scope.graph


def fed_names(program: Program) -> list[str]:
    """The variables that the main block is fed, by ``col``.

    A program without feed ops is fed the tensors with ``need_check_feed`` that no op writes.
    """
    block = program.blocks[0]
    feeds = sorted((op for op in block.ops if op.type == "feed"), key=_column)
    names = [name for op in feeds for name in op.outputs.get("Out", ())]
    if names:
        return names
    written = {name for op in block.ops for outputs in op.outputs.values() for name in outputs}
    declared = (var for var in block.vars.values() if var.need_check_feed and var.kind == VarKind.TENSOR)
    return [var.name for var in declared if var.name not in written]


def fetched_names(program: Program) -> list[str]:
    """The variables that the main block fetches, by ``col``; raises `GraphError` if there are none."""
    fetches = sorted((op for op in program.blocks[0].ops if op.type == "fetch"), key=_column)
    names = [name for op in fetches for name in op.inputs.get("X", ())]
    if not names:
        raise GraphError(
            f"{program.source}: the program fetches nothing; was it saved for inference, with its outputs?"
        )
    return names


def block_inputs(node: Node) -> list[Value]:
    """The inputs of a node that its sub-block has as arguments, in their order."""
    if node.op == WHILE:
        return [*node.inputs.get("Condition", ()), *node.inputs.get("X", ())]
    if node.op in CONDITIONAL:
        return list(node.inputs.get("Input", ()))
    return list(node.all_inputs())


def _column(op: Op) -> int:
    column = op.attr("col")
    return column if isinstance(column, int) else 0


class _BlockBuilder:
    """Adds the ops of one block to the graph of its scope."""

    def __init__(self, program: Program, scope: Scope, effects: frozenset[str]) -> None:
        self.program = program
        self.scope = scope
        self.graph = scope.graph
        self.effects = effects

    def add_ops(self, ops: Iterable[Op]) -> None:
        for op in ops:
            block_index = next((a.value for a in op.attrs.values() if a.type == AttrType.BLOCK), None)
            if block_index is None and op.type not in (WHILE, *CONDITIONAL, SUBGRAPH):
                self._add_plain(op)
            elif block_index is None:
                raise GraphError(f"{self.program.source}: {op.type}: attribute sub_block is missing")
            elif op.type == WHILE:
                self._add_while(op, self._nested_block(op, block_index))
            elif op.type in CONDITIONAL:
                self._add_conditional(op, self._nested_block(op, block_index))
            elif op.type == SUBGRAPH:
                # A saved region is only its ops: regions are planned again for the devices of the Config.
                self.add_ops(self._nested_block(op, block_index).ops)
            else:
                raise GraphError(
                    f"{self.program.source}: {op.type}: ops of this type cannot have a sub-block"
                )

    def _add_plain(self, op: Op) -> None:
        reader = f"op {op.type}"
        inputs: dict[str, list[Value]] = {}
        for slot, names in op.inputs.items():
            held = filter(self.scope.holds_value, names)
            inputs[slot] = [self.scope.read(name, f"{reader}, slot {slot}") for name in held]
        for attr, attribute in op.attrs.items():
            if attribute.type in (AttrType.VAR, AttrType.VARS):
                variables = attribute.value if isinstance(attribute.value, list) else [attribute.value]
                where = f"{reader}, attribute {attr}"
                inputs[attr] = [self.scope.read(str(name), where) for name in variables]
        if op.type == ARRAY_WRITE:
            inputs["Array"] = [self.scope.read(name, reader) for name in op.outputs.get("Out", ())]
        outputs = {slot: list(filter(self.scope.holds_value, names)) for slot, names in op.outputs.items()}
        node = self.graph.add_node(op.type, inputs, outputs, _plain_attrs(op))
        node.effect = op.type in self.effects
        for value in node.all_outputs():
            self.scope.write(value)

    def _nested_block(self, op: Op, index: AttrValue) -> Block:
        blocks = self.program.blocks
        where = f"{self.program.source}: {op.type}: sub_block"
        if not isinstance(index, int) or not 0 < index < len(blocks):
            raise GraphError(f"{where} is {index}; the program has blocks 0 to {len(blocks) - 1}")
        scope: Scope | None = self.scope
        while scope is not None:
            if scope.block.index == blocks[index].index:
                raise GraphError(f"{where} {index} contains itself")
            scope = scope.parent
        return blocks[index]

    def _add_while(self, op: Op, block: Block) -> None:
        loop_writes = frozenset(_outer_writes(self.program, block))
        inner = Scope(self.program, block, self.scope, self.graph.ids, loop_writes)
        condition = self._condition(op)
        inner.capture(condition)
        _BlockBuilder(self.program, inner, self.effects).add_ops(block.ops)
        carried = [condition, *(name for name in inner.outer_writes(op) if name != condition)]
        for name in carried:
            if not self.scope.has(name):
                self.scope.initialise(name)
            if name not in inner.captured:
                inner.capture_for_result(name)
        inner.order_arguments(carried)
        inputs = {"Condition": [condition], "X": [name for name in inner.captured if name != condition]}
        self._add_control(op, inner, inputs, carried, len(carried))

    def _add_conditional(self, op: Op, block: Block) -> None:
        inner = Scope(self.program, block, self.scope, self.graph.ids)
        _BlockBuilder(self.program, inner, self.effects).add_ops(block.ops)
        written = inner.outer_writes(op)
        carried = [name for name in written if self.scope.has(name)]
        for name in carried:
            if name not in inner.captured:
                inner.capture_for_result(name)
        inner.order_arguments(carried)
        inputs = {"Cond": op.inputs.get("Cond", []), "Input": inner.captured}
        results = [*carried, *(name for name in written if name not in carried)]
        self._add_control(op, inner, inputs, results, len(carried))

    def _add_control(
        self, op: Op, inner: Scope, inputs: dict[str, list[str]], results: list[str], carried: int
    ) -> None:
        inner.graph.set_results([inner.current[name] for name in results], results)
        reader = f"op {op.type}"
        values = {slot: [self.scope.read(name, reader) for name in names] for slot, names in inputs.items()}
        attrs = {**_plain_attrs(op), "carried": carried}
        node = self.graph.add_node(op.type, values, {"Out": results}, attrs)
        node.blocks.append(inner.graph)
        node.effect = op.type in self.effects or any(n.effect for n in inner.graph)
        for value in node.all_outputs():
            self.scope.write(value)

    def _condition(self, op: Op) -> str:
        names = op.inputs.get("Condition", [])
        if len(names) != 1:
            raise GraphError(
                f"{self.program.source}: {op.type}: slot Condition names {len(names)} variables, expected one"
            )
        return names[0]


def _outer_writes(program: Program, block: Block, seen: frozenset[int] = frozenset()) -> set[str]:
    """The variables of enclosing blocks that a block, or a block nested in it, writes."""
    seen |= {block.index}
    names: set[str] = set()
    for op in block.ops:
        names.update(name for outputs in op.outputs.values() for name in outputs)
        for attribute in op.attrs.values():
            index = attribute.value if attribute.type == AttrType.BLOCK else None
            if isinstance(index, int) and 0 < index < len(program.blocks) and index not in seen:
                names |= _outer_writes(program, program.blocks[index], seen)
    return names - block.vars.keys()


def _plain_attrs(op: Op) -> dict[str, AttrValue]:
    structural = (AttrType.BLOCK, AttrType.BLOCKS, AttrType.VAR, AttrType.VARS)
    return {
        name: attribute.value
        for name, attribute in op.attrs.items()
        if attribute.type not in structural and name not in _DROPPED_ATTRS
    }
