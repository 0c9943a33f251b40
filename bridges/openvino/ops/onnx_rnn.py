"""Recurrent layers as ONNX has them: lstm_sequence, gru_sequence, rnn_sequence."""

from __future__ import annotations

from typing import Any

from lite.bridges.openvino.builder import Builder, Tensor
from lite.bridges.openvino.ops.recurrent import LENGTHS, Layer, gates, run_layer, whole_lengths
from lite.bridges.openvino.row import Context
from lite.bridges.openvino.support import FLOAT, refused
from lite.plugin.device import BridgeOp, Device, bridge

_KINDS = {"lstm_sequence": "LSTM", "gru_sequence": "GRU", "rnn_sequence": "RNN"}

_ORDER = {"LSTM": [2, 0, 3, 1], "GRU": [0, 1, 2], "RNN": [0]}
"""Where OpenVINO's gates are among ONNX's: f i c o among i o f c."""

_STATES = {"LSTM": ("H0", "C0"), "GRU": ("H0",), "RNN": ("H0",)}


@bridge("openvino", "lstm_sequence", "gru_sequence", "rnn_sequence")
class Sequence:
    """The op of the same name, with ONNX's default functions."""

    def why_not(self, op: BridgeOp, device: Device[Any]) -> str | None:
        if op.get("SequenceLength") is not None:
            return LENGTHS
        reason = refused(op, FLOAT, outputs=("H", "C"))
        if reason is not None:
            return reason
        if op.node.attrs.get("activations"):
            return f"activations are {op.node.attrs['activations']}; only the default ones are taken"
        if op.real("clip"):
            return f"clip is {op.real('clip')}; gates are not clipped"
        if op.op == "lstm_sequence" and (op.flag("input_forget") or op.get("P") is not None):
            return "its gates are coupled (input_forget) or see the cell (P)"
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
        found = [
            b.transpose(outputs, axes),
            *(state if batch_first else _swapped(b, state) for state in states),
        ]
        for slot, tensor in zip(("Out", "H", "C"), found, strict=False):
            if op.writes(slot):
                ctx.output(op, tensor, slot)


def _layer(op: BridgeOp, ctx: Context, kind: str, x: Tensor) -> Layer:
    b, order = ctx.builder, _ORDER[kind]
    directions, _, size = (int(dim) for dim in op["R"].dims)
    weight, hidden = (gates(b, ctx.input(op, slot), 1, size, order) for slot in ("W", "R"))
    reset_last = kind == "GRU" and op.flag("linear_before_reset")
    count = len(order)
    given = ctx.optional(op, "B")
    if given is None:
        bias = b.op.broadcast(b.like(0, x), b.ints([directions, (count + reset_last) * size]))
    else:
        bias = _bias(b, given, size, order, reset_last=reset_last)
    return Layer(
        kind,
        size,
        op.text("direction"),
        weight,
        hidden,
        bias,
        [_state(op, ctx, slot, x, directions, size) for slot in _STATES[kind]],
        whole_lengths(b, x),
        reset_last,
    )


def _state(op: BridgeOp, ctx: Context, slot: str, x: Tensor, directions: int, size: int) -> Tensor:
    b, given = ctx.builder, ctx.optional(op, slot)
    if given is not None:
        return given if op.integer("layout") == 1 else _swapped(b, given)
    batch = b.op.gather(b.sizes(x), b.ints([0]), b.integer(0))
    return b.op.broadcast(b.like(0, x), b.op.concat([batch, b.ints([directions, size])], 0))


def _swapped(b: Builder, state: Tensor) -> Tensor:
    return b.transpose(state, [1, 0, 2])


def _bias(b: Builder, given: Tensor, size: int, order: list[int], *, reset_last: bool) -> Tensor:
    """The biases of input and hidden state added, but for the candidate of a GRU that resets last."""
    halves = b.op.split(given, b.integer(1), 2).outputs()
    outer, inner = (gates(b, half, 1, size, order) for half in halves)
    if not reset_last:
        return b.op.add(outer, inner)
    first, second = (
        b.op.variadic_split(half, b.integer(1), b.ints([2 * size, -1])).outputs() for half in (outer, inner)
    )
    return b.op.concat([b.op.add(first[0], second[0]).output(0), first[1], second[1]], 1)
