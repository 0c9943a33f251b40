"""rnn, lstm_sequence, gru_sequence, rnn_sequence → LSTM, GRU, RNN (ONNX opset 21).

Input float32[T, B, I]; the *_sequence ops are ONNX's own.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lite.emission.conversion import Declined
from lite.emission.onnx.bridging import Context, converts
from lite.emission.onnx.builder import Attributes, Tensor
from lite.emission.onnx.shape_inputs import require_elements
from lite.ir.quantized_arrays import real_array
from lite.ir.types import Array, DType
from lite.plugin.device import BridgeOp

_LAYERS: dict[str, tuple[str, Sequence[int]]] = {
    "LSTM": ("LSTM", (0, 3, 1, 2)),
    "GRU": ("GRU", (1, 0, 2)),
    "RNN_TANH": ("RNN", (0,)),
    "RNN_RELU": ("RNN", (0,)),
}
"""ONNX's op, and Paddle's gates in its order: LSTM i f c o as i o f c, GRU r z c as z r c."""


@converts("rnn")
def rnn(op: BridgeOp, ctx: Context) -> None:
    """rnn → one LSTM, GRU or RNN per layer; weights must be constant, as the gates are reordered."""
    b, mode = ctx.builder, op.text("mode")
    require_elements(op["Input"], "Input")
    layers, directions = op.integer("num_layers"), 2 if op.flag("is_bidirec") else 1
    weights = [real_array(value) for value in op.node.inputs.get("WeightList", ())]
    arrays = [array for array in weights if array is not None]
    if len(arrays) < len(weights):
        raise Declined("WeightList must be constant")
    lengths = ctx.optional(op, "SequenceLength")
    if lengths is not None:
        lengths = b.cast(lengths, DType.INT32)
    states = ctx.inputs(op, "PreState")
    x = ctx.input(op, "Input")
    last: list[list[Tensor]] = [[] for _ in states]
    for layer in range(layers):
        first = layer * directions
        initial = [b.slice(state, [first], [first + directions], [0]) for state in states]
        w, r, bias = _packed(arrays, mode, first, directions, layers * directions)
        outputs = b.add_all(
            _LAYERS[mode][0],
            [x, b.array(w), b.array(r), None if bias is None else b.array(bias), lengths, *initial],
            [x.dtype] * (1 + len(states)),
            **_attributes(mode, op.integer("hidden_size"), directions),
        )
        x = b.reshape(b.transpose(outputs[0], [0, 2, 1, 3]), 0, 0, -1)
        for layer_states, state, before in zip(last, outputs[1:], initial, strict=True):
            layer_states.append(_after_no_steps(ctx, lengths, state, before))
    ctx.output(op, x, "Out")
    joined = [each[0] if layers == 1 else b.add("Concat", *each, axis=0) for each in last]
    ctx.outputs(op, "State", joined)


def _after_no_steps(ctx: Context, lengths: Tensor | None, state: Tensor, before: Tensor | None) -> Tensor:
    """The last states; for a sequence of length 0 the initial state, which ONNX Runtime does not return."""
    if lengths is None or before is None:
        return state
    b = ctx.builder
    is_empty = b.add("Equal", lengths, b.scalar(0, DType.INT32), dtype=DType.BOOL)
    return b.add("Where", b.unsqueeze(is_empty, 0, 2), before, state, dtype=state.dtype)


def _packed(
    weights: Sequence[Array], mode: str, first: int, directions: int, cells: int
) -> tuple[Array, Array, Array | None]:
    """ONNX's W float32[D, G·H, I], R float32[D, G·H, H] and B float32[D, 2·G·H] of one layer."""
    order = _LAYERS[mode][1]
    offsets = [2 * (first + n) for n in range(directions)]
    w = np.stack([_reordered(weights[at], order) for at in offsets])
    r = np.stack([_reordered(weights[at + 1], order) for at in offsets])
    if len(weights) < 4 * cells:
        return w, r, None
    biases = [
        np.concatenate([_reordered(weights[2 * cells + at + n], order) for n in (0, 1)]) for at in offsets
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
    """lstm_sequence, gru_sequence, rnn_sequence → LSTM, GRU, RNN; between transposes with layout 1."""
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
        _after_no_steps(ctx, counts, state, before)
        for state, before in zip(outputs[1:], initial, strict=True)
    ]
    for slot, tensor in zip(slots, outputs, strict=True):
        if op.node.outputs.get(slot):
            perm = [2, 0, 1, 3] if slot == "Out" else [1, 0, 2]
            ctx.output(op, b.transpose(tensor, perm) if batch_first else tensor, slot)


def _layer_attributes(op: BridgeOp) -> Attributes:
    size = op["R"].dims[-1]
    if not isinstance(size, int):
        raise Declined(f"the size of the hidden state must be known, R is {op['R']}")
    attributes: Attributes = {"hidden_size": size, "direction": op.text("direction")}
    activations = op.node.attrs.get("activations")
    if isinstance(activations, list) and activations:
        attributes["activations"] = [str(name) for name in activations]
    for name in ("activation_alpha", "activation_beta"):
        if op.reals(name):
            attributes[name] = op.reals(name)
    if op.real("clip"):
        attributes["clip"] = op.real("clip")
    own = {"lstm_sequence": "input_forget", "gru_sequence": "linear_before_reset"}.get(op.op)
    if own is not None:
        attributes[own] = int(op.flag(own))
    return attributes
