"""The reference: runs a program op by op, in its order, with Paddle's scopes and without graph or plan."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from lite.ir import AttrType, Block, Op, Program, VarKind
from lite.ir.types import NO_LOD, Array, Lod
from lite.plugin.kernel import evaluate

Held = tuple[Any, Lod]
"""The content of a variable: an array with its LoD, or a list of such pairs for a tensor array."""


def run_program(program: Program, arrays: Mapping[str, Array], lods: Mapping[str, Lod]) -> dict[str, Held]:
    """The content of every variable of the main block after the run."""
    scope = Scope(program.blocks[0], None)
    for name, weight in program.weights.items():
        scope.values[name] = weight.array, weight.lod
    for name, array in arrays.items():
        scope.values[name] = array, lods.get(name, NO_LOD)
    _run_block(program, scope)
    return scope.values


class Scope:
    """The variables of one run of a block; one that it does not declare belongs to the outer block."""

    def __init__(self, block: Block, parent: Scope | None) -> None:
        self.block, self.parent = block, parent
        self.values: dict[str, Held] = {}

    def owner(self, name: str) -> Scope:
        if name in self.block.vars or self.parent is None:
            return self
        return self.parent.owner(name)

    def read(self, name: str) -> Held:
        return self.owner(name).values[name]

    def write(self, name: str, content: Held) -> None:
        self.owner(name).values[name] = content


def _run_block(program: Program, scope: Scope) -> None:
    for op in scope.block.ops:
        if op.type not in ("feed", "fetch"):
            _run_op(program, op, scope)


def _run_op(program: Program, op: Op, scope: Scope) -> None:
    if op.type == "while":
        while scope.read(op.inputs["Condition"][0])[0].item():
            _run_block(program, Scope(_sub_block(program, op), scope))
    elif op.type == "conditional_block":
        if scope.read(op.inputs["Cond"][0])[0].item():
            _run_block(program, Scope(_sub_block(program, op), scope))
    elif op.type == "write_to_array":
        _write(op, scope)
    elif op.type == "read_from_array":
        (index, _), (array, _) = scope.read(op.inputs["I"][0]), scope.read(op.inputs["X"][0])
        scope.write(op.outputs["Out"][0], array[index.item()])
    else:
        _evaluate(op, scope)


def _sub_block(program: Program, op: Op) -> Block:
    index = op.attr("sub_block")
    assert isinstance(index, int)
    return program.blocks[index]


def _write(op: Op, scope: Scope) -> None:
    name = op.outputs["Out"][0]
    owner = scope.owner(name)
    assert owner.block.vars[name].kind is VarKind.TENSOR_ARRAY
    array = list(owner.values[name][0]) if name in owner.values else []
    index = scope.read(op.inputs["I"][0])[0].item()
    array += [(np.empty(0, np.float32), NO_LOD)] * (index + 1 - len(array))
    array[index] = scope.read(op.inputs["X"][0])
    owner.values[name] = array, NO_LOD


def _evaluate(op: Op, scope: Scope) -> None:
    inputs = {slot: [scope.read(name) for name in names] for slot, names in op.inputs.items()}
    results = evaluate(
        op.type,
        {slot: [array for array, _ in pairs] for slot, pairs in inputs.items()},
        {name: attr.value for name, attr in op.attrs.items() if attr.type is not AttrType.BLOCK},
        {slot: len(names) for slot, names in op.outputs.items()},
        {slot: [lod for _, lod in pairs] for slot, pairs in inputs.items()},
    )
    for slot, names in op.outputs.items():
        for name, result in zip(names, results[slot], strict=True):
            # A kernel may return its argument; variables must not share arrays.
            scope.write(name, (np.array(result.array), result.lod))
