"""Programs written by hand with sub-blocks, whose variables have neither dtype nor shape."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from lite.ir import Attribute, AttrType, Block, Op, Program, Var, VarKind, Weight

Names = str | Sequence[str]


def _listed(names: Names) -> list[str]:
    return [names] if isinstance(names, str) else list(names)


def make_op(
    kind: str, inputs: Mapping[str, Names], outputs: Mapping[str, Names], block: int | None = None
) -> Op:
    """An op; `block` is the index of its sub-block."""
    attrs = {} if block is None else {"sub_block": Attribute(AttrType.BLOCK, block)}
    return Op(
        kind,
        {slot: _listed(names) for slot, names in inputs.items()},
        {slot: _listed(names) for slot, names in outputs.items()},
        attrs,
    )


def make_program(feeds: Names, fetches: Names, *blocks: tuple[Sequence[str], Sequence[Op]]) -> Program:
    """A program of blocks (declared names, ops); the parent of each is the block whose op names it."""
    program = Program(source="hand-made")
    for index, (declared, ops) in enumerate(blocks):
        block = Block(index, vars={name: make_var(name) for name in declared}, ops=list(ops))
        program.blocks.append(block)
    for block in program.blocks:
        for op in block.ops:
            child = op.attr("sub_block")
            if isinstance(child, int) and child < len(program.blocks):
                program.blocks[child].parent = block.index
    add_feeds_and_fetches(program, feeds, fetches)
    return program


def add_feeds_and_fetches(program: Program, feeds: Names, fetches: Names) -> None:
    """Put feed ops before the ops of the main block, and fetch ops after them."""
    main = program.blocks[0]
    main.vars["feed"] = Var("feed", VarKind.FEED)
    main.vars["fetch"] = Var("fetch", VarKind.FETCH)
    fed = [column_op("feed", {"X": ["feed"]}, {"Out": [name]}, n) for n, name in enumerate(_listed(feeds))]
    fetched = [
        column_op("fetch", {"X": [name]}, {"Out": ["fetch"]}, n) for n, name in enumerate(_listed(fetches))
    ]
    main.ops = [*fed, *main.ops, *fetched]


def column_op(kind: str, inputs: dict[str, list[str]], outputs: dict[str, list[str]], column: int) -> Op:
    """A feed or fetch op."""
    return Op(kind, inputs, outputs, {"col": Attribute(AttrType.INT, column)})


def make_var(name: str) -> Var:
    """A tensor array where the name ends in "array", otherwise a tensor."""
    kind = VarKind.TENSOR_ARRAY if name.endswith("array") else VarKind.TENSOR
    return Var(name, kind)


def add_weight(program: Program, name: str, value: float) -> None:
    """Add a weight float32[2] whose elements are `value`."""
    program.weights[name] = Weight(np.full((2,), value, np.float32))
    program.blocks[0].vars[name] = Var(name, persistable=True)
