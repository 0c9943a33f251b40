"""Reading and writing by indices along an axis, and writing by vectors of indices.

An index out of range stops the run with LB_BAD_INDEX.
"""

from __future__ import annotations

import math

from lite.emitters.c.loops import broadcast_strides, index, loops, strides_of
from lite.ir.types import DType
from lite.plugin.emitter import Emission, EmitOp, EmitValue, emitter
from lite.plugin.emitter.emission import C_TYPES

_UPDATES = {
    "assign": "{y} = {v};",
    "add": "{y} = ({kind})({wide}{y} + {wide}{v});",
    "mul": "{y} = ({kind})({wide}{y} * {wide}{v});",
    "multiply": "{y} = ({kind})({wide}{y} * {wide}{v});",
    "amax": "if ({v} > {y}) {y} = {v};",
    "amin": "if ({v} < {y}) {y} = {v};",
}


def _update(name: str, dtype: DType, y: str, v: str) -> str:
    wide = "" if dtype.is_float else "(uint64_t)"
    return _UPDATES[name].format(y=y, v=v, kind=C_TYPES[dtype], wide=wide)


def _problem(name: str, *values: EmitValue) -> str | None:
    for value in values:
        if value.dtype not in C_TYPES:
            return f"elements of type {value.dtype} are not supported"
    return None if name in _UPDATES else f"the reduction {name!r} is not supported"


def _checked(name: str, source: str, size: int) -> list[str]:
    return [
        f"int64_t {name} = {source};",
        f"if ({name} < 0) {name} += {size};",
        f"if ({name} < 0 || {name} >= {size}) return LB_BAD_INDEX;",
    ]


def _copied(out: Emission, x: EmitValue, y: EmitValue) -> None:
    out.read(x, "x")
    out.write(y, "y")
    out.code(f"memcpy(y, x, {x.size} * sizeof *y);")


@emitter("c", "take_along_axis")
def take_along_axis(op: EmitOp, out: Emission) -> str | None:
    """The element at each position of Index, with the index on an axis."""
    x, ids, y = op["Input"], op["Index"], op.out()
    problem = _problem("assign", x, ids)
    if problem is not None:
        return problem
    axis, strides = op.integer("Axis") % x.rank, strides_of(x.shape)
    out.fails = True
    out.read(x, "x")
    out.read(ids, "ids")
    out.write(y, "y")
    here = index(strides_of(ids.shape))
    from_ = index([0 if n == axis else stride for n, stride in enumerate(strides)])
    body = [*_checked("k", f"(int64_t)ids[{here}]", x.shape[axis])]
    body.append(f"y[{here}] = x[{from_} + k * {strides[axis]}];")
    out.code(*loops(ids.shape, body))
    return None


@emitter("c", "put_along_axis")
def put_along_axis(op: EmitOp, out: Emission) -> str | None:
    """A copy of Input with each of Value at its position, with the index on an axis."""
    x, ids, value, y = op["Input"], op["Index"], op["Value"], op.out()
    name = op.text("Reduce")
    problem = _problem(name, x, ids, value)
    if problem is not None or value.dtype is not x.dtype:
        return problem or f"values of another type, {value}, are not supported"
    axis, strides = op.integer("Axis") % x.rank, strides_of(x.shape)
    out.fails = True
    _copied(out, x, y)
    out.read(ids, "ids")
    out.read(value, "value")
    to = index([0 if n == axis else stride for n, stride in enumerate(strides)])
    from_ = index(broadcast_strides(value.shape, ids.shape))
    body = [
        *_checked("k", f"(int64_t)ids[{index(strides_of(ids.shape))}]", x.shape[axis]),
        _update(name, x.dtype, f"y[{to} + k * {strides[axis]}]", f"value[{from_}]"),
    ]
    out.code(*loops(ids.shape, body))
    return None


@emitter("c", "scatter_nd_update", "scatter_nd_add")
def scatter_nd(op: EmitOp, out: Emission) -> str | None:
    """A copy of X with slices of Updates at vectors of indices."""
    x, ids, updates, y = op["X"], op["Index"], op["Updates"], op.out()
    name = "add" if op.op == "scatter_nd_add" else op.text("reduction")
    problem = _problem(name, x, ids, updates)
    if problem is not None or updates.dtype is not x.dtype:
        return problem or f"updates of another type, {updates}, are not supported"
    depth = ids.shape[-1]
    if not depth:
        return "vectors without indices are not supported"
    count, inner = ids.size // depth, math.prod(x.shape[depth:])
    out.fails = True
    _copied(out, x, y)
    out.read(ids, "ids")
    out.read(updates, "updates")
    body = ["int64_t at = 0;"]
    for n in range(depth):
        body += ["{", *_checked("k", f"(int64_t)ids[i0 * {depth} + {n}]", x.shape[n])]
        body.append(f"at = at * {x.shape[n]} + k; }}")
    step = _update(name, x.dtype, f"y[at * {inner} + j]", f"updates[i0 * {inner} + j]")
    body += [f"for (ptrdiff_t j = 0; j < {inner}; j++) {{", step, "}"]
    out.code(*loops([count], body))
    return None


@emitter("c", "scatter")
def scatter(op: EmitOp, out: Emission) -> str | None:
    """A copy of X with rows replaced; without `overwrite`, by the sum of their updates."""
    x, ids, updates, y = op["X"], op["Ids"], op["Updates"], op.out()
    problem = _problem("assign", x, ids, updates)
    if problem is not None or updates.dtype is not x.dtype:
        return problem or f"updates of another type, {updates}, are not supported"
    inner = math.prod(x.shape[1:])
    out.fails = True
    _copied(out, x, y)
    out.read(ids, "ids")
    out.read(updates, "updates")
    row = _checked("k", "(int64_t)ids[i0]", x.shape[0])
    each = f"for (ptrdiff_t j = 0; j < {inner}; j++) "
    if not op.flag("overwrite"):
        out.code(*loops([ids.size], [*row, f"{each}y[k * {inner} + j] = 0;"]))
    name = "assign" if op.flag("overwrite") else "add"
    step = _update(name, x.dtype, f"y[k * {inner} + j]", f"updates[i0 * {inner} + j]")
    out.code(*loops([ids.size], [*row, each + step]))
    return None
