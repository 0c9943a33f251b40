"""Softmax and normalisations."""

from __future__ import annotations

import math

import numpy as np

from lite.emitters.c import doubles
from lite.emitters.c.expression import INCLUDE, number
from lite.emitters.c.loops import loops
from lite.ir.types import DType
from lite.plugin.emitter import Emission, EmitOp, EmitValue, emitter


def _not_float(value: EmitValue) -> str | None:
    return None if value.dtype is DType.FLOAT32 else f"elements must be float32, got {value}"


@emitter("c", "softmax", "log_softmax")
def softmax(op: EmitOp, out: Emission) -> str | None:
    """Along the last axis in place, along others by a copy of each line."""
    x, y = op["X"], op.out()
    if x.dtype is DType.FLOAT64:
        doubles.softmax(op, out)
        return None
    if reason := _not_float(x):
        return reason
    out.use(INCLUDE / "scalar.h")
    out.use(INCLUDE / "sums.h")
    axis = op.integer("axis") % max(x.rank, 1)
    count = x.shape[axis] if x.rank else 1
    inner = math.prod(x.shape[axis + 1 :])
    logarithm = int(op.op == "log_softmax")
    out.read(x, "x")
    if inner == 1:
        out.write(y, "y", over="x")
        out.code(
            *loops(
                [x.size // max(count, 1)],
                [f"lb_softmax(x + i0 * {count}, y + i0 * {count}, {count}, {logarithm});"],
            )
        )
        return None
    out.scratch(count, "line")
    out.write(y, "y")
    at = f"i0 * {count * inner} + i1"
    out.code(
        *loops(
            [x.size // (count * inner), inner],
            [
                f"for (int k = 0; k < {count}; k++) line[k] = x[{at} + (ptrdiff_t)k * {inner}];",
                f"lb_softmax(line, line, {count}, {logarithm});",
                f"for (int k = 0; k < {count}; k++) y[{at} + (ptrdiff_t)k * {inner}] = line[k];",
            ],
        )
    )
    return None


@emitter("c", "layer_norm")
def layer_norm(op: EmitOp, out: Emission) -> str | None:
    """Over the last axes."""
    x, y = op["X"], op.out("Y")
    if reason := _not_float(x):
        return reason
    if not op.unused("Mean") or not op.unused("Variance"):
        return "mean and variance as results are not supported"
    out.use(INCLUDE / "scalar.h")
    out.use(INCLUDE / "sums.h")
    count = math.prod(x.shape[op.integer("begin_norm_axis") :])
    out.read(x, "x")
    names = []
    for slot in ("Scale", "Bias"):
        value = op.get(slot)
        if value is not None:
            out.read(value, slot.lower())
        names.append("0" if value is None else slot.lower())
    out.write(y, "y")
    epsilon = number(op.real("epsilon"))
    at = f"i0 * {count}"
    call = f"lb_layer_norm(x + {at}, {names[0]}, {names[1]}, y + {at}, {count}, {epsilon});"
    out.code(*loops([x.size // max(count, 1)], [call]))
    return None


@emitter("c", "batch_norm", "affine_channel")
def batch_norm(op: EmitOp, out: Emission) -> str | None:
    """X times a factor of the channel plus a term of the channel."""
    x, y = op["X"], op.out()
    if reason := _not_float(x):
        return reason
    slots = ("Scale", "Bias") if op.op == "affine_channel" else ("Scale", "Bias", "Mean", "Variance")
    found = [op.get(slot) for slot in slots]
    if any(value is not None and value.data is None for value in found):
        return "statistics must be constant"
    if op.op == "batch_norm" and any(not op.unused(slot) for slot in op.node.outputs if slot != "Y"):
        return "statistics as results are not supported"
    last = op.text("data_layout").endswith("C")
    channels = x.shape[-1] if last else x.shape[1]
    values = [
        np.full(channels, default, np.float32)
        if value is None or value.data is None
        else value.data.reshape(-1).astype(np.float64)
        for value, default in zip([*found, None, None][:4], (1.0, 0.0, 0.0, 1.0), strict=True)
    ]
    epsilon = op.real("epsilon") if op.op == "batch_norm" else 0.0
    factor = values[0] / np.sqrt(values[3] + epsilon)
    out.read(x, "x")
    out.weights(factor.astype(np.float32), "factor")
    out.weights((values[1] - values[2] * factor).astype(np.float32), "term")
    out.write(y, "y", over="x")
    inner = 1 if last else math.prod(x.shape[2:])
    at = f"i0 * {channels * inner} + i1 * {inner} + i2"
    body = [f"y[{at}] = x[{at}] * factor[i1] + term[i1];"]
    out.code(*loops([x.size // (channels * inner), channels, inner], body))
    return None


@emitter("c", "instance_norm", "group_norm")
def group_norm(op: EmitOp, out: Emission) -> str | None:
    """Over groups of channels of each sample."""
    x, y = op["X"], op.out("Y")
    if reason := _not_float(x):
        return reason
    if op.text("activation", "") or any(not op.unused(slot) for slot in op.node.outputs if slot != "Y"):
        return "a fused activation and statistics as results are not supported"
    last = op.text("data_layout", "NCHW").endswith("C")
    channels = x.shape[-1] if last else x.shape[1]
    groups = channels if op.op == "instance_norm" else op.integer("groups")
    inner = x.size // (x.shape[0] * channels)
    per = channels // groups
    steps = (1, channels) if last else (inner, 1)
    out.read(x, "x")
    terms = []
    for slot in ("Scale", "Bias"):
        value = op.get(slot)
        if value is not None:
            out.read(value, slot.lower())
        terms.append(value is not None)
    out.write(y, "y")
    at = f"i0 * {channels * inner} + (i1 * {per} + c) * {steps[0]} + k * {steps[1]}"
    each = f"for (ptrdiff_t c = 0; c < {per}; c++) for (ptrdiff_t k = 0; k < {inner}; k++)"
    channel, epsilon = f"i1 * {per} + c", number(op.real("epsilon"))
    scale = f" * scale[{channel}]" if terms[0] else ""
    bias = f" + bias[{channel}]" if terms[1] else ""
    out.code(
        *loops(
            [x.shape[0], groups],
            [
                "float sum = 0.0f, squares = 0.0f;",
                f"{each} sum += x[{at}];",
                f"const float mean = sum / {number(per * inner)};",
                f"{each} squares += (x[{at}] - mean) * (x[{at}] - mean);",
                f"const float factor = 1.0f / sqrtf(squares / {number(per * inner)} + {epsilon});",
                f"{each} y[{at}] = (x[{at}] - mean) * factor{scale}{bias};",
            ],
        )
    )
    return None
