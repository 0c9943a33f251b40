"""Blocks of a program: their numbers, parents, and how deep they may nest."""

from __future__ import annotations

import pytest

from lite.errors import ModelParseError
from lite.ir.program import Block, Program
from lite.plugin.format import blocks
from lite.plugin.format.blocks import check_blocks


def program(*parents: int) -> Program:
    """A program of empty blocks with these parents."""
    made = Program(source="m")
    made.blocks = [Block(index, parent) for index, parent in enumerate(parents)]
    return made


def test_nested_blocks_are_accepted_in_any_order() -> None:
    check_blocks(program(-1, 2, 0, 1, 0))


@pytest.mark.parametrize("parents", [(0,), (-1, 2, 1), (-1, 5), ()])
def test_cycles_and_wrong_parents_are_refused(parents: tuple[int, ...]) -> None:
    with pytest.raises(ModelParseError):
        check_blocks(program(*parents))


@pytest.mark.parametrize("parents", [(-1, 0, 1, 2), (-1, 2, 3, 0)])
def test_nesting_is_limited(parents: tuple[int, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks, "MOST_NESTED", 4)
    check_blocks(program(*parents))
    monkeypatch.setattr(blocks, "MOST_NESTED", 3)
    with pytest.raises(ModelParseError, match="m: 4 blocks nest in each other, at most 3 are read"):
        check_blocks(program(*parents))
