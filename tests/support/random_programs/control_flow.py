"""Random programs with loops, conditions, tensor arrays and overwritten weights.

Their op ``mix`` has no kernel, and variables have neither dtype nor shape: `terms` interprets them.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from hypothesis import strategies as st

from lite.ir import Op, Program
from tests.support.bare_programs import add_feeds_and_fetches, add_weight, make_op, make_var
from tests.support.random_programs.builder import Drawing

_POOL = ("a", "b", "c")
_DEEPEST = 3


class _Blocks(Drawing):
    """Draws the blocks of one program; the names in `readable` may be read at the point reached."""

    def fill(self, declared: Sequence[str], readable: Sequence[str], depth: int) -> None:
        """Declare names in the current block and draw up to four ops."""
        index, names = self.block.index, list(readable)
        local = f"local{index}"
        arrays = [f"local{index}_array", "outer_array"] if depth else ["outer_array"]
        for name in (*declared, local, *(arrays[:1] if depth else ())):
            self.block.vars[name] = make_var(name)
        for _ in range(self.number(1, 4)):
            self.block.ops.append(self.op(names, [*_POOL, "w", local], arrays, depth))

    def op(self, readable: list[str], writable: list[str], arrays: list[str], depth: int) -> Op:
        choice = self.number(0, 7 if depth < _DEEPEST else 5)
        out = self.choose(writable)
        name = self.choose(readable)
        if choice == 0:
            inputs = {"X": name, "I": self.choose(readable)}
            return make_op("write_to_array", inputs, {"Out": self.choose(arrays)})
        if choice == 1 and name not in ("x", "y"):
            return make_op("increment", {"X": name}, {"Out": name})
        if choice == 2:
            op = make_op("read_from_array", {"X": self.choose(arrays), "I": name}, {"Out": out})
        elif choice >= 6:
            kind, slot = (("while", "Condition"), ("conditional_block", "Cond"))[choice - 6]
            condition = self.choose([each for each in readable if each in _POOL] or readable)
            body = self.nested(partial(self.fill, (), readable, depth + 1))
            return make_op(kind, {slot: condition}, {}, body)
        else:
            op = make_op("mix", {"X": [name, self.choose(readable)]}, {"Out": out})
        if out not in readable:
            readable.append(out)
        return op


@st.composite
def programs(draw: st.DrawFn) -> Program:
    """A program that feeds x and y, has the weight w, and fetches everything it may have written."""
    blocks = _Blocks(draw)
    blocks.fill(["x", "y", *_POOL, "outer_array"], ["x", "y", "w", "a"], 0)
    ops = blocks.block.ops
    ops.insert(0, make_op("mix", {"X": "x"}, {"Out": "a"}))
    ops.append(make_op("mix", {"X": ["a", "w"]}, {"Out": "b"}))
    add_feeds_and_fetches(blocks.program, ["x", "y"], ["b", "a", "x", "w", "outer_array"])
    add_weight(blocks.program, "w", 1.5)
    return blocks.program
