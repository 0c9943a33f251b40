"""Graph → Program: values become variables again, nested graphs become sub-blocks.

Paddle's sub-blocks read and write outer variables by name.  So the input, the argument, the result and
the output that a node carries share one variable, unless their lifetimes overlap; then ``assign`` ops
copy.  This is the translation out of SSA form, with parallel copies where results are permuted
(V. Sreedhar et al., "Translating out of static single assignment form", 1999).  Every other value has a
variable of its own with its name.  A Program has no fields for places, which are lost.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from lite.errors import GraphError
from lite.ir.build import ARRAY_WRITE, CONDITIONAL, WHILE, block_inputs
from lite.ir.graph import Graph, Node, Value
from lite.ir.lower_attributes import AttributeTypes
from lite.ir.lower_variables import Liveness, Variables
from lite.ir.program import Attribute, AttrType, Block, Op, Program, VarKind
from lite.ir.scope import ARRAY_CREATE, UNINITIALIZED

_IN_PLACE = frozenset({"increment"})
"""Ops whose input and output are the same variable in Paddle."""

_STATISTICS = {"MeanOut": "Mean", "VarianceOut": "Variance"}
"""Outputs of normalisations that Paddle requires to be the variables of these inputs."""

_SCOPE_SLOTS = {WHILE: "StepScopes", **dict.fromkeys(CONDITIONAL, "Scope")}


def lower_graph(graph: Graph, like: Program | None = None, fetch: Collection[str] | None = None) -> Program:
    """A program whose graph is `graph`, up to ``assign`` ops and the versions of names.

    It feeds the arguments and fetches the results under their names, in order; with `fetch`, only the
    results of these names.  `like` is the program that the graph was built from: it provides the types of
    attributes and the flags of variables.

    Raises `GraphError` for arguments, or different results, that share a name, for a node with several
    sub-blocks, for an attribute that no type holds, and for a quantised value.
    """
    quantized = [value for inner in graph.walk(regions=True) for value in _values(inner) if value.quant]
    if quantized:
        raise GraphError(
            f"graph {graph.name}: {quantized[0]!r} is quantised, which a Program cannot express; "
            "restore_quantization_pass makes ops of it"
        )
    program = Program()
    if like is not None:
        program.version, program.source, program.extra = like.version, like.source, like.extra
        program.op_versions = None if like.op_versions is None else dict(like.op_versions)
    named = list(zip(graph.result_names, graph.results, strict=True))
    targets = dict(named)
    if any(targets[name] is not value for name, value in named):
        raise GraphError(f"graph {graph.name}: different results share a name: {graph.result_names}")
    variables = Variables(program, graph, like)
    main = _BlockLowering(program, variables, AttributeTypes(like), graph, -1)
    main.lower(targets, [name for name, _ in named if fetch is None or name in fetch])
    return program


class _BlockLowering:
    """Lowers one graph to a new block of the program.

    `carried` are the arguments whose variables the block may write.  `preferred` maps values to the
    variables that save copies.  `blank` are values that no op writes: new tensor arrays, and initial
    values that no node reads before they are written.
    """

    def __init__(
        self,
        program: Program,
        variables: Variables,
        types: AttributeTypes,
        graph: Graph,
        parent: int,
        carried: Sequence[Value] = (),
    ) -> None:
        self.program = program
        self.variables = variables
        self.types = types
        self.graph = graph
        self.block = Block(len(program.blocks), parent)
        self.live = Liveness(graph, carried)
        self.preferred: dict[Value, str] = {}
        self.blank: set[Value] = set()
        program.blocks.append(self.block)

    def lower(self, targets: Mapping[str, Value], fetched: Sequence[str]) -> None:
        """Lower the main graph: ops that feed its arguments, its nodes, and ops that fetch its results."""
        feed = self.variables.add_holder(self.block, VarKind.FEED, "feed")
        fetch = self.variables.add_holder(self.block, VarKind.FETCH, "fetch")
        self.variables.add_weights(self.block, self.graph)
        for column, value in enumerate(self.graph.args):
            self.variables.add_feed(self.block, value)
            self._emit("feed", {"X": [feed]}, {"Out": [value.name]}, _column(column))
        self.lower_nodes(targets)
        for column, name in enumerate(fetched):
            self._emit("fetch", {"X": [name]}, {"Out": [fetch]}, _column(column))

    def lower_nodes(self, targets: Mapping[str, Value]) -> None:
        """Lower the nodes, and copy so that each target variable holds its value in the end."""
        for name, value in targets.items():
            self._prefer(value, name)
        for node in self.graph:
            if node.blocks:
                self._lower_control(node)
            elif node.op in (ARRAY_CREATE, UNINITIALIZED):
                self._lower_blank(node)
            else:
                self._lower_plain(node)
        self._copy_all({name: value for name, value in targets.items() if self.variables[value] != name})

    def _prefer(self, value: Value | None, name: str) -> None:
        """Prefer the variable `name` for a value and for the values that it can take the variable from."""
        while value is not None and value.producer is not None and value not in self.preferred:
            self.preferred[value] = name
            value = self._predecessor(value, value.producer)

    def _predecessor(self, value: Value, node: Node) -> Value | None:
        """The input of `node` whose variable the output `value` may take over."""
        position = list(node.all_outputs()).index(value)
        carried = self._carried(node).get(position)
        return carried if carried is not None and self._may_take_over(carried, node) else None

    def _may_take_over(self, value: Value, node: Node) -> bool:
        return value.users[node] == 1 and self.live.ends_at(value, node)

    def _carried(self, node: Node) -> dict[int, Value]:
        """Inputs that share a variable with an output, by the position of the output."""
        if node.op == ARRAY_WRITE:
            return dict(enumerate(node.inputs.get("Array", ())))
        return dict(enumerate(block_inputs(node)[: node.carried])) if node.blocks else {}

    def _lower_blank(self, node: Node) -> None:
        for value in node.all_outputs():
            if node.op == ARRAY_CREATE:
                value.kind = VarKind.TENSOR_ARRAY
            self.variables.hold(self.block, value, self._unused(value))
            self.blank.add(value)

    def _lower_plain(self, node: Node) -> None:
        inputs = {slot: [self.variables[v] for v in values] for slot, values in node.inputs.items()}
        attrs = {name: self.types.attribute(node, name) for name in node.attrs}
        if node.op == ARRAY_WRITE:
            inputs.pop("Array", None)
        for slot in list(inputs):
            kind = self.types.variable_type(node.op, slot)
            if kind is not None:
                names = inputs.pop(slot)
                attrs[slot] = Attribute(kind, names if kind == AttrType.VARS else names[0])
        self._alias_statistics(node)
        for value, name in self._output_names(node).items():
            self.variables.hold(self.block, value, name)
        outputs = {slot: [self.variables[v] for v in values] for slot, values in node.outputs.items()}
        self._emit(node.op, inputs, outputs, attrs)

    def _alias_statistics(self, node: Node) -> None:
        """Let the outputs that nothing reads have the variables of the inputs that nothing else reads."""
        for slot, source in _STATISTICS.items():
            before, after = node.optional_input(source), node.outputs.get(slot)
            if before is None or not after or before.only_user is not node or after[0].is_used:
                continue
            self.variables.alias(after[0], self.variables[before])

    def _output_names(self, node: Node) -> dict[Value, str]:
        """The variables of a node's outputs, after the copies that must run before the node."""
        carried = self._carried(node)
        names: dict[Value, str] = {}
        for position, value in enumerate(node.all_outputs()):
            if value in self.variables:
                continue
            if position not in carried:
                names[value] = self._unused(value) if node.blocks else self._writable(value, node)
            elif self._may_take_over(carried[position], node):
                names[value] = self.variables[carried[position]]
            else:
                names[value] = self._copy(carried[position], self._unused(value))
        return names

    def _unused(self, value: Value) -> str:
        """The preferred variable of a value if it has held no value so far, or else a new variable."""
        name = self.preferred.get(value)
        if name is not None and self.variables.is_unused(name):
            return name
        return self.variables.fresh(value.name)

    def _writable(self, value: Value, node: Node) -> str:
        """The preferred variable of an output if the value in it is used no more, or else a new variable."""
        name = self.preferred.get(value)
        holder = None if name is None else self.variables.holders.get(name)
        if name is None or holder is None:
            return self._unused(value)
        ends = self.live.ends_at if node.op in _IN_PLACE else self.live.ends_before
        return name if ends(holder, node) else self.variables.fresh(value.name)

    def _lower_control(self, node: Node) -> None:
        if len(node.blocks) != 1:
            raise GraphError(f"{node!r}: {len(node.blocks)} sub-blocks, a program's op has one")
        graph = node.blocks[0]
        count = node.carried
        read = [self.variables[value] for value in block_inputs(node)]
        conditions = [self.variables[value] for value in node.inputs.get("Cond", ())]
        outputs = self._output_names(node)
        written = list(outputs.values())
        for value, name in outputs.items():
            self.variables.declare(self.block, value, name)
        inner = _BlockLowering(
            self.program, self.variables, self.types, graph, self.block.index, graph.args[:count]
        )
        names = [*written[:count], *read[count:]]
        for value, name in zip(graph.args[:count], names, strict=False):
            self.variables.hold(inner.block, value, name)
        for value, name in zip(graph.args[count:], names[count:], strict=True):
            self.variables.alias(value, name)
        inner.lower_nodes(dict(zip(written, graph.results, strict=True)))
        for value, name in outputs.items():
            self.variables.hold(self.block, value, name)
        attrs = {name: self.types.attribute(node, name) for name in node.attrs if name != "carried"}
        attrs["sub_block"] = Attribute(AttrType.BLOCK, inner.block.index)
        slots = {slot: [outputs[value] for value in values] for slot, values in node.outputs.items()}
        if node.op in _SCOPE_SLOTS:
            scope = self.variables.add_holder(self.block, VarKind.STEP_SCOPES, f"{graph.name}_scope")
            slots[_SCOPE_SLOTS[node.op]] = [scope]
        self._emit(node.op, _control_inputs(node, names, conditions), slots, attrs)

    def _copy_all(self, targets: Mapping[str, Value]) -> None:
        """Copy in parallel: a source that another copy overwrites is saved in a temporary first."""
        sources = {name: self.variables[value] for name, value in targets.items() if self._is_written(value)}
        saved: dict[str, str] = {}
        for name, source in sources.items():
            if source in sources and source not in saved:
                saved[source] = self.variables.temporary(self.block, targets[name])
                self._emit("assign", {"X": [source]}, {"Out": [saved[source]]}, {})
        for name, source in sources.items():
            self.variables.declare(self.block, targets[name], name)
            self._emit("assign", {"X": [saved.get(source, source)]}, {"Out": [name]}, {})

    def _copy(self, value: Value, name: str) -> str:
        """Copy a value to the new variable `name`; a blank value needs no copy."""
        self.variables.declare(self.block, value, name)
        if value not in self.blank:
            self._emit("assign", {"X": [self.variables[value]]}, {"Out": [name]}, {})
        return name

    def _is_written(self, value: Value) -> bool:
        return value not in self.blank or value.kind is VarKind.TENSOR_ARRAY

    def _emit(
        self,
        op: str,
        inputs: dict[str, list[str]],
        outputs: dict[str, list[str]],
        attrs: dict[str, Attribute],
    ) -> None:
        self.block.ops.append(Op(op, inputs, outputs, attrs))


def _control_inputs(node: Node, names: Sequence[str], conditions: list[str]) -> dict[str, list[str]]:
    """The variables that a node with a sub-block reads, by slot, from those of the block's arguments."""
    unique = list(dict.fromkeys(names))
    if node.op == WHILE:
        return {"Condition": [names[0]], "X": [name for name in unique if name != names[0]]}
    if node.op in CONDITIONAL:
        return {"Cond": conditions, "Input": unique}
    remaining = iter(names)
    return {slot: [next(remaining) for _ in values] for slot, values in node.inputs.items()}


def _values(graph: Graph) -> Iterator[Value]:
    yield from graph.args
    yield from graph.constants.values()
    for node in graph:
        yield from node.all_outputs()


def _column(column: int) -> dict[str, Attribute]:
    return {"col": Attribute(AttrType.INT, column)}
