"""A Paddle program with a loop and two branches, as Paddle exports them, and its results by formula."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from lite.ir.program import Attribute, AttrType, Block, Op, Program, Var, VarKind
from lite.ir.types import Array, DType
from tests.support.small_programs import make_program

X = np.random.default_rng(7).standard_normal((3, 4)).astype(np.float32)
FEEDS: Mapping[str, Array] = {"x": X, "n": np.array([3])}


def loop_and_branches() -> Program:
    """``n`` times ``x = tanh(1.5 * x + 0.1)``; y is ``2 * x`` if the mean of x is positive, else ``x - 1``.

    x is float32[?, 4], n int64[1]; the loop writes the fed variable x.
    """
    int64, flag = DType.INT64.code, {"axis": -1}
    program = make_program(
        {"x": (DType.FLOAT32, (-1, 4)), "n": (DType.INT64, (1,))},
        {},
        [
            ("fill_constant", {}, {"Out": ["i"]}, {"shape": [1], "dtype": int64, "value": 0.0}),
            ("less_than", {"X": ["i"], "Y": ["n"]}, {"Out": ["more"]}, flag),
            ("while", {"Condition": ["more"], "X": ["x", "i", "n"]}, {"Out": ["x", "i", "more"]}, {}),
            ("reduce_mean", {"X": ["x"]}, {"Out": ["mean"]}, {"dim": [0, 1], "keep_dim": False}),
            ("reshape2", {"X": ["mean"]}, {"Out": ["level"]}, {"shape": [1]}),
            (
                "fill_constant",
                {},
                {"Out": ["zero"]},
                {"shape": [1], "dtype": DType.FLOAT32.code, "value": 0.0},
            ),
            ("greater_than", {"X": ["level"], "Y": ["zero"]}, {"Out": ["high"]}, flag),
            ("logical_not", {"X": ["high"]}, {"Out": ["low"]}, {}),
            ("conditional_block", {"Cond": ["high"], "Input": ["x"]}, {"Out": ["twice"]}, {}),
            ("conditional_block", {"Cond": ["low"], "Input": ["x"]}, {"Out": ["less"]}, {}),
            ("cast", {"X": ["high"]}, {"Out": ["mask"]}, {"in_dtype": 0, "out_dtype": DType.INT32.code}),
            ("select_input", {"X": ["less", "twice"], "Mask": ["mask"]}, {"Out": ["y"]}, {}),
        ],
        ["y", "i"],
    )
    _declare(program.blocks[0], DType.INT64, (1,), "i")
    _declare(program.blocks[0], DType.BOOL, (1,), "more", "high", "low")
    _declare(program.blocks[0], DType.INT32, (1,), "mask")
    _declare(program.blocks[0], DType.FLOAT32, (-1, 4), "twice", "less", "y")
    bodies: list[Sequence[tuple[str, dict[str, list[str]], dict[str, list[str]], dict[str, float | int]]]] = [
        [
            ("scale", {"X": ["x"]}, {"Out": ["scaled"]}, {"scale": 1.5, "bias": 0.1}),
            ("tanh", {"X": ["scaled"]}, {"Out": ["x"]}, {}),
            ("increment", {"X": ["i"]}, {"Out": ["i"]}, {"step": 1.0}),
            ("less_than", {"X": ["i"], "Y": ["n"]}, {"Out": ["more"]}, {"axis": -1}),
        ],
        [("scale", {"X": ["x"]}, {"Out": ["twice"]}, {"scale": 2.0})],
        [("scale", {"X": ["x"]}, {"Out": ["less"]}, {"scale": 1.0, "bias": -1.0})],
    ]
    owners = [op for op in program.blocks[0].ops if op.type in ("while", "conditional_block")]
    for index, (owner, body) in enumerate(zip(owners, bodies, strict=True), 1):
        block = Block(index, 0)
        for kind, inputs, outputs, attrs in body:
            stored = {
                name: Attribute(AttrType.FLOAT if isinstance(value, float) else AttrType.INT, value)
                for name, value in attrs.items()
            }
            block.ops.append(Op(kind, inputs, outputs, stored))
        program.blocks.append(block)
        owner.attrs["sub_block"] = Attribute(AttrType.BLOCK, index)
        if owner.type == "conditional_block":
            owner.attrs["is_scalar_condition"] = Attribute(AttrType.BOOLEAN, True)
    _declare(program.blocks[1], DType.FLOAT32, (-1, 4), "scaled")
    return program


def expected() -> dict[str, Array]:
    """The outputs of `loop_and_branches` for `FEEDS`."""
    x = FEEDS["x"]
    for _ in range(int(FEEDS["n"][0])):
        x = np.tanh(x * np.float32(1.5) + np.float32(0.1))
    y = 2 * x if x.mean() > 0 else x - 1
    return {"y": y.astype(np.float32), "i": np.array([3])}


def _declare(block: Block, dtype: DType, shape: tuple[int, ...], *names: str) -> None:
    for name in names:
        block.vars[name] = Var(name, VarKind.TENSOR, dtype, shape, 0)
