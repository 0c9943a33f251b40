"""Programs made by hand: fed and fetched variables, ops, sub-blocks."""

from collections.abc import Sequence

import numpy as np

from lite.ir import Attribute, AttrType, Block, Op, Program, Var, VarKind, Weight

Names = str | Sequence[str]


def names(given: Names) -> list[str]:
    return [given] if isinstance(given, str) else list(given)


def make_op(kind: str, inputs: dict[str, Names], outputs: dict[str, Names], block: int | None = None) -> Op:
    attrs = {} if block is None else {"sub_block": Attribute(AttrType.BLOCK, block)}
    return Op(
        kind,
        {slot: names(given) for slot, given in inputs.items()},
        {slot: names(given) for slot, given in outputs.items()},
        attrs,
    )


def make_program(feeds: Names, fetches: Names, *blocks: tuple[Sequence[str], Sequence[Op]]) -> Program:
    """Blocks are (declared names, ops); the parent of each is the block whose op names it.

    Names that end in "array" are tensor arrays; of no variable dtype or shape are said.
    """
    program = Program(source="hand-made")
    for index, (declared, ops) in enumerate(blocks):
        block = Block(index, vars={name: make_var(name) for name in declared}, ops=list(ops))
        program.blocks.append(block)
    for block in program.blocks:
        for op in block.ops:
            child = op.attr("sub_block")
            if isinstance(child, int) and child < len(program.blocks):
                program.blocks[child].parent = block.index
    main = program.blocks[0]
    main.vars["feed"] = Var("feed", VarKind.FEED)
    main.vars["fetch"] = Var("fetch", VarKind.FETCH)
    fed = [column_op("feed", {"X": ["feed"]}, {"Out": [name]}, n) for n, name in enumerate(names(feeds))]
    fetched = [
        column_op("fetch", {"X": [name]}, {"Out": ["fetch"]}, n) for n, name in enumerate(names(fetches))
    ]
    main.ops = [*fed, *main.ops, *fetched]
    return program


def column_op(kind: str, inputs: dict[str, list[str]], outputs: dict[str, list[str]], column: int) -> Op:
    return Op(kind, inputs, outputs, {"col": Attribute(AttrType.INT, column)})


def make_var(name: str) -> Var:
    kind = VarKind.TENSOR_ARRAY if name.endswith("array") else VarKind.TENSOR
    return Var(name, kind)


def add_weight(program: Program, name: str, value: float) -> None:
    program.weights[name] = Weight(np.full((2,), value, np.float32))
    program.blocks[0].vars[name] = Var(name, persistable=True)
