"""argsort and top_k_v2 by merge sort, which keeps the order of equal elements."""

from __future__ import annotations

import math

from lite.emitters.c.loops import loops
from lite.ir.types import DType
from lite.plugin.emitter import Emission, EmitOp, emitter
from lite.plugin.emitter.emission import C_TYPES

_SORT = """/* Sorts the indices of x[0], x[step], …; returns `first` or `second`, each of n elements. */
static const int32_t *{name}(const {kind} *x, ptrdiff_t step, int n, int32_t *first, int32_t *second) {{
    int32_t *from = first, *to = second;
    for (int i = 0; i < n; i++) from[i] = i;
    for (int width = 1; width < n; width *= 2) {{
        for (int low = 0; low < n; low += 2 * width) {{
            const int middle = low + width < n ? low + width : n;
            const int high = middle + width < n ? middle + width : n;
            int a = low, b = middle;
            for (int k = low; k < high; k++) {{
                const int right = a >= middle || (b < high && {after});
                to[k] = right ? from[b++] : from[a++];
            }}
        }}
        int32_t *other = from;
        from = to;
        to = other;
    }}
    return from;
}}"""
_INTEGER = "x[from[b] * step] {sign} x[from[a] * step]"
_FLOAT = f"({_INTEGER} || (isnan(x[from[a] * step]) && !isnan(x[from[b] * step])))"
"""C conditions: whether the element of index b comes before that of index a.  NaN comes last."""


@emitter("c", "argsort", "top_k_v2")
def sort(op: EmitOp, out: Emission) -> str | None:
    """The sorted elements along an axis, for top_k_v2 the first k of them, and their indices.

    X [outer, n, inner] → Out and Indices [outer, n or k, inner], with the element types that C has.
    """
    x, y = op["X"], op.out("Out")
    indices = next(iter(op.outs("Indices")), None)
    if x.dtype not in C_TYPES or (indices is not None and indices.dtype not in C_TYPES):
        return f"C has no element type for X, {x}, or Indices, {indices}"
    if not x.rank or not x.size:
        return f"X is {x}, expected rank 1 or more and one element at least"
    axis = op.integer("axis") % x.rank
    outer, count, inner = math.prod(x.shape[:axis]), x.shape[axis], math.prod(x.shape[axis + 1 :])
    down = op.flag("descending") if op.op == "argsort" else op.flag("largest")
    kind = C_TYPES[x.dtype]
    name = f"lb_{'descending' if down else 'ascending'}_{kind.removesuffix('_t')}"
    real = x.dtype in (DType.FLOAT32, DType.FLOAT64)
    after = (_FLOAT if real else _INTEGER).format(sign=">" if down else "<")
    out.define(name, _SORT.format(name=name, kind=kind, after=after))
    out.read(x, "x")
    if y.value.is_used:
        out.write(y, "y")
    with_indices = indices is not None and indices.value.is_used
    if indices is not None and with_indices:
        out.write(indices, "at")
    out.scratch(count, "first", DType.INT32)
    out.scratch(count, "second", DType.INT32)
    line = f"x + i0 * {count * inner} + i1"
    many = y.shape[axis]
    body = [
        f"const int32_t *order = {name}({line}, {inner}, {count}, first, second);",
        f"for (ptrdiff_t k = 0; k < {many}; k++) {{",
    ]
    if y.value.is_used:
        body.append(f"y[(i0 * {many} + k) * {inner} + i1] = ({line})[order[k] * {inner}];")
    if with_indices:
        body.append(f"at[(i0 * {many} + k) * {inner} + i1] = order[k];")
    out.code(*loops([outer, inner], [*body, "}"]))
    return None
