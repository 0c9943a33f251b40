"""rnn → LSTMSequence, GRUSequence, RNNSequence (opset 15); the layer that all recurrent bridges share.

Input float32[T, B, I] or float16, with weights of known sizes.  Sequences of different lengths
(SequenceLength) are declined: the CPU plugin continues after their ends.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lite.bridges.openvino.builder import Builder, Tensor
from lite.bridges.openvino.limits import FLOAT, why_not_mixed_types, why_not_tensors
from lite.bridges.openvino.row import Context
from lite.dataclass import dataclass
from lite.plugin.device import BridgeOp, Device, bridge

WHY_NOT_LENGTHS = "the host runs sequences of different lengths (SequenceLength)"


@dataclass(frozen=True)
class Layer:
    """One layer with all its directions D and its gates G in OpenVINO's order.

    `weight` is float32[D, G·H, I], `hidden` float32[D, G·H, H], `bias` float32[D, G·H] (with one gate more
    for a GRU that applies the reset gate last), each of `states` float32[B, D, H], `lengths` int64[B].
    """

    kind: str
    size: int
    direction: str
    weight: Tensor
    hidden: Tensor
    bias: Tensor
    states: Sequence[Tensor]
    lengths: Tensor
    reset_last: bool = True
    activation: str = "tanh"


def run_layer(b: Builder, layer: Layer, x: Tensor) -> list[Tensor]:
    """For `x` float32[B, T, I], the outputs float32[B, D, T, H] and the last states float32[B, D, H]."""
    parts = (layer.lengths, layer.weight, layer.hidden, layer.bias, layer.size, layer.direction)
    if layer.kind == "LSTM":
        node = b.op.lstm_sequence(x, *layer.states, *parts)
    elif layer.kind == "GRU":
        node = b.op.gru_sequence(x, *layer.states, *parts, linear_before_reset=layer.reset_last)
    else:
        node = b.op.rnn_sequence(x, *layer.states, *parts, [layer.activation])
    return list(node.outputs())


def gates(b: Builder, tensor: Tensor, axis: int, size: int, order: Sequence[int]) -> Tensor:
    """The gates, blocks of `size` along an axis, permuted to `order`."""
    if list(order) == list(range(len(order))):
        return tensor
    rows = [gate * size + n for gate in order for n in range(size)]
    return b.op.gather(tensor, b.ints(rows), b.integer(axis)).output(0)


def full_lengths(b: Builder, x: Tensor) -> Tensor:
    """The lengths of complete sequences: T for each of B, for `x` float32[B, T, I]."""
    shape = b.sizes(x)
    batch, steps = (b.op.gather(shape, b.ints([n]), b.integer(0)) for n in (0, 1))
    return b.op.broadcast(steps, batch)


_ORDER = {"LSTM": [1, 0, 2, 3], "GRU": [1, 0, 2], "RNN_TANH": [0], "RNN_RELU": [0]}
"""Paddle's gates in OpenVINO's order: i f c o as f i c o, r z c as z r h."""


@bridge("openvino", "rnn")
class Rnn:
    """One LSTMSequence, GRUSequence or RNNSequence per layer."""

    def why_not(self, op: BridgeOp, device: Device[Any]) -> str | None:
        if op.get("SequenceLength") is not None:
            return WHY_NOT_LENGTHS
        reason = why_not_tensors(op, FLOAT, outputs=("State",))
        reason = reason or why_not_mixed_types(op, "Input", "PreState", "WeightList")
        if reason is None and not all(meta.is_static for meta in op.all("WeightList")):
            return "the sizes of WeightList must be known"
        return reason

    def convert(self, op: BridgeOp, ctx: Context) -> None:
        b, layers = ctx.builder, op.integer("num_layers")
        x = b.transpose(ctx.input(op, "Input"), [1, 0, 2])
        lengths = full_lengths(b, x)
        last: list[list[Tensor]] = []
        for number in range(layers):
            outputs, *states = run_layer(b, _layer(op, ctx, number, lengths), x)
            # [B, D, T, H] → [B, T, D · H]
            x = b.reshape(b.transpose(outputs, [0, 2, 1, 3]), [0, 0, -1])
            last.append([b.transpose(state, [1, 0, 2]) for state in states])
        ctx.output(op, b.transpose(x, [1, 0, 2]), "Out")
        joined = [
            b.op.concat(list(parts), 0) if layers > 1 else parts[0] for parts in zip(*last, strict=True)
        ]
        ctx.outputs(op, "State", joined)


def _layer(op: BridgeOp, ctx: Context, number: int, lengths: Tensor) -> Layer:
    b, mode, size = ctx.builder, op.text("mode"), op.integer("hidden_size")
    directions = 2 if op.flag("is_bidirec") else 1
    cells = op.integer("num_layers") * directions
    weights = ctx.inputs(op, "WeightList")
    at = [2 * (number * directions + direction) for direction in range(directions)]
    states = [
        b.transpose(
            b.op.slice(
                state,
                b.ints([number * directions]),
                b.ints([(number + 1) * directions]),
                b.ints([1]),
                b.ints([0]),
            ),
            [1, 0, 2],
        )
        for state in ctx.inputs(op, "PreState")
    ]
    order = _ORDER[mode]
    weight, hidden = (
        gates(b, _stacked(b, [weights[n + part] for n in at]), 1, size, order) for part in (0, 1)
    )
    if len(weights) == 4 * cells:
        parts = [_stacked(b, [weights[2 * cells + n + part] for n in at]) for part in (0, 1)]
        bias = _bias(b, mode, size, [gates(b, part, 1, size, order) for part in parts])
    else:
        count = len(order) + (mode == "GRU")
        bias = b.op.broadcast(b.like(0, weight), b.ints([directions, count * size]))
    return Layer(
        "GRU" if mode == "GRU" else "LSTM" if mode == "LSTM" else "RNN",
        size,
        "bidirectional" if directions == 2 else "forward",
        weight,
        hidden,
        bias,
        states,
        lengths,
        activation="relu" if mode == "RNN_RELU" else "tanh",
    )


def _bias(b: Builder, mode: str, size: int, parts: list[Tensor]) -> Tensor:
    """The sum of both biases; for the candidate of a GRU both, because the reset gate scales one."""
    if mode != "GRU":
        return b.op.add(*parts)
    outer, inner = (
        b.op.variadic_split(part, b.integer(1), b.ints([2 * size, -1])).outputs() for part in parts
    )
    return b.op.concat([b.op.add(outer[0], inner[0]).output(0), outer[1], inner[1]], 1)


def _stacked(b: Builder, tensors: list[Tensor]) -> Tensor:
    parts = [b.op.unsqueeze(tensor, b.ints([0])).output(0) for tensor in tensors]
    return parts[0] if len(parts) == 1 else b.op.concat(parts, 0).output(0)
