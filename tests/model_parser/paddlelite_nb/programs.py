"""Programs as Paddle-Lite's ``opt`` leaves them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from lite.ir.program import Attribute, AttrType, AttrValue, Op, Program, Var, VarKind, Weight
from lite.ir.types import DType
from tests.support.bare_programs import Names, make_op, make_program

KERNEL = "__@kernel_type_attr@__"


def op(
    kind: str,
    inputs: Mapping[str, Names],
    outputs: Mapping[str, Names],
    kernel: str = "def/4/1/1",
    attrs: Mapping[str, AttrValue] | None = None,
    **more: AttrValue,
) -> Op:
    """An op with the kernel that `opt` chose: alias, target, element type and layout."""
    made = make_op(kind, inputs, outputs)
    given = {**(attrs or {}), **more}
    made.attrs = {name: Attribute(_type(value), value) for name, value in given.items()}
    made.attrs[KERNEL] = Attribute(AttrType.STRING, f"{kind}/{kernel}")
    return made


def program(
    shape: Sequence[int],
    ops: Sequence[Op],
    weights: Mapping[str, np.ndarray],
    result: str = "y",
    blocks: Sequence[Sequence[Op]] = (),
) -> Program:
    """A program from x to `result`; each op's outputs are variables of a type that is not theirs."""
    written = {name for each in ops for names in each.outputs.values() for name in names}
    rest: list[tuple[Sequence[str], Sequence[Op]]] = [([], [*block]) for block in blocks]
    made = make_program("x", result, (["x", *sorted(written - {"x"})], ops), *rest)
    main = made.blocks[0]
    main.vars = {name: main.vars[name] for name in sorted(main.vars)}
    for name in written:
        main.vars[name] = Var(name, dtype=DType.INT16, shape=(7, 7, 7))
    main.vars["x"] = Var("x", dtype=DType.FLOAT32, shape=tuple(shape), need_check_feed=True)
    for name, array in weights.items():
        # opt declares the type of the unquantised weight
        main.vars[name] = Var(name, dtype=DType.FLOAT32, shape=array.shape, persistable=True)
        made.weights[name] = Weight(array)
    for holder in ("feed", "fetch"):
        main.vars[holder].persistable = True
        assert main.vars[holder].kind in (VarKind.FEED, VarKind.FETCH)
    return made


def noise(seed: int, *shape: int) -> np.ndarray:
    """Normal numbers, float32."""
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def _type(value: AttrValue) -> AttrType:
    if isinstance(value, list):
        several: dict[type, AttrType] = {int: AttrType.INTS, float: AttrType.FLOATS, str: AttrType.STRINGS}
        return several[type(value[0])]
    single: dict[type, AttrType] = {
        bool: AttrType.BOOLEAN,
        int: AttrType.INT,
        float: AttrType.FLOAT,
        str: AttrType.STRING,
    }
    return single[type(value)]
