"""Two interpreters that share nothing but the meaning of an op: one of graphs, one of programs.

A value is a term: the number of the expression that computes it, so equal computations are equal numbers.
Whether a condition holds is decided by its number.  Programs are run with Paddle's scopes: a name is
looked up in the block's own scope, then outwards, and every run of a sub-block has a new scope.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from lite.ir import Block, Graph, Node, Op, Program, Value, VarKind
from lite.ir.build import CONDITIONAL

Term = int
MOST_ITERATIONS = 3


class Terms:
    def __init__(self) -> None:
        self._numbers: dict[object, int] = {}
        self.unwritten = self("unwritten")
        self.empty_array = self("empty array")

    def __call__(self, *expression: object) -> Term:
        return self._numbers.setdefault(expression, len(self._numbers))

    def holds(self, condition: Term) -> bool:
        return (condition * 2654435761 >> 7) % 3 != 0

    def op(self, kind: str, inputs: Mapping[str, Sequence[Term]], slot: str, index: int) -> Term:
        if kind == "assign":
            return inputs["X"][0]
        read = tuple(sorted((name, tuple(terms)) for name, terms in inputs.items() if terms))
        return self(kind, read, slot, index)


def run_graph(graph: Graph, terms: Terms) -> list[Term]:
    """The results of the main graph; arguments are terms of their names."""
    return _run_graph(graph, [terms("feed", value.name) for value in graph.args], terms)


def _run_graph(graph: Graph, args: Sequence[Term], terms: Terms) -> list[Term]:
    env: dict[Value, Term] = dict(zip(graph.args, args, strict=True))
    for value in graph.constants.values():
        assert value.data is not None
        env[value] = terms("weight", value.data.tobytes())
    for node in graph:
        env.update(zip(node.all_outputs(), _run_node(node, env, terms), strict=True))
    return [env[value] for value in graph.results]


def _run_node(node: Node, env: Mapping[Value, Term], terms: Terms) -> list[Term]:
    inputs = {slot: [env[value] for value in values] for slot, values in node.inputs.items()}
    carried = node.carried
    if node.op == "while":
        current = [*inputs["Condition"], *inputs.get("X", [])]
        for _ in range(MOST_ITERATIONS):
            if not terms.holds(current[0]):
                break
            current[:carried] = _run_graph(node.blocks[0], current, terms)
        return current[:carried]
    if node.op in CONDITIONAL:
        given = inputs.get("Input", [])
        if terms.holds(inputs["Cond"][0]):
            return _run_graph(node.blocks[0], given, terms)
        missing = len(list(node.all_outputs())) - carried
        return [*given[:carried], *[terms.unwritten] * missing]
    if node.op == "uninitialized":
        return [terms.unwritten]
    if node.op == "create_array":
        return [terms.empty_array]
    return [
        terms.op(node.op, inputs, slot, index)
        for slot, values in node.outputs.items()
        for index in range(len(values))
    ]


def run_program(program: Program, terms: Terms) -> list[Term]:
    """The fetched variables, ordered by column."""
    scope = _Scope(program.blocks[0], None, terms)
    for name, weight in program.weights.items():
        scope.values[name] = terms("weight", weight.array.tobytes())
    fetched: dict[object, Term] = {}
    for op in program.blocks[0].ops:
        if op.type == "feed":
            scope.write(op.outputs["Out"][0], terms("feed", op.outputs["Out"][0]))
        elif op.type == "fetch":
            fetched[op.attr("col")] = scope.read(op.inputs["X"][0])
        else:
            _run_op(program, op, scope, terms)
    return [fetched[column] for column in range(len(fetched))]


class _Scope:
    def __init__(self, block: Block, parent: _Scope | None, terms: Terms) -> None:
        self.block, self.parent, self.terms = block, parent, terms
        self.values: dict[str, Term] = {}

    def owner(self, name: str) -> _Scope:
        if name in self.block.vars:
            return self
        assert self.parent is not None, f"{name} is not declared"
        return self.parent.owner(name)

    def read(self, name: str) -> Term:
        owner = self.owner(name)
        is_array = owner.block.vars[name].kind is VarKind.TENSOR_ARRAY
        return owner.values.get(name, self.terms.empty_array if is_array else self.terms.unwritten)

    def write(self, name: str, term: Term) -> None:
        self.owner(name).values[name] = term


def _run_op(program: Program, op: Op, scope: _Scope, terms: Terms) -> None:
    index = op.attr("sub_block")
    if isinstance(index, int):
        iterations = MOST_ITERATIONS if op.type == "while" else 1
        condition = op.inputs["Condition" if op.type == "while" else "Cond"][0]
        for _ in range(iterations):
            if not terms.holds(scope.read(condition)):
                break
            inner = _Scope(program.blocks[index], scope, terms)
            for each in program.blocks[index].ops:
                _run_op(program, each, inner, terms)
        return
    inputs = {slot: [scope.read(name) for name in names] for slot, names in op.inputs.items()}
    if op.type == "write_to_array":
        inputs["Array"] = [scope.read(name) for name in op.outputs["Out"]]
    written = [
        (name, terms.op(op.type, inputs, slot, index))
        for slot, names in op.outputs.items()
        for index, name in enumerate(names)
    ]
    for name, term in written:
        scope.write(name, term)
