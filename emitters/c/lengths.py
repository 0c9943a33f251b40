"""Lengths of vectors, and numbers divided by them."""

from __future__ import annotations

import math

from lite.emitters.c.expression import INCLUDE, number
from lite.emitters.c.loops import loops
from lite.ir.types import DType
from lite.plugin.emitter import Emission, EmitOp, EmitValue, emitter


def _along(x: EmitValue, axis: int) -> tuple[int, int, int]:
    axis %= max(x.rank, 1)
    return math.prod(x.shape[:axis]), math.prod(x.shape[axis : axis + 1]), math.prod(x.shape[axis + 1 :])


def _line(count: int, inner: int, step: str) -> list[str]:
    """A loop over the elements `v` of the line at i0, i1."""
    at = f"x[(i0 * {count} + k) * {inner} + i1]"
    return [f"for (ptrdiff_t k = 0; k < {count}; k++) {{ const float v = {at};", step, "}"]


def _power(order: float) -> tuple[str, str, str]:
    """The start of a sum of powers, its step, and the root of it."""
    if order == 0:
        return "0.0f", "total += v != 0.0f ? 1.0f : 0.0f;", "total"
    if math.isinf(order):
        if order > 0:
            return "0.0f", "total = lb_maxf(fabsf(v), total);", "total"
        return "INFINITY", "total = lb_minf(fabsf(v), total);", "total"
    if order == 2:
        return "0.0f", "total += v * v;", "sqrtf(total)"
    if order == 1:
        return "0.0f", "total += fabsf(v);", "total"
    return (
        "0.0f",
        f"total += powf(fabsf(v), {number(order)});",
        f"powf(total, {number(1)} / {number(order)})",
    )


@emitter("c", "p_norm")
def p_norm(op: EmitOp, out: Emission) -> str | None:
    """The length of each line, or of all elements."""
    x, y = op["X"], op.out()
    if x.dtype is not DType.FLOAT32:
        return f"X must be float32, got {x}"
    outer, count, inner = (1, x.size, 1) if op.flag("asvector") else _along(x, op.integer("axis"))
    start, step, root = _power(op.real("porder"))
    out.use(INCLUDE / "scalar.h")
    out.read(x, "x")
    out.write(y, "y")
    line = _line(count, inner, step)
    out.code(*loops([outer, inner], [f"float total = {start};", *line, f"y[i0 * {inner} + i1] = {root};"]))
    return None


@emitter("c", "norm", "lp_normalize")
def normalized(op: EmitOp, out: Emission) -> str | None:
    """Each line divided by its length; `norm` also gives the lengths."""
    x, y = op["X"], op.out("Out")
    if x.dtype is not DType.FLOAT32:
        return f"X must be float32, got {x}"
    outer, count, inner = _along(x, op.integer("axis"))
    own = op.op == "norm"
    start, step, root = _power(2 if own else op.integer("porder"))
    if own:
        start = number(op.real("epsilon"))
    out.use(INCLUDE / "scalar.h")
    out.read(x, "x")
    out.write(y, "y")
    lengths = own and not op.unused("Norm")
    if lengths:
        out.write(op.out("Norm"), "lengths")
    here = f"(i0 * {count} + k) * {inner} + i1"
    divided = f"x[{here}] / length" if own else f"length != 0.0f ? x[{here}] / length : 0.0f"
    body = [f"float total = {start};", *_line(count, inner, step), f"const float length = {root};"]
    if lengths:
        body.append(f"lengths[i0 * {inner} + i1] = length;")
    body.append(f"for (ptrdiff_t k = 0; k < {count}; k++) y[{here}] = {divided};")
    out.code(*loops([outer, inner], body))
    return None


@emitter("c", "lrn")
def lrn(op: EmitOp, out: Emission) -> str | None:
    """Elements divided by a power of the sum of squares over neighbouring channels."""
    x, y = op["X"], op.out("Out")
    if x.dtype is not DType.FLOAT32:
        return f"X must be float32, got {x}"
    outer, count, inner = _along(x, 3 if op.text("data_format") == "NHWC" else 1)
    n = op.integer("n")
    before = (n - 1) // 2
    out.read(x, "x")
    out.write(y, "y")
    sums = not op.unused("MidOut")
    if sums:
        out.write(op.out("MidOut"), "middle")
    here = f"(i0 * {count} + i1) * {inner} + i2"
    body = [
        f"float total = {number(op.real('k'))};",
        f"const ptrdiff_t low = i1 < {before} ? 0 : i1 - {before};",
        f"const ptrdiff_t high = i1 + {n - before} < {count} ? i1 + {n - before} : {count};",
        f"for (ptrdiff_t k = low; k < high; k++) {{ const float v = x[(i0 * {count} + k) * {inner} + i2];",
        f"total += {number(op.real('alpha'))} * v * v; }}",
    ]
    if sums:
        body.append(f"middle[{here}] = total;")
    body.append(f"y[{here}] = x[{here}] * powf(total, {number(-op.real('beta'))});")
    out.code(*loops([outer, count, inner], body))
    return None
