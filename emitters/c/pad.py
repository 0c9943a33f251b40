"""Padding with a constant, or with elements of the input."""

from __future__ import annotations

import numpy as np

from lite.emitters.c.expression import number
from lite.emitters.c.loops import index, loops, merged, strides_of
from lite.emitters.c.movement import moved
from lite.ir.types import DType
from lite.plugin.emitter import Emission, EmitOp, emitter
from lite.plugin.emitter.emission import C_TYPES
from lite.plugin.kernel import evaluate


@emitter("c", "pad_nd")
def pad_nd(op: EmitOp, out: Emission) -> str | None:
    """A constant everywhere, then the elements that stay; other modes only move elements."""
    x, y = op["X"], op.out()
    if op.text("mode") != "constant":
        return moved(op, out)
    constants = {slot: op[slot].data for slot in op.node.inputs if slot != "X"}
    if x.dtype not in C_TYPES or any(data is None for data in constants.values()):
        return "paddings and value must be constant"
    value = constants.get("Value")
    fill = op.real("value") if value is None else float(value.reshape(-1)[0])
    inputs = {slot: [np.asarray(data)] for slot, data in constants.items() if slot != "Value"}
    positions = np.arange(1, x.size + 1).reshape(x.shape)
    attrs = {**op.node.attrs, "value": 0.0}
    moved_to = evaluate("pad_nd", {"X": [positions], **inputs}, attrs, {"Out": 1})["Out"][0].array
    kept = np.flatnonzero(moved_to.reshape(-1))
    out.read(x, "x")
    out.write(y, "y")
    text = number(fill) if x.dtype is DType.FLOAT32 else f"({C_TYPES[x.dtype]}){int(fill)}"
    out.code(f"for (ptrdiff_t i = 0; i < {y.size}; i++) y[i] = {text};")
    if not kept.size:
        return None
    # The elements that stay are a box in both arrays.
    first, last = (np.unravel_index(kept[n], y.shape) for n in (0, -1))
    sizes = [int(b - a + 1) for a, b in zip(first, last, strict=True)]
    source = int(moved_to.reshape(-1)[kept[0]]) - 1
    loop, [steps, targets] = merged(sizes, [strides_of(x.shape), strides_of(y.shape)])
    body = f"y[{index(targets, int(kept[0]))}] = x[{index(steps, source)}];"
    out.code(*loops(loop, [body], parallel=True))
    return None
