"""Running sums and products."""

from __future__ import annotations

import math

from lite.emitters.c.loops import loops
from lite.ir.types import DType
from lite.plugin.emitter import Emission, EmitOp, emitter
from lite.plugin.emitter.emission import C_TYPES

_FORMS = {"cumsum": ("axis", "0", "+"), "cumprod": ("dim", "1", "*")}


@emitter("c", *_FORMS)
def running(op: EmitOp, out: Emission) -> str | None:
    """For each element the sum or product up to it along an axis."""
    name, start, sign = _FORMS[op.op]
    x, y, given = op["X"], op.out(), op.get("AxisTensor")
    if x.dtype not in C_TYPES or x.dtype is not y.dtype or x.dtype is DType.BOOL:
        return f"has no form from {x} to {y}"
    if given is not None and given.data is None:
        return "a computed axis is not supported"
    whole = op.op == "cumsum" and (op.flag("flatten") or not x.rank)
    axis = op.integer(name) if given is None else int(given.data.reshape(-1)[0])  # type: ignore[union-attr]
    shape = (x.size,) if whole or not x.rank else x.shape
    axis = 0 if len(shape) == 1 else axis % len(shape)
    outer, count, inner = math.prod(shape[:axis]), shape[axis], math.prod(shape[axis + 1 :])
    single = op.op == "cumsum" and x.size == 1 and op.flag("keep_single")
    out.read(x, "x")
    out.write(y, "y")
    kind = C_TYPES[y.dtype]
    # Unsigned arithmetic wraps where signed arithmetic is undefined.
    wide = "" if x.dtype.is_float else "(uint64_t)"
    step = f"total = ({kind})({wide}total {sign} {wide}x[at]);"
    after = op.flag("exclusive") and not single
    k = f"({count} - 1 - k)" if op.flag("reverse") else "k"
    body = [
        f"{kind} total = {start};",
        f"for (ptrdiff_t k = 0; k < {count}; k++) {{",
        f"const ptrdiff_t at = (i0 * {count} + {k}) * {inner} + i1;",
        *(["y[at] = total;", step] if after else [step, "y[at] = total;"]),
        "}",
    ]
    out.code(*loops([outer, inner], body))
    return None
