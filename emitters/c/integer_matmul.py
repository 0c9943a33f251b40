"""integer_matmul: products of bytes."""

from __future__ import annotations

import math

import numpy as np

from lite.emitters.c.expression import INCLUDE, number
from lite.emitters.c.loops import broadcast_strides, loops, merged
from lite.ir.types import DType
from lite.plugin.emitter import Emission, EmitOp, EmitValue, emitter


@emitter("c", "integer_matmul")
def integer_matmul(op: EmitOp, out: Emission) -> str | None:
    """Sums of a row at a time in 32 bits, which wrap; then they are scaled and stored, also as bytes."""
    x, w, y = op["X"], op["Y"], op.out()
    rows = x.shape[-2] if x.rank > 1 else 1
    count, columns = x.shape[-1], w.shape[-1] if w.rank > 1 else 1
    batch = y.shape[:-2] if x.rank > 1 and w.rank > 1 else y.shape[: y.rank - (x.rank > 1) - (w.rank > 1)]
    zeros = {"x": op.get("XZeroPoint"), "w": op.get("YZeroPoint")}
    for (name, zero), size in zip(zeros.items(), (rows, columns), strict=True):
        if zero is not None and zero.size not in (1, size):
            return f"has zero points {zero} of {name} that differ between matrices"
    lead = [
        [stride * size for stride in broadcast_strides(shape, batch)]
        for shape, size in (
            (x.shape[:-2], rows * count),
            (w.shape[:-2], count * columns),
            (batch, rows * columns),
        )
    ]
    loop, strides = merged(batch, lead)
    at = [" + ".join(f"i{n} * {s}" for n, s in enumerate(each) if s) or "0" for each in strides]
    out.use(INCLUDE / "bytes.h")
    for value, name in ((x, "x"), (w, "w"), *((zero, f"{name}_zero") for name, zero in zeros.items())):
        if value is not None:
            out.read(value, name)
    stored = _stored(op, out)
    out.write(y, "y")
    out.scratch(columns, "sums", DType.INT32)
    minus_x = "" if zeros["x"] is None else f" - x_zero[{_at(zeros['x'], 'i')}]"
    minus_w = "" if zeros["w"] is None else f" - w_zero[{_at(zeros['w'], 'j')}]"
    out.code(
        *loops(
            loop,
            [
                f"for (ptrdiff_t i = 0; i < {rows}; i++) {{",
                f"for (ptrdiff_t j = 0; j < {columns}; j++) sums[j] = 0;",
                f"for (ptrdiff_t k = 0; k < {count}; k++) {{",
                f"const int32_t a = x[{at[0]} + i * {count} + k]{minus_x};",
                f"for (ptrdiff_t j = 0; j < {columns}; j++) {{",
                f"const int32_t b = w[{at[1]} + k * {columns} + j]{minus_w};",
                "sums[j] = (int32_t)((uint32_t)sums[j] + (uint32_t)(a * b));",
                "}}",
                f"for (ptrdiff_t j = 0; j < {columns}; j++) {{",
                *stored,
                f"y[{at[2]} + i * {columns} + j] = r;",
                "}}",
            ],
        )
    )
    return None


def _stored(op: EmitOp, out: Emission) -> list[str]:
    """Code that computes the result `r` from the sum of column `j`."""
    scale, bias, out_scale = op.get("Scale"), op.get("Bias"), op.real("out_scale")
    if scale is None:
        return ["const int32_t r = sums[j];"]
    out.read(scale, "scale")
    lines = [f"float t = (float)sums[j] * scale[{_at(scale, 'j')}];", "LB_ROUNDED(t);"]
    if bias is not None:
        out.read(bias, "bias")
        lines.append(f"t = t + bias[{_at(bias, 'j')}];")
    if not out_scale:
        return [*lines, "const float r = t;"]
    factor = number(float(np.float32(1) / np.float32(out_scale)))
    return [*lines, f"const uint8_t r = lb_byte(t, {factor}, {number(float(op.integer('out_zero_point')))});"]


def _at(value: EmitValue, index: str) -> str:
    return index if math.prod(value.shape) > 1 else "0"
