"""Reductions, and the positions of extremes."""

from __future__ import annotations

import math

from lite.emitters.c.expression import INCLUDE, number
from lite.emitters.c.loops import index, loops, strides_of
from lite.ir.types import DType
from lite.plugin.emitter import Emission, EmitOp, emitter
from lite.plugin.emitter.emission import C_TYPES

_FORMS = {
    "reduce_sum": ("0", "{y} += {x};"),
    "reduce_mean": ("0", "{y} += {x};"),
    "reduce_prod": ("1", "{y} *= {x};"),
    "reduce_max": ("", "if ({x} > {y}) {y} = {x};"),
    "reduce_min": ("", "if ({x} < {y}) {y} = {x};"),
    "reduce_any": ("0", "{y} |= {x};"),
    "reduce_all": ("1", "{y} &= {x};"),
}


@emitter("c", *_FORMS)
def reduce(op: EmitOp, out: Emission) -> str | None:
    """The axes that stay are inside where they are last, so that loops over them become vectors."""
    x, y = op["X"], op.out()
    logic = op.op in ("reduce_any", "reduce_all")
    if x.dtype not in C_TYPES or (x.dtype is not y.dtype) or (x.dtype is DType.BOOL) != logic:
        return f"has no form from {x} to {y}"
    if op.op == "reduce_mean" and x.dtype not in (DType.FLOAT32, DType.FLOAT64):
        return "means of integers are not supported"
    if not x.size:
        return "has no form for no elements"
    axes = [axis % max(x.rank, 1) for axis in op.integers("dim")]
    if op.flag("reduce_all") or not axes:
        axes = list(range(x.rank))
    kept = [axis for axis in range(x.rank) if axis not in axes]
    strides = strides_of(x.shape)
    targets = strides_of([x.shape[axis] for axis in kept])
    count = math.prod(x.shape[axis] for axis in axes)
    start, form = _FORMS[op.op]
    out.read(x, "x")
    out.write(y, "y")
    mean = op.op == "reduce_mean"
    if kept and kept[-1] == x.rank - 1:
        _outside(out, x.shape, kept, sorted(set(axes)), strides, targets, start, form)
        if mean:
            factor = f"({C_TYPES[y.dtype]}){count}"
            out.code(f"for (ptrdiff_t i = 0; i < {y.size}; i++) y[i] /= {factor};")
        return None
    sizes = [x.shape[axis] for axis in kept]
    first = index([strides[axis] for axis in kept])
    inside = sorted(set(axes))
    tail = math.prod(x.shape[axis] for axis in inside)
    contiguous = inside == list(range(x.rank - len(inside), x.rank))
    kind = C_TYPES[y.dtype]
    if contiguous and x.dtype is DType.FLOAT32 and op.op in ("reduce_sum", "reduce_mean", "reduce_max"):
        out.use(INCLUDE / "scalar.h")
        out.use(INCLUDE / "sums.h")
        call = "lb_greatest" if op.op == "reduce_max" else "lb_sum"
        divided = f" / {number(count)}" if mean else ""
        out.code(*loops(sizes or [1], [f"y[{index(targets)}] = {call}(x + {first}, {tail}){divided};"]))
        return None
    body = [f"{kind} r = ({kind}){start or f'x[{first}]'};"]
    for n, axis in enumerate(inside):
        body.append(f"for (ptrdiff_t j{n} = 0; j{n} < {x.shape[axis]}; j{n}++)")
    at = " + ".join([first, *(f"j{n} * {strides[axis]}" for n, axis in enumerate(inside))])
    body += ["{", _step(form, "r", f"x[{at}]", kind), "}"]
    body.append(f"y[{index(targets)}] = r{f' / ({kind}){count}' if mean else ''};")
    out.code(*loops(sizes or [1], body))
    return None


def _step(form: str, y: str, x: str, kind: str) -> str:
    text = form.format(x=x, y=y)
    if kind in ("float", "double") or text.startswith("if"):
        return text
    name, sign, rest = y, text[len(y) + 1], x
    wide = "uint64_t" if sign in "+*" else "unsigned"
    return f"{name} = ({kind})(({wide}){name} {sign} ({wide}){rest});"


def _outside(
    out: Emission,
    shape: tuple[int, ...],
    kept: list[int],
    axes: list[int],
    strides: list[int],
    targets: list[int],
    start: str,
    form: str,
) -> None:
    kind = out.parameters[-1].ctype
    order = [*kept[:-1], *axes, kept[-1]]
    to = dict(zip(kept, targets, strict=True))
    y = index([to.get(axis, 0) for axis in order])
    x = index([strides[axis] for axis in order])
    total = math.prod(shape[axis] for axis in kept)
    if start:
        out.code(f"for (ptrdiff_t i = 0; i < {total}; i++) y[i] = {start};")
    else:
        sizes = [shape[axis] for axis in kept]
        first = index([strides[axis] for axis in kept])
        out.code(*loops(sizes, [f"y[{index(targets)}] = x[{first}];"]))
    out.code(
        *loops([shape[axis] for axis in order], [_step(form, f"y[{y}]", f"x[{x}]", kind)], parallel=True)
    )


@emitter("c", "arg_max", "arg_min")
def arg_max(op: EmitOp, out: Emission) -> str | None:
    """The first, or the last, position of the greatest or least element along an axis."""
    x, y = op["X"], op.out()
    if x.dtype not in C_TYPES or y.dtype not in C_TYPES:
        return f"has no form from {x} to {y}"
    axis = op.integer("axis") % max(x.rank, 1)
    shape = (
        (1, x.size, 1)
        if op.flag("flatten")
        else (math.prod(x.shape[:axis]), x.shape[axis], math.prod(x.shape[axis + 1 :]))
    )
    sign = ">" if op.op == "arg_max" else "<"
    sign += "=" if op.flag("select_last_index") else ""
    out.read(x, "x")
    out.write(y, "y")
    outer, count, inner = shape
    first = f"x[i0 * {count * inner} + i1"
    body = [
        f"{C_TYPES[x.dtype]} best = {first}];",
        "ptrdiff_t at = 0;",
        f"for (ptrdiff_t k = 1; k < {count}; k++)",
        f"if ({first} + k * {inner}] {sign} best) {{ best = {first} + k * {inner}]; at = k; }}",
        f"y[i0 * {inner} + i1] = ({C_TYPES[y.dtype]})at;",
    ]
    out.code(*loops([outer, inner], body))
    return None
