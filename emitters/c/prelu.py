"""prelu: a slope for all elements, for each channel or for each element."""

from __future__ import annotations

import numpy as np

from lite.emitters.c.loops import broadcast_strides, index, loops, merged
from lite.ir.types import DType
from lite.plugin.emitter import Emission, EmitOp, emitter


@emitter("c", "prelu")
def prelu(op: EmitOp, out: Emission) -> str | None:
    """X where it is positive, Alpha · X elsewhere."""
    x, alpha, y = op["X"], op["Alpha"], op.out()
    if x.dtype is not DType.FLOAT32 or alpha.dtype is not DType.FLOAT32:
        return f"has no form for {x} and {alpha}"
    mode, last = op.text("mode"), op.text("data_format").endswith("C")
    if alpha.size == 1:
        shape = [1] * x.rank
    elif mode == "channel":
        axis = x.rank - 1 if last else 1
        shape = [alpha.size if n == axis else 1 for n in range(x.rank)]
    elif alpha.size * x.shape[0] == x.size and not last:
        shape = [1, *x.shape[1:]]
    else:
        return f"slopes {alpha} for {x} are not supported"
    if int(np.prod(shape)) != alpha.size:
        return f"slopes {alpha} for {x} are not supported"
    sizes, flat = merged(x.shape, [broadcast_strides(each, x.shape) for each in (x.shape, shape)])
    out.read(x, "x")
    out.read(alpha, "alpha")
    out.write(y, "y", over="x")
    at = index(flat[0])
    body = [f"const float a = x[{at}];", f"y[{at}] = a > 0.0f ? a : a * alpha[{index(flat[1])}];"]
    out.code(*loops(sizes, body, parallel=True))
    return None
