"""Arrays of one number, and vectors with one number that differs."""

from __future__ import annotations

import math

import numpy as np

from lite.emitters.c.expression import INCLUDE, number
from lite.emitters.c.expression_of_doubles import double
from lite.emitters.c.loops import loops
from lite.ir.types import Array, DType
from lite.plugin.emitter import Emission, EmitOp, emitter
from lite.plugin.emitter.emission import C_TYPES
from lite.plugin.kernel import evaluate

_LIKE = {"fill_any_like": "X", "fill_constant_batch_size_like": "Input"}
"""Ops whose first input gives only sizes."""


@emitter("c", "fill_constant", *_LIKE)
def filled(op: EmitOp, out: Emission) -> str | None:
    """The number comes from the host's kernel, or from an input."""
    y, given = op.out(), op.get("ValueTensor") if op.op == "fill_constant" else None
    if y.dtype not in C_TYPES:
        return f"elements of type {y.dtype} are not supported"
    if given is not None and given.data is None:
        if given.dtype is not y.dtype:
            return f"a value of another type, {given}, is not supported"
        out.read(given, "value")
        out.write(y, "y")
        out.code(f"for (ptrdiff_t i = 0; i < {y.size}; i++) y[i] = value[0];")
        return None
    slot = _LIKE.get(op.op)
    inputs: dict[str, list[Array]] = {}
    if slot is not None:
        inputs = {slot: [np.zeros((1,) * max(op[slot].rank, 1), op[slot].dtype.numpy)]}
    elif given is not None and given.data is not None:
        inputs = {"ValueTensor": [given.data]}
    attrs = {**op.node.attrs, "shape": [1], "input_dim_idx": 0, "output_dim_idx": 0}
    attrs = {name: value for name, value in attrs.items() if name in op.node.attrs or name == "shape"}
    if slot == "X":
        attrs.pop("shape")
    made = evaluate(op.op, inputs, attrs, {"Out": 1})["Out"][0].array
    out.write(y, "y")
    out.code(f"for (ptrdiff_t i = 0; i < {y.size}; i++) y[i] = {literal(made.reshape(-1)[0], y.dtype)};")
    return None


def literal(value: object, dtype: DType) -> str:
    """A number of numpy as a C constant of an element type."""
    if dtype is DType.FLOAT32:
        return number(float(value))  # type: ignore[arg-type]
    if dtype is DType.FLOAT64:
        return double(float(value))  # type: ignore[arg-type]
    whole = int(value)  # type: ignore[call-overload]
    if whole == -(2**63):
        return "INT64_MIN"
    return f"INT64_C({whole})" if dtype is DType.INT64 else f"({C_TYPES[dtype]}){whole}"


@emitter("c", "one_hot_v2", "one_hot_values")
def one_hot(op: EmitOp, out: Emission) -> str | None:
    """Vectors along an axis with another number at each index."""
    x, y = op["X"], op.out()
    if x.dtype not in C_TYPES or y.dtype not in C_TYPES:
        return f"has no form from {x} to {y}"
    own = op.op == "one_hot_values"
    axis = op.integer("axis") % y.rank if own else y.rank - 1
    outer, width, inner = math.prod(y.shape[:axis]), y.shape[axis], math.prod(y.shape[axis + 1 :])
    out.use(INCLUDE / "scalar.h")
    out.read(x, "x")
    off, on = "0", "1"
    if own:
        out.read(op["Values"], "values")
        off, on = "values[0]", "values[1]"
    out.write(y, "y")
    kind = C_TYPES[y.dtype]
    at = f"x[i0 * {inner} + i1]"
    body = [
        f"int64_t k = {f'lb_integer({at})' if x.dtype.is_float else f'(int64_t){at}'};",
        f"if (k < 0) k += {width};" if own else "",
        f"if (k >= 0 && k < {width}) y[(i0 * {width} + k) * {inner} + i1] = ({kind}){on};",
    ]
    if not own and not op.flag("allow_out_of_range"):
        out.fails = True
        body.append("else return LB_BAD_INDEX;")
    out.code(f"for (ptrdiff_t i = 0; i < {y.size}; i++) y[i] = ({kind}){off};")
    out.code(*loops([outer, inner], [line for line in body if line]))
    return None
