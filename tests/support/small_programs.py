"""Programs of a few ops, as Paddle exports them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from lite.ir.program import Attribute, AttrType, AttrValue, Block, Op, Program, Var, VarKind, Weight
from lite.ir.types import Array, DType, Shape

OpText = tuple[str, Mapping[str, Sequence[str]], Mapping[str, Sequence[str]], Mapping[str, AttrValue]]
"""Type, inputs, outputs, attributes."""


def make_program(
    inputs: Mapping[str, tuple[DType, Shape]],
    weights: Mapping[str, Array],
    ops: Sequence[OpText],
    outputs: Sequence[str],
) -> Program:
    """A program of one block; variables that ops write are float32 of unknown shape unless fed."""
    block = Block(0)
    block.vars["feed"] = Var("feed", VarKind.FEED, persistable=True)
    block.vars["fetch"] = Var("fetch", VarKind.FETCH, persistable=True)
    for name, (dtype, shape) in inputs.items():
        block.vars[name] = Var(name, VarKind.TENSOR, dtype, shape, 0, need_check_feed=True)
    for name, array in weights.items():
        dtype = DType.from_numpy(array.dtype)
        block.vars[name] = Var(name, VarKind.TENSOR, dtype, array.shape, 0, persistable=True)
    for column, name in enumerate(inputs):
        block.ops.append(Op("feed", {"X": ["feed"]}, {"Out": [name]}, _attrs({"col": column})))
    for kind, reads, writes, attrs in ops:
        for name in (name for names in writes.values() for name in names):
            block.vars.setdefault(name, Var(name, VarKind.TENSOR, DType.FLOAT32, (-1,), 0))
        op = Op(kind, {s: list(n) for s, n in reads.items()}, {s: list(n) for s, n in writes.items()})
        op.attrs = _attrs(attrs)
        block.ops.append(op)
    for column, name in enumerate(outputs):
        block.ops.append(Op("fetch", {"X": [name]}, {"Out": ["fetch"]}, _attrs({"col": column})))
    stored = {name: Weight(array) for name, array in weights.items()}
    return Program([block], stored, version=2006002, source="small model")


def affine() -> Program:
    """``y = relu(x * w + b)`` for x of float32[?,4], and ``twice = 2 * y``."""
    return make_program(
        {"x": (DType.FLOAT32, (-1, 4))},
        {"w": np.array([1, -1, 2, 0.5], np.float32), "b": np.array([0, 1, 2, 3], np.float32)},
        [
            ("elementwise_mul", {"X": ["x"], "Y": ["w"]}, {"Out": ["xw"]}, {"axis": -1}),
            ("elementwise_add", {"X": ["xw"], "Y": ["b"]}, {"Out": ["sum"]}, {"axis": -1}),
            ("relu", {"X": ["sum"]}, {"Out": ["y"]}, {}),
            ("scale", {"X": ["y"]}, {"Out": ["twice"]}, {"scale": 2.0}),
        ],
        ["y", "twice"],
    )


def affine_reference(x: Array) -> Array:
    """The output y of `affine`, from the definition."""
    w, b = (affine().weights[name].array for name in ("w", "b"))
    result: Array = np.maximum(x * w + b, 0)
    return result


def _attrs(values: Mapping[str, AttrValue]) -> dict[str, Attribute]:
    return {name: attribute(value) for name, value in values.items()}


def attribute(value: AttrValue) -> Attribute:
    """The attribute with the type that Paddle gives to such a value."""
    return Attribute(_kind(value), value)


def _kind(value: AttrValue) -> AttrType:
    kinds = {bool: AttrType.BOOLEAN, int: AttrType.INT, float: AttrType.FLOAT, str: AttrType.STRING}
    if isinstance(value, list):
        lists = {int: AttrType.INTS, float: AttrType.FLOATS, str: AttrType.STRINGS, bool: AttrType.BOOLEANS}
        return lists[type(value[0]) if value else int]
    kind: AttrType = kinds[type(value)]
    return kind
