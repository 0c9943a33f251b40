"""Interprets programs in any domain, with Paddle's scopes.

A name is looked up in the block's own scope, then outwards, and every run of a sub-block has a new scope.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Generic

from lite.ir import AttrType, Block, Op, Program, VarKind
from lite.ir.build import CONDITIONAL, WHILE
from tests.support.interpreter.domain import Domain, V


@dataclass
class ProgramRun(Generic[V]):
    """The variables of the main block after a run, and the fetched values by column."""

    variables: dict[str, V]
    fetched: list[V]


def interpret_program(program: Program, feeds: Mapping[str, V], domain: Domain[V]) -> ProgramRun[V]:
    """Run the main block; `feeds` are the fed variables by name."""
    scope = _Scope(program.blocks[0], None, domain)
    for name, weight in program.weights.items():
        scope.values[name] = domain.constant(weight.array, weight.lod)
    scope.values.update(feeds)
    fetched: dict[object, V] = {}
    for op in program.blocks[0].ops:
        if op.type == "fetch":
            fetched[op.attr("col")] = scope.read(op.inputs["X"][0])
        elif op.type != "feed":
            _run_op(program, op, scope)
    return ProgramRun(scope.values, [fetched[column] for column in range(len(fetched))])


class _Scope(Generic[V]):
    """The variables of one run of a block."""

    def __init__(self, block: Block, parent: _Scope[V] | None, domain: Domain[V]) -> None:
        self.block, self.parent, self.domain = block, parent, domain
        self.values: dict[str, V] = {}

    def owner(self, name: str) -> _Scope[V]:
        if name in self.block.vars:
            return self
        assert self.parent is not None, f"{name} is not declared"
        return self.parent.owner(name)

    def read(self, name: str) -> V:
        owner = self.owner(name)
        if name in owner.values:
            return owner.values[name]
        return self.domain.initial(is_array=owner.block.vars[name].kind is VarKind.TENSOR_ARRAY)

    def write(self, name: str, value: V) -> None:
        self.owner(name).values[name] = value


def _run_op(program: Program, op: Op, scope: _Scope[V]) -> None:
    if op.type == WHILE:
        iterations = 0
        while _holds(op, "Condition", scope) and iterations != scope.domain.most_iterations:
            _run_sub_block(program, op, scope)
            iterations += 1
    elif op.type in CONDITIONAL:
        if _holds(op, "Cond", scope):
            _run_sub_block(program, op, scope)
    else:
        _run_plain(op, scope)


def _holds(op: Op, slot: str, scope: _Scope[V]) -> bool:
    return all(scope.domain.holds(scope.read(name)) for name in op.inputs[slot])


def _run_sub_block(program: Program, op: Op, scope: _Scope[V]) -> None:
    index = op.attr("sub_block")
    assert isinstance(index, int)
    inner = _Scope(program.blocks[index], scope, scope.domain)
    for each in inner.block.ops:
        _run_op(program, each, inner)


def _run_plain(op: Op, scope: _Scope[V]) -> None:
    inputs = {slot: [scope.read(name) for name in names] for slot, names in op.inputs.items()}
    if op.type == "write_to_array":
        inputs["Array"] = [scope.read(name) for name in op.outputs["Out"]]
    attrs = {name: attr.value for name, attr in op.attrs.items() if attr.type is not AttrType.BLOCK}
    outputs = scope.domain.op(op.type, inputs, attrs, {slot: len(n) for slot, n in op.outputs.items()})
    for slot, names in op.outputs.items():
        for name, value in zip(names, outputs[slot], strict=True):
            scope.write(name, value)
