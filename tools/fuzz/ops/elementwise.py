"""Elementwise ops: unary, binary with broadcasting, variadic, casts, comparisons."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
from onnx import TensorProto

from lite.tools.fuzz.draw import ANY, FLOATS, INTEGERS, NUMBERS, REALS, Draw, Value, row, rows_of_table

_ACTIVATIONS: dict[str, dict[str, tuple[float, float]]] = {
    "Relu": {},
    "LeakyRelu": {"alpha": (-0.5, 1.5)},
    "Elu": {"alpha": (0.1, 2.0)},
    "Selu": {"alpha": (0.5, 2.0), "gamma": (0.5, 2.0)},
    "Celu": {"alpha": (0.2, 2.0)},
    "Sigmoid": {},
    "HardSigmoid": {"alpha": (0.05, 0.6), "beta": (0.1, 0.9)},
    "HardSwish": {},
    "Tanh": {},
    "Softplus": {},
    "Softsign": {},
    "ThresholdedRelu": {"alpha": (-1.0, 1.5)},
    "Mish": {},
    "Gelu": {},
    "Swish": {"alpha": (0.5, 2.0)},
    "Erf": {},
    "Shrink": {"bias": (-0.5, 0.5), "lambd": (0.0, 1.0)},
}
_PLAIN = [
    "Abs",
    "Neg",
    "Exp",
    "Sin",
    "Cos",
    "Tan",
    "Atan",
    "Sinh",
    "Cosh",
    "Asinh",
    "Sqrt",
    "Log",
    "Reciprocal",
    "Acos",
    "Asin",
    "Acosh",
    "Atanh",
    "Identity",
]
_ROUNDING = ("Floor", "Ceil", "Round", "Sign")


def _activation(op: str, ranges: dict[str, tuple[float, float]], d: Draw) -> None:
    attrs: dict[str, Any] = {name: d.real(*limits) for name, limits in ranges.items() if d.chance(0.6)}
    if op == "Gelu" and d.chance(0.5):
        attrs["approximate"] = d.pick(("none", "tanh"))
    d.node(op, [d.value()], **attrs)


def _unary(op: str, d: Draw) -> None:
    d.node(op, [d.value(REALS if d.chance(0.2) else FLOATS)])


def _rounding(op: str, d: Draw) -> None:
    x = d.find(where=lambda v: v.is_exact) or d.input(d.array(d.dims(3)))
    d.node(op, [x])


rows_of_table({op: functools.partial(_activation, op, ranges) for op, ranges in _ACTIVATIONS.items()}, 0.6)
rows_of_table({op: functools.partial(_unary, op) for op in _PLAIN}, 0.15)
rows_of_table({op: functools.partial(_rounding, op) for op in _ROUNDING}, 0.15)


def broadcastable(d: Draw, x: Value, dtype: str | None = None) -> Value:
    """A value whose shape broadcasts with that of `x`: an existing one, a scalar, a channel vector, …"""
    found = d.find((dtype or x.dtype,), where=lambda v: _broadcasts(v.shape, x.shape))
    if found is not None and d.chance(0.5):
        return found
    kind = d.integer(0, 5)
    shape = list(x.shape)
    if kind == 0:
        shape = []
    elif kind == 1:
        shape = shape[d.integer(0, len(shape)) :]
    elif kind == 2:
        shape = [size if d.chance(0.5) else 1 for size in shape]
    elif kind == 3 and len(shape) > 1:
        shape = [shape[1], *[1] * (len(shape) - 2)]
    elif kind == 4:
        shape = [*d.dims(1, 1, 3), *shape] if d.chance(0.5) else [1, *shape]
    return d.fresh(d.array(shape, dtype or x.dtype), constant=0.6)


def _broadcasts(a: tuple[int, ...], b: tuple[int, ...]) -> bool:
    return all(x in (1, y) or y == 1 for x, y in zip(a[::-1], b[::-1], strict=False))


def _binary(op: str, dtypes: tuple[str, ...], d: Draw) -> None:
    x = d.value(dtypes if d.chance(0.3) else dtypes[:1])
    y = broadcastable(d, x)
    pair = [x, y] if d.chance(0.6) else [y, x]
    attrs: dict[str, Any] = {}
    if op == "Mod":
        attrs = {"fmod": int(x.dtype.startswith("float") or d.chance(0.4))}
        pair[1] = d.constant(np.maximum(np.abs(pair[1].array), 1).astype(x.dtype))
    if op == "Div" and d.chance(0.7):
        divisor = pair[1].array
        pair[1] = d.constant(np.where(np.abs(divisor.astype(np.float64)) < 0.3, 1, divisor).astype(x.dtype))
    if op == "Pow":
        pair = [d.node("Abs", [x]), d.constant(np.asarray(d.pick((0.5, 2.0, 3.0, 1.0, -1.0, 0.0)), x.dtype))]
    d.node(op, pair, **attrs)


rows_of_table(
    {
        **{op: functools.partial(_binary, op, NUMBERS) for op in ("Add", "Sub", "Mul", "Div")},
    },
    1.6,
)
rows_of_table({op: functools.partial(_binary, op, NUMBERS) for op in ("Pow", "Mod", "PRelu")}, 0.3)


def _compare(op: str, d: Draw) -> None:
    x = d.find(NUMBERS, where=lambda v: v.is_exact) or d.input(d.array(d.dims(2)))
    y = broadcastable(d, x)
    if not y.is_exact:
        y = d.constant(d.array((), x.dtype))
    d.node(op, [x, y])


rows_of_table(
    {
        op: functools.partial(_compare, op)
        for op in ("Equal", "Less", "Greater", "LessOrEqual", "GreaterOrEqual")
    },
    0.2,
)


def _logical(op: str, d: Draw) -> None:
    x = d.value(("bool",))
    d.node(op, [x, broadcastable(d, x)])


rows_of_table({op: functools.partial(_logical, op) for op in ("And", "Or", "Xor")}, 0.12)


def _bitwise(op: str, d: Draw) -> None:
    x = d.value(INTEGERS)
    d.node(op, [x, broadcastable(d, x)])


rows_of_table({op: functools.partial(_bitwise, op) for op in ("BitwiseAnd", "BitwiseOr", "BitwiseXor")}, 0.1)


@row(0.2)
def bits(d: Draw) -> None:
    """Not, BitwiseNot and BitShift."""
    op = d.pick(("Not", "BitwiseNot", "BitShift"))
    if op == "BitShift":
        x = d.value(("uint8",))
        shift = d.constant(d.array(x.shape, "uint8") % 4)
        d.node(op, [x, shift], direction=d.pick(("LEFT", "RIGHT")))
    else:
        d.node(op, [d.value(("bool",) if op == "Not" else INTEGERS)])


@row(0.5)
def variadic(d: Draw) -> None:
    """Max, Min, Sum and Mean of one to four inputs."""
    x = d.value(NUMBERS if d.chance(0.3) else FLOATS)
    others = [broadcastable(d, x) for _ in range(d.integer(0, 3))]
    op = d.pick(("Max", "Min", "Sum", "Mean"))
    if op in ("Sum", "Mean") and not x.dtype.startswith("float"):
        op = "Max"
    d.node(op, [x, *others])


@row(0.6)
def clip(d: Draw) -> None:
    """Clip with constant, computed, missing and inverted limits; Clip(0, 6) often."""
    x = d.value(NUMBERS if d.chance(0.2) else FLOATS)
    low, high = (0.0, 6.0) if d.chance(0.4) else (d.real(-2, 1), d.real(-1, 3))
    if d.opset < 11:
        d.node("Clip", [x], min=low, max=high)
        return
    limits = [
        None if d.chance(0.2) else d.fresh(np.asarray(limit, x.dtype), constant=0.8) for limit in (low, high)
    ]
    d.node("Clip", [x, *limits])


@row(0.5)
def where(d: Draw) -> None:
    """Where with broadcasting conditions, after comparisons and of constants."""
    x = d.value(ANY if d.chance(0.3) else NUMBERS)
    y = broadcastable(d, x)
    shape = np.broadcast_shapes(x.shape, y.shape)
    condition = d.find(("bool",), where=lambda v: _broadcasts(v.shape, shape))
    if condition is None or d.chance(0.3):
        condition = d.fresh(d.array([n if d.chance(0.6) else 1 for n in shape], "bool"))
    d.node("Where", [condition, x, y])


_TO = {
    "float32": TensorProto.FLOAT,
    "float64": TensorProto.DOUBLE,
    "float16": TensorProto.FLOAT16,
    "int64": TensorProto.INT64,
    "int32": TensorProto.INT32,
    "bool": TensorProto.BOOL,
    "uint8": TensorProto.UINT8,
    "int8": TensorProto.INT8,
}


@row(0.5)
def cast(d: Draw) -> None:
    """Cast and CastLike between the common types."""
    x = d.value(ANY, where=lambda v: v.is_exact)
    to = d.pick(tuple(_TO))
    if to.startswith("uint") and x.array.size and x.array.dtype != bool and x.array.min() < 0:
        to = "int32"
    if d.opset >= 15 and d.chance(0.2):
        d.node("CastLike", [x, d.constant(d.array((1,), to))])
    else:
        d.node("Cast", [x], to=_TO[to])


@row(0.1)
def nan_tests(d: Draw) -> None:
    """IsNaN and IsInf."""
    x = d.value()
    if d.chance(0.5):
        d.node("IsNaN", [x])
    else:
        d.node("IsInf", [x], detect_negative=d.integer(0, 1), detect_positive=d.integer(0, 1))


@row(0.1)
def dropout(d: Draw) -> None:
    """Dropout at inference, with and without the mask."""
    x = d.value()
    # Older masks are of another type, or of zeros.
    masks = [True, d.opset >= 12 and d.chance(0.2)]
    if d.opset < 12:
        d.nodes_outputs("Dropout", [x], masks, ratio=0.4)
    else:
        training = d.input(np.array(False), valid=lambda flag: not flag) if d.chance(0.3) else None
        d.nodes_outputs("Dropout", [x, d.constant(np.float32(0.4)), training], masks)
