"""Recurrent layers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lite.bridges.onnxruntime.bridging import Context, converts
from lite.bridges.onnxruntime.builder import Attributes, Tensor
from lite.errors import CompileError
from lite.ir.types import Array, DType
from lite.plugin.device import BridgeOp

_LAYERS: dict[str, tuple[str, Sequence[int]]] = {
    "LSTM": ("LSTM", (0, 3, 1, 2)),
    "GRU": ("GRU", (1, 0, 2)),
    "RNN_TANH": ("RNN", (0,)),
    "RNN_RELU": ("RNN", (0,)),
}
"""ONNX's layer, and in which order it wants Paddle's gates: LSTM i f c o → i o f c, GRU r z c → z r c."""


@converts("rnn")
def rnn(op: BridgeOp, ctx: Context) -> None:
    """One LSTM, GRU or RNN per layer; weights must be constant, because the gates change places."""
    b, mode = ctx.builder, op.text("mode")
    layers, directions = op.integer("num_layers"), 2 if op.flag("is_bidirec") else 1
    weights = [value.data for value in op.node.inputs.get("WeightList", ())]
    known = [array for array in weights if array is not None]
    if len(known) < len(weights):
        raise CompileError("the weights must be constant")
    lengths = ctx.optional(op, "SequenceLength")
    if lengths is not None:
        lengths = b.cast(lengths, DType.INT32)
    states = ctx.inputs(op, "PreState")
    x = ctx.input(op, "Input")
    last: list[list[Tensor]] = [[] for _ in states]
    for layer in range(layers):
        first = layer * directions
        initial = [b.cut(state, [first], [first + directions], [0]) for state in states]
        w, r, bias = _packed(known, mode, first, directions, layers * directions)
        outputs = b.add_all(
            _LAYERS[mode][0],
            [x, b.array(w), b.array(r), None if bias is None else b.array(bias), lengths, *initial],
            [x.dtype] * (1 + len(states)),
            **_attributes(mode, op.integer("hidden_size"), directions),
        )
        x = b.reshape(b.transpose(outputs[0], [0, 2, 1, 3]), 0, 0, -1)
        for kept, state, before in zip(last, outputs[1:], initial, strict=True):
            kept.append(_of_no_steps(ctx, lengths, state, before))
    ctx.output(op, x, "Out")
    joined = [kept[0] if layers == 1 else b.add("Concat", *kept, axis=0) for kept in last]
    ctx.outputs(op, "State", joined)


def _of_no_steps(ctx: Context, lengths: Tensor | None, state: Tensor, before: Tensor | None) -> Tensor:
    """The last state of sequences; of one without steps ONNX Runtime does not say the initial one."""
    if lengths is None or before is None:
        return state
    b = ctx.builder
    is_empty = b.add("Equal", lengths, b.scalar(0, DType.INT32), dtype=DType.BOOL)
    return b.add("Where", b.unsqueeze(is_empty, 0, 2), before, state, dtype=state.dtype)


def _packed(
    weights: Sequence[Array], mode: str, first: int, directions: int, cells: int
) -> tuple[Array, Array, Array | None]:
    """ONNX's W ``[D, G·H, I]``, R ``[D, G·H, H]`` and B ``[D, 2·G·H]`` of one layer."""
    order = _LAYERS[mode][1]
    places = [2 * (first + n) for n in range(directions)]
    w = np.stack([_reordered(weights[at], order) for at in places])
    r = np.stack([_reordered(weights[at + 1], order) for at in places])
    if len(weights) < 4 * cells:
        return w, r, None
    biases = [
        np.concatenate([_reordered(weights[2 * cells + at + n], order) for n in (0, 1)]) for at in places
    ]
    return w, r, np.stack(biases)


def _reordered(weight: Array, order: Sequence[int]) -> Array:
    gates = weight.reshape(len(order), -1, *weight.shape[1:])
    return np.array(gates[list(order)]).reshape(weight.shape)


def _attributes(mode: str, hidden: int, directions: int) -> Attributes:
    attributes: Attributes = {
        "hidden_size": hidden,
        "direction": "bidirectional" if directions == 2 else "forward",
    }
    if mode == "GRU":
        attributes["linear_before_reset"] = 1
    if mode == "RNN_RELU":
        attributes["activations"] = ["Relu"] * directions
    return attributes


_SEQUENCES = {
    "lstm_sequence": ("LSTM", ("H0", "C0"), ("Out", "H", "C")),
    "gru_sequence": ("GRU", ("H0",), ("Out", "H")),
    "rnn_sequence": ("RNN", ("H0",), ("Out", "H")),
}


@converts("lstm_sequence", "gru_sequence", "rnn_sequence")
def sequence_layer(op: BridgeOp, ctx: Context) -> None:
    """LSTM, GRU or RNN; with the batch first, between transposes."""
    op_type, states, slots = _SEQUENCES[op.op]
    b, batch_first = ctx.builder, op.integer("layout") == 1
    x, weights = ctx.input(op, "X"), [ctx.optional(op, slot) for slot in ("W", "R", "B")]
    lengths = ctx.optional(op, "SequenceLength")
    initial = [ctx.optional(op, slot) for slot in states]
    if batch_first:
        x = b.transpose(x, [1, 0, 2])
        initial = [None if state is None else b.transpose(state, [1, 0, 2]) for state in initial]
    peepholes = [ctx.optional(op, "P")] if op.op == "lstm_sequence" else []
    counts = None if lengths is None else b.cast(b.flat(lengths), DType.INT32)
    outputs = b.add_all(
        op_type, [x, *weights, counts, *initial, *peepholes], [x.dtype] * len(slots), **_layer_attributes(op)
    )
    outputs[1:] = [
        _of_no_steps(ctx, counts, state, before) for state, before in zip(outputs[1:], initial, strict=True)
    ]
    for slot, tensor in zip(slots, outputs, strict=True):
        if op.node.outputs.get(slot):
            perm = [2, 0, 1, 3] if slot == "Out" else [1, 0, 2]
            ctx.output(op, b.transpose(tensor, perm) if batch_first else tensor, slot)


def _layer_attributes(op: BridgeOp) -> Attributes:
    size = op["R"].dims[-1]
    if not isinstance(size, int):
        raise CompileError(f"the size of the hidden state must be known, got {op['R']}")
    attributes: Attributes = {"hidden_size": size, "direction": op.text("direction")}
    given = op.node.attrs.get("activations")
    if isinstance(given, list) and given:
        attributes["activations"] = [str(name) for name in given]
    for name in ("activation_alpha", "activation_beta"):
        if op.reals(name):
            attributes[name] = op.reals(name)
    if op.real("clip"):
        attributes["clip"] = op.real("clip")
    own = {"lstm_sequence": "input_forget", "gru_sequence": "linear_before_reset"}.get(op.op)
    if own is not None:
        attributes[own] = int(op.flag(own))
    return attributes
