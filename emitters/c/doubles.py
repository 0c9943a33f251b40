"""Products and softmax in float64, which quantised models with scales in float64 have: plain loops."""

from __future__ import annotations

import math

from lite.emitters.c.loops import broadcast_strides, loops, merged
from lite.plugin.emitter import Emission, EmitOp, EmitValue


def product(
    out: Emission,
    x: EmitValue,
    w: EmitValue,
    y: EmitValue,
    sizes: tuple[int, int, int],
    x_steps: tuple[int, int],
    w_steps: tuple[int, int],
    scale: float = 1.0,
    bias: EmitValue | None = None,
) -> None:
    """Products of matrices; leading axes number them, and steps are between rows and between columns."""
    rows, count, columns = sizes
    batch = y.shape[:-2] if y.rank > 2 and y.size == math.prod(y.shape[:-2]) * rows * columns else ()
    lead = [
        [stride * size for stride in broadcast_strides(value.shape[:-2] if batch else (), batch)]
        for value, size in ((x, rows * count), (w, count * columns), (y, rows * columns))
    ]
    loop, strides = merged(batch, lead)
    at = [" + ".join(f"i{n} * {s}" for n, s in enumerate(each) if s) or "0" for each in strides]
    out.read(x, "x")
    out.read(w, "w")
    if bias is not None:
        out.read(bias, "bias")
    out.write(y, "y")
    body = [
        f"for (ptrdiff_t i = 0; i < {rows}; i++) for (ptrdiff_t j = 0; j < {columns}; j++) {{",
        f"const double *a = x + {at[0]} + i * {x_steps[0]}, *b = w + {at[1]} + j * {w_steps[1]};",
        "double total = 0.0;",
        f"for (ptrdiff_t k = 0; k < {count}; k++) total += a[k * {x_steps[1]}] * b[k * {w_steps[0]}];",
        f"y[{at[2]} + i * {columns} + j] = total * {scale!r}{'' if bias is None else ' + bias[j]'}; }}",
    ]
    out.code(*loops(loop, body))


def softmax(op: EmitOp, out: Emission) -> None:
    """Along an axis, or the logarithm of it."""
    x, y = op["X"], op.out()
    axis = op.integer("axis") % max(x.rank, 1)
    count, inner = math.prod(x.shape[axis : axis + 1]), math.prod(x.shape[axis + 1 :])
    at = f"(i0 * {count} + k) * {inner} + i1"
    each = f"for (ptrdiff_t k = 0; k < {count}; k++)"
    logarithm = op.op == "log_softmax"
    result = f"x[{at}] - most - log(total)" if logarithm else f"exp(x[{at}] - most) / total"
    out.read(x, "x")
    out.write(y, "y")
    body = [
        f"double most = x[i0 * {count * inner} + i1], total = 0.0;",
        f"{each} most = x[{at}] > most ? x[{at}] : most;",
        f"{each} total += exp(x[{at}] - most);",
        f"{each} y[{at}] = {result};",
    ]
    out.code(*loops([math.prod(x.shape[:axis]), inner], body))
