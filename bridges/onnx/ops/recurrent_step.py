"""gru_unit, lstm_unit: one step of a recurrent layer → MatMul, Sigmoid, Tanh, … (ONNX opset 21).

HiddenPrev and C_prev float32[N, H] with known H.
"""

from __future__ import annotations

from lite.emission.onnx.bridging import Context, converts
from lite.emission.onnx.builder import Builder, Tensor
from lite.emission.onnx.shape_inputs import require_dim
from lite.plugin.device import BridgeOp

_ACTIVATIONS = {0: None, 1: "Sigmoid", 2: "Tanh", 3: "Relu"}
"""The activations of gru_unit, by number."""


@converts("gru_unit")
def gru_unit(op: BridgeOp, ctx: Context) -> None:
    """gru_unit → MatMul, Sigmoid, Tanh, …, with gates u and r.

    c = act(x_c + (r · h) · W_c), h' = u · c + (1 - u) · h; with `origin_mode`, u and 1 - u are exchanged.
    """
    b, size = ctx.builder, require_dim(op["HiddenPrev"], 1, "HiddenPrev")
    x, h, weight = ctx.input(op, "Input"), ctx.input(op, "HiddenPrev"), ctx.input(op, "Weight")
    bias = ctx.optional(op, "Bias")
    x = x if bias is None else b.add("Add", x, bias)
    flat = b.flat(weight)
    split = 2 * size * size
    both_weights = b.reshape(b.slice(flat, [0], [split], [0]), size, 2 * size)
    candidate_weight = b.reshape(b.slice(flat, [split], [3 * size * size], [0]), size, size)
    gates = b.add("Add", b.slice(x, [0], [2 * size], [1]), b.add("MatMul", h, both_weights))
    gates = _activated(b, gates, op.integer("gate_activation"))
    update, reset = b.slice(gates, [0], [size], [1]), b.slice(gates, [size], [2 * size], [1])
    kept = b.add("Mul", reset, h)
    candidate = b.add("Add", b.slice(x, [2 * size], [3 * size], [1]), b.add("MatMul", kept, candidate_weight))
    candidate = _activated(b, candidate, op.integer("activation"))
    old, new = (candidate, h) if op.flag("origin_mode") else (h, candidate)
    hidden = b.add("Add", old, b.add("Mul", update, b.add("Sub", new, old)))
    ctx.output(op, hidden, "Hidden")
    if op.node.outputs.get("Gate"):
        ctx.output(op, b.add("Concat", gates, candidate, axis=1), "Gate")
    if op.node.outputs.get("ResetHiddenPrev"):
        ctx.output(op, kept, "ResetHiddenPrev")


def _activated(b: Builder, x: Tensor, number: int) -> Tensor:
    name = _ACTIVATIONS[number]
    return x if name is None else b.add(name, x)


@converts("lstm_unit")
def lstm_unit(op: BridgeOp, ctx: Context) -> None:
    """lstm_unit → Sigmoid, Tanh, Mul, …, with gates i, f, o, g.

    C = σ(f + forget_bias) · C_prev + σ(i) · tanh(g), H = σ(o) · tanh(C).
    """
    b, x, before = ctx.builder, ctx.input(op, "X"), ctx.input(op, "C_prev")
    size = require_dim(op["C_prev"], 1, "C_prev")
    i, f, o, g = (b.slice(x, [n * size], [(n + 1) * size], [1]) for n in range(4))
    bias = op.real("forget_bias")
    f = f if not bias else b.add("Add", f, b.scalar(bias, x.dtype))
    kept = b.add("Mul", b.add("Sigmoid", f), before)
    memory = b.add("Add", kept, b.add("Mul", b.add("Sigmoid", i), b.add("Tanh", g)))
    ctx.output(op, memory, "C")
    ctx.output(op, b.add("Mul", b.add("Sigmoid", o), b.add("Tanh", memory)), "H")
