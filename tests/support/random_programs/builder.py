"""Builds the programs that hypothesis draws, op by op: blocks, variables and weights."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from hypothesis import strategies as st

from lite.ir import Attribute, AttrType, Block, Op, Program, Var, VarKind, Weight
from lite.ir.program import AttrValue
from lite.ir.types import Array, DType, Shape
from tests.support.small_programs import attribute

ROWS, SEQUENCE_ROWS, UNKNOWN_ROWS = "n", "m", "?"
"""Sizes that differ between runs: the rows of x, the rows of s, and sizes that depend on data."""

FLOAT, INT, BOOL = DType.FLOAT32, DType.INT64, DType.BOOL

T = TypeVar("T")


@dataclass(frozen=True)
class Variable:
    """A variable that ops may read; `has_lod` if it carries the LoD of s."""

    name: str
    shape: Shape
    dtype: DType = FLOAT
    has_lod: bool = False

    @property
    def rank(self) -> int:
        return len(self.shape)


@dataclass
class Case:
    """A program, and the main block's variables in the order in which they were first written."""

    program: Program
    written: list[str]


class Drawing:
    """A program whose blocks grow op by op; `block` is the one that grows now."""

    def __init__(self, draw: st.DrawFn) -> None:
        self._draw = draw
        self.program = Program([Block(0)], version=2006002, source="random")
        self.block = self.program.blocks[0]

    def number(self, low: int, high: int) -> int:
        """A number from `low` to `high`, both included."""
        return self._draw(st.integers(low, high))

    def choose(self, choices: Sequence[T]) -> T:
        """One of the choices; hypothesis prefers the first."""
        return choices[self.number(0, len(choices) - 1)]

    def nested(self, body: Callable[[], None]) -> int:
        """The index of a new block under the current one, which `body` fills."""
        outer = self.block
        self.block = Block(len(self.program.blocks), outer.index)
        self.program.blocks.append(self.block)
        body()
        index, self.block = self.block.index, outer
        return index


class DrawnProgram(Drawing):
    """A program of typed variables; `known` are those that ops may read so far."""

    def __init__(self, draw: st.DrawFn) -> None:
        super().__init__(draw)
        self.known: list[Variable] = []
        self.count = 0
        for column, (name, dtype, shape) in enumerate(
            [("x", FLOAT, (-1, 4)), ("s", FLOAT, (-1, 1)), ("k", INT, (1,))]
        ):
            self.block.vars[name] = Var(name, VarKind.TENSOR, dtype, shape, 0, need_check_feed=True)
            self.block.ops.append(
                Op("feed", {"X": ["feed"]}, {"Out": [name]}, {"col": Attribute(AttrType.INT, column)})
            )
        for name, kind in (("feed", VarKind.FEED), ("fetch", VarKind.FETCH)):
            self.block.vars[name] = Var(name, kind)
        self.known += [
            Variable("x", (ROWS, 4)),
            Variable("s", (SEQUENCE_ROWS, 1), has_lod=True),
            Variable("k", (1,), INT),
        ]
        self.fed = len(self.known)

    def pick(self, fits: Callable[[Variable], bool]) -> Variable | None:
        matches = [value for value in self.known if fits(value)]
        # Later values are preferred: this gives longer chains, and values that are unused earlier.
        last = len(matches) - 1
        return matches[max(self.number(0, last), self.number(0, last))] if matches else None

    def floats(self, fits: Callable[[Variable], bool] = lambda _: True) -> Variable | None:
        return self.pick(lambda value: value.dtype is FLOAT and fits(value))

    def new(self, shape: Shape, dtype: DType = FLOAT, *, has_lod: bool = False) -> Variable:
        self.count += 1
        value = Variable(f"v{self.count}", shape, dtype, has_lod)
        declared = tuple(-1 if isinstance(dim, str) else dim for dim in shape)
        self.block.vars[value.name] = Var(value.name, VarKind.TENSOR, dtype, declared, int(has_lod))
        self.known.append(value)
        return value

    def emit(
        self,
        kind: str,
        inputs: Mapping[str, Variable | Sequence[Variable]],
        outputs: Mapping[str, Variable | Sequence[Variable]],
        sub_block: int | None = None,
        **attrs: AttrValue,
    ) -> None:
        op = Op(
            kind, _names(inputs), _names(outputs), {name: attribute(value) for name, value in attrs.items()}
        )
        if sub_block is not None:
            op.attrs["sub_block"] = Attribute(AttrType.BLOCK, sub_block)
        self.block.ops.append(op)

    def weight(self, array: Array) -> Variable:
        self.count += 1
        name, dtype = f"w{self.count}", DType.from_numpy(array.dtype)
        array.flags.writeable = False
        self.program.weights[name] = Weight(array)
        self.program.blocks[0].vars[name] = Var(name, VarKind.TENSOR, dtype, array.shape, 0, persistable=True)
        return Variable(name, array.shape, dtype)

    def weights(self, *shape: int) -> Variable:
        seed = self.number(0, 9)
        return self.weight(np.random.default_rng(seed).standard_normal(shape).astype(np.float32))

    def case(self) -> Case:
        """The program, which fetches the last value and two others."""
        main = self.program.blocks[0]
        written = [value.name for value in self.known[self.fed :]]
        names = [self.choose(written) for _ in range(2)] if written else []
        fetched = list(dict.fromkeys([*names, written[-1] if written else "x"]))
        for column, name in enumerate(fetched):
            main.ops.append(
                Op("fetch", {"X": [name]}, {"Out": ["fetch"]}, {"col": Attribute(AttrType.INT, column)})
            )
        return Case(self.program, written)


def _names(slots: Mapping[str, Variable | Sequence[Variable]]) -> dict[str, list[str]]:
    return {
        slot: [value.name for value in ([values] if isinstance(values, Variable) else values)]
        for slot, values in slots.items()
    }
