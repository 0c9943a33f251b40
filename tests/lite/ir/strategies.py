"""Random programs with loops, conditions, tensor arrays and overwritten weights."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from hypothesis import strategies as st

from lite.ir import Op, Program
from tests.lite.ir.programs import add_weight, make_op, make_program

_POOL = ("a", "b", "c")
_DEEPEST = 3


class _Draw:
    """Draws the blocks of one program; `known` names may be read at the point reached."""

    def __init__(self, draw: Callable[[st.SearchStrategy[int]], int]) -> None:
        self._draw = draw
        self.blocks: list[tuple[list[str], list[Op]]] = []

    def number(self, below: int) -> int:
        return self._draw(st.integers(0, below - 1))

    def pick(self, choices: Sequence[str]) -> str:
        return choices[self.number(len(choices))]

    def block(self, known: Sequence[str], depth: int) -> int:
        index = len(self.blocks)
        local = f"local{index}"
        arrays = [f"local{index}_array", "outer_array"] if depth else ["outer_array"]
        ops: list[Op] = []
        declared = ["x", "y", *_POOL, "outer_array", local] if depth == 0 else [local, *arrays[:1]]
        self.blocks.append((declared, ops))
        readable = list(known)
        for _ in range(1 + self.number(4)):
            ops.append(self.op(readable, [*_POOL, "w", local], arrays, depth))
        return index

    def op(self, readable: list[str], writable: list[str], arrays: list[str], depth: int) -> Op:
        choice = self.number(8 if depth < _DEEPEST else 6)
        out = self.pick(writable)
        name = self.pick(readable)
        if choice == 0:
            return make_op(
                "write_to_array", {"X": name, "I": self.pick(readable)}, {"Out": self.pick(arrays)}
            )
        if choice == 1 and name not in ("x", "y"):
            return make_op("increment", {"X": name}, {"Out": name})
        if choice == 2:
            op = make_op("read_from_array", {"X": self.pick(arrays), "I": name}, {"Out": out})
        elif choice >= 6:
            kind, slot = (("while", "Condition"), ("conditional_block", "Cond"))[choice - 6]
            condition = self.pick([each for each in readable if each in _POOL] or readable)
            return make_op(kind, {slot: condition}, {}, self.block(readable, depth + 1))
        else:
            op = make_op("mix", {"X": [name, self.pick(readable)]}, {"Out": out})
        if out not in readable:
            readable.append(out)
        return op


@st.composite
def programs(draw: st.DrawFn) -> Program:
    """A program that feeds x and y, has the weight w, and fetches everything it may have written."""
    drawer = _Draw(draw)
    drawer.block(["x", "y", "w", "a"], 0)
    _, ops = drawer.blocks[0]
    ops.insert(0, make_op("mix", {"X": "x"}, {"Out": "a"}))
    ops.append(make_op("mix", {"X": ["a", "w"]}, {"Out": "b"}))
    program = make_program(["x", "y"], ["b", "a", "x", "w", "outer_array"], *drawer.blocks)
    add_weight(program, "w", 1.5)
    return program
