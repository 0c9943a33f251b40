"""lstm_sequence, gru_sequence, rnn_sequence → LSTMSequence, GRUSequence, RNNSequence (opset 15).

They are ONNX's LSTM, GRU and RNN: X float32[T, B, I], or float32[B, T, I] with layout 1; W and R of known
sizes.  ONNX's default activations only, without clip, peepholes (P), coupled gates or SequenceLength.
"""

from __future__ import annotations

from typing import Any

from lite.bridges.openvino.builder import Builder, Tensor
from lite.bridges.openvino.limits import FLOAT, why_not_tensors
from lite.bridges.openvino.ops.recurrent import WHY_NOT_LENGTHS, Layer, full_lengths, gates, run_layer
from lite.bridges.openvino.row import Context
from lite.plugin.device import BridgeOp, Device, bridge

_KINDS = {"lstm_sequence": "LSTM", "gru_sequence": "GRU", "rnn_sequence": "RNN"}

_ORDER = {"LSTM": [2, 0, 3, 1], "GRU": [0, 1, 2], "RNN": [0]}
"""ONNX's gates in OpenVINO's order: i o f c as f i c o."""

_STATES = {"LSTM": ("H0", "C0"), "GRU": ("H0",), "RNN": ("H0",)}


@bridge("openvino", "lstm_sequence", "gru_sequence", "rnn_sequence")
class Sequence:
    """X, W, R → one layer."""

    def why_not(self, op: BridgeOp, device: Device[Any]) -> str | None:
        if op.get("SequenceLength") is not None:
            return WHY_NOT_LENGTHS
        reason = why_not_tensors(op, FLOAT, outputs=("H", "C"))
        if reason is not None:
            return reason
        if op.node.attrs.get("activations"):
            return f"activations are {op.node.attrs['activations']}, expected the default ones"
        if op.real("clip"):
            return f"clip is {op.real('clip')}, expected 0: OpenVINO does not clip here"
        if op.op == "lstm_sequence" and (op.flag("input_forget") or op.get("P") is not None):
            return "its gates are coupled (input_forget) or have peepholes (P)"
        if not (op["W"].is_static and op["R"].is_static):
            return f"the sizes of W and R must be known, got {op['W']} and {op['R']}"
        return None

    def convert(self, op: BridgeOp, ctx: Context) -> None:
        b, kind, batch_first = ctx.builder, _KINDS[op.op], op.integer("layout") == 1
        x = ctx.input(op, "X")
        x = x if batch_first else b.transpose(x, [1, 0, 2])
        outputs, *states = run_layer(b, _layer(op, ctx, kind, x), x)
        # [B, D, T, H] → [B, T, D, H] or [T, D, B, H]
        axes = [0, 2, 1, 3] if batch_first else [2, 1, 0, 3]
        results = [
            b.transpose(outputs, axes),
            *(state if batch_first else _batch_swapped(b, state) for state in states),
        ]
        for slot, tensor in zip(("Out", "H", "C"), results, strict=False):
            if op.writes(slot):
                ctx.output(op, tensor, slot)


def _layer(op: BridgeOp, ctx: Context, kind: str, x: Tensor) -> Layer:
    b, order = ctx.builder, _ORDER[kind]
    directions, _, size = (int(dim) for dim in op["R"].dims)
    weight, hidden = (gates(b, ctx.input(op, slot), 1, size, order) for slot in ("W", "R"))
    reset_last = kind == "GRU" and op.flag("linear_before_reset")
    count = len(order)
    biases = ctx.optional(op, "B")
    if biases is None:
        bias = b.op.broadcast(b.like(0, x), b.ints([directions, (count + reset_last) * size]))
    else:
        bias = _bias(b, biases, size, order, reset_last=reset_last)
    return Layer(
        kind,
        size,
        op.text("direction"),
        weight,
        hidden,
        bias,
        [_state(op, ctx, slot, x, directions, size) for slot in _STATES[kind]],
        full_lengths(b, x),
        reset_last,
    )


def _state(op: BridgeOp, ctx: Context, slot: str, x: Tensor, directions: int, size: int) -> Tensor:
    b, state = ctx.builder, ctx.optional(op, slot)
    if state is not None:
        return state if op.integer("layout") == 1 else _batch_swapped(b, state)
    batch = b.op.gather(b.sizes(x), b.ints([0]), b.integer(0))
    return b.op.broadcast(b.like(0, x), b.op.concat([batch, b.ints([directions, size])], 0))


def _batch_swapped(b: Builder, state: Tensor) -> Tensor:
    """A state float32[D, B, H] as float32[B, D, H], or back."""
    return b.transpose(state, [1, 0, 2])


def _bias(b: Builder, biases: Tensor, size: int, order: list[int], *, reset_last: bool) -> Tensor:
    """The sum of both biases; for the candidate of a GRU that resets last both, one after the other."""
    halves = b.op.split(biases, b.integer(1), 2).outputs()
    outer, inner = (gates(b, half, 1, size, order) for half in halves)
    if not reset_last:
        return b.op.add(outer, inner)
    first, second = (
        b.op.variadic_split(half, b.integer(1), b.ints([2 * size, -1])).outputs() for half in (outer, inner)
    )
    return b.op.concat([b.op.add(first[0], second[0]).output(0), first[1], second[1]], 1)
