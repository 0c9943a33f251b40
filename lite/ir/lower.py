"""Graph → Program: values become variables again, nested graphs sub-blocks.

Paddle's sub-blocks read outer variables by name, and a loop carries what its body writes to them.
So what a node carries gets one variable for its input, the argument, the result and the output where
no other value needs it meanwhile; where one does, ``assign`` ops copy.  All other values get a variable
of their own, called after them.  Places and quantisation have no room in a Program.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from lite.errors import GraphError
from lite.ir.build import ARRAY_CREATE, ARRAY_WRITE, CONDITIONAL, UNINITIALIZED, WHILE, block_inputs
from lite.ir.graph import Graph, Node, Value
from lite.ir.lower_attributes import AttributeTypes
from lite.ir.lower_liveness import Liveness
from lite.ir.lower_variables import Variables
from lite.ir.program import Attribute, AttrType, Block, Op, Program

_IN_PLACE = frozenset({"increment"})
"""Ops that Paddle runs with one variable as input and output."""

_SCOPE_SLOTS = {WHILE: "StepScopes", **dict.fromkeys(CONDITIONAL, "Scope")}


def lower_graph(graph: Graph, like: Program | None = None, fetch: Collection[str] | None = None) -> Program:
    """The program whose graph is this one, up to ``assign`` ops and the versions of names.

    It feeds the arguments and fetches the results under their names, in order; with `fetch`, only
    results with these names.  `like` is the program the graph was built from: attributes get the types
    and variables the flags that they have there.

    Raises `GraphError`: arguments or different results of one name, a node with several sub-blocks, an
    attribute that no type holds.
    """
    lowering = _Lowering(graph, like)
    main = _BlockLowering(lowering, graph, lowering.add_block(-1))
    main.lower_main(fetch)
    return lowering.program


class _Lowering:
    """What the blocks of a program share."""

    def __init__(self, graph: Graph, like: Program | None) -> None:
        self.program = Program()
        if like is not None:
            self.program.version, self.program.source = like.version, like.source
            self.program.op_versions = None if like.op_versions is None else dict(like.op_versions)
            self.program.extra = like.extra
        self.variables = Variables(self.program, graph, like)
        self.types = AttributeTypes(like)

    def add_block(self, parent: int) -> Block:
        block = Block(len(self.program.blocks), parent)
        self.program.blocks.append(block)
        return block


class _BlockLowering:
    """Lowers one graph into one block."""

    def __init__(self, shared: _Lowering, graph: Graph, block: Block, carried: Iterable[Value] = ()) -> None:
        self.shared = shared
        self.variables = shared.variables
        self.graph = graph
        self.block = block
        self.live = Liveness(graph, carried)
        self.wanted: dict[Value, str] = {}
        self.blank: set[Value] = set()
        """Values of variables that no op wrote: tensor arrays just created, values nobody may read."""

    def lower_main(self, fetch: Collection[str] | None) -> None:
        variables, graph = self.variables, self.graph
        results = dict(zip(graph.result_names, graph.results, strict=True))
        if any(results[name] is not value for name, value in zip(graph.result_names, graph.results, strict=True)):
            raise GraphError(f"graph {graph.name}: different results have one name: {graph.result_names}")
        feed, fetched = variables.add_holders(self.block)
        for column, value in enumerate(graph.args):
            variables.add_feed(self.block, value)
            self._emit("feed", {"X": [feed]}, {"Out": [value.name]}, _column(column))
        self._lower_body(list(results.items()))
        columns = [name for name in graph.result_names if fetch is None or name in fetch]
        for column, name in enumerate(columns):
            self._emit("fetch", {"X": [name]}, {"Out": [fetched]}, _column(column))

    def _lower_body(self, targets: Sequence[tuple[str, Value]]) -> None:
        """The nodes, then the copies after which each target variable holds its value."""
        for name, value in targets:
            self._want(value, name)
        for node in self.graph:
            if node.blocks:
                self._lower_control(node)
            elif node.op in (ARRAY_CREATE, UNINITIALIZED):
                self._lower_blank(node)
            else:
                self._lower_plain(node)
        self._copy_all([(name, value) for name, value in targets if self.variables[value] != name])

    def _want(self, value: Value | None, name: str) -> None:
        """Let `value`, and what its variable is taken over from, be called `name` if possible."""
        while value is not None and value.producer is not None and value not in self.wanted:
            self.wanted[value] = name
            value = self._taken_over(value)

    def _taken_over(self, value: Value) -> Value | None:
        """The value whose variable the producer of `value` may go on using for it."""
        node = value.producer
        if node is None:
            return None
        position = list(node.all_outputs()).index(value)
        if node.blocks:
            paired = block_inputs(node)[: _carried(node)]
        else:
            paired = node.inputs.get("Array", []) if node.op == ARRAY_WRITE else []
        if position >= len(paired):
            return None
        found = paired[position]
        return found if found.users[node] == 1 and self.live.ends_at(found, node) else None

    def _lower_plain(self, node: Node) -> None:
        inputs = {slot: [self.variables[v] for v in values] for slot, values in node.inputs.items()}
        attrs = {name: self.shared.types.attribute(node, name) for name in node.attrs}
        if node.op == ARRAY_WRITE:
            inputs.pop("Array", None)
        for slot in list(inputs):
            kind = self.shared.types.variable_type(node, slot)
            if kind is not None:
                names = inputs.pop(slot)
                attrs[slot] = Attribute(kind, names if kind == AttrType.VARS else names[0])
        outputs: dict[str, list[str]] = {}
        for slot, values in node.outputs.items():
            outputs[slot] = [self._carry(node, value) if self._is_array(node) else self._write(node, value) for value in values]
        self._emit(node.op, inputs, outputs, attrs)
