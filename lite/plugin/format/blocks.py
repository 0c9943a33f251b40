"""Checks of the blocks of a program, for formats that state them as Paddle does."""

from __future__ import annotations

from lite.errors import ModelParseError
from lite.ir.program import AttrType, Program

MOST_NESTED = 1000
"""Blocks within blocks; `Limits.nesting` is lower, but counts only after the program was read."""


def check_blocks(program: Program) -> None:
    """Raise `ModelParseError` for wrong indices of blocks, cycles of parents, and ops that name no block."""
    blocks = program.blocks
    if not blocks:
        raise ModelParseError(f"{program.source}: the program has no block; export the model again")
    for position, block in enumerate(blocks):
        if block.index != position:
            raise ModelParseError(
                f"{program.source}: the block at position {position} has the index {block.index}, expected "
                f"{position}"
            )
        if not -1 <= block.parent < len(blocks):
            raise ModelParseError(
                f"{program.source}: block {position} has the parent {block.parent}, expected -1 to "
                f"{len(blocks) - 1}"
            )
    _check_parents(program)
    for block in blocks:
        for number, op in enumerate(block.ops):
            for name, attr in op.attrs.items():
                if attr.type is not AttrType.BLOCK and attr.type is not AttrType.BLOCKS:
                    continue
                for index in attr.value if isinstance(attr.value, list) else [attr.value]:
                    if not (isinstance(index, int) and 0 <= index < len(blocks)):
                        raise ModelParseError(
                            f"{program.source}: block {block.index}, op {number} ({op.type}): the attribute "
                            f"{name!r} names block {index}, expected 0 to {len(blocks) - 1}"
                        )


def _check_parents(program: Program) -> None:
    """Raise `ModelParseError` for a cycle of parents, and for too deep nesting; visits each block once."""
    depths = {-1: 0}
    for block in program.blocks:
        chain: dict[int, None] = {}
        index = block.index
        while index not in depths:
            if index in chain:
                raise ModelParseError(
                    f"{program.source}: the blocks {[*chain, index]} are parents of one another in a cycle"
                )
            chain[index] = None
            index = program.blocks[index].parent
        for number, inner in enumerate(reversed(chain), depths[index] + 1):
            depths[inner] = number
        if depths[block.index] > MOST_NESTED:
            raise ModelParseError(
                f"{program.source}: {depths[block.index]} blocks nest in each other, at most {MOST_NESTED} "
                "are read"
            )
