"""Synthetic programs of any size."""

from __future__ import annotations

import numpy as np

from lite.ir.program import Attribute, AttrType, AttrValue, Block, Op, Program, Var, VarKind, Weight
from lite.ir.types import DType

_WIDTH = 8


def chain(ops: int) -> Program:
    """A chain of `ops` ops: multiply, add, relu, scale, and again."""
    program = empty()
    last = "x"
    for number in range(ops):
        last = _add(program, number, last)
    return with_outputs(program, [last])


def wide(ops: int) -> Program:
    """Parallel branches of four ops that read the input, joined by one concat."""
    program = empty()
    ends = []
    for branch in range(max((ops - 1) // 4, 1)):
        last = "x"
        for step in range(4):
            last = _add(program, 4 * branch + step, last)
        ends.append(last)
    add_op(program, "concat", {"X": ends}, "joined", {"axis": 1})
    return with_outputs(program, ["joined"])


FORMS = {"chain": chain, "wide": wide}


def empty() -> Program:
    """A program with the input ``x`` and no ops."""
    block = Block(0)
    block.vars["feed"] = Var("feed", VarKind.FEED, persistable=True)
    block.vars["fetch"] = Var("fetch", VarKind.FETCH, persistable=True)
    program = Program([block], source="synthetic program")
    declare(program, "x", need_check_feed=True)
    block.ops.append(Op("feed", {"X": ["feed"]}, {"Out": ["x"]}, {"col": Attribute(AttrType.INT, 0)}))
    return program


def with_outputs(program: Program, outputs: list[str]) -> Program:
    """Add the outputs, and return the program."""
    for column, name in enumerate(outputs):
        attrs = {"col": Attribute(AttrType.INT, column)}
        program.blocks[0].ops.append(Op("fetch", {"X": [name]}, {"Out": ["fetch"]}, attrs))
    return program


def _add(program: Program, number: int, source: str) -> str:
    out = f"v{number}"
    if number % 4 in (0, 1):
        weight = f"w{number}"
        # The weights of all branches differ, since equal branches would be merged.
        array = np.full(_WIDTH, 1 + number / 65536, np.float32)
        program.weights[weight] = Weight(array)
        declare(program, weight, persistable=True, shape=(_WIDTH,))
        kind = ("elementwise_mul", "elementwise_add")[number % 4]
        add_op(program, kind, {"X": [source], "Y": [weight]}, out, {"axis": -1})
    elif number % 4 == 2:
        add_op(program, "relu", {"X": [source]}, out, {})
    else:
        add_op(program, "scale", {"X": [source]}, out, {"scale": 0.5, "bias": 0.0})
    return out


def add_op(
    program: Program, kind: str, inputs: dict[str, list[str]], out: str, attrs: dict[str, AttrValue]
) -> None:
    """Add an op whose output in the slot Out has the shape of its input."""
    declare(program, out)
    types = {int: AttrType.INT, float: AttrType.FLOAT}
    typed = {name: Attribute(types[type(value)], value) for name, value in attrs.items()}
    program.blocks[0].ops.append(Op(kind, inputs, {"Out": [out]}, typed))


def declare(
    program: Program,
    name: str,
    *,
    persistable: bool | None = None,
    need_check_feed: bool | None = None,
    shape: tuple[int, ...] = (-1, _WIDTH),
) -> None:
    """Add a float32 variable."""
    program.blocks[0].vars[name] = Var(
        name,
        VarKind.TENSOR,
        DType.FLOAT32,
        shape,
        0,
        persistable=persistable,
        need_check_feed=need_check_feed,
    )
