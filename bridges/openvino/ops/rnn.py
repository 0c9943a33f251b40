"""Paddle's rnn: stacked LSTM, GRU or simple layers, one or both directions, time-major."""

from __future__ import annotations

from typing import Any

from lite.bridges.openvino.builder import Builder, Tensor
from lite.bridges.openvino.ops.recurrent import LENGTHS, Layer, gates, run_layer, whole_lengths
from lite.bridges.openvino.row import Context
from lite.bridges.openvino.support import FLOAT, refused, same_dtype
from lite.plugin.device import BridgeOp, Device, bridge

_ORDER = {"LSTM": [1, 0, 2, 3], "GRU": [1, 0, 2], "RNN_TANH": [0], "RNN_RELU": [0]}
"""Where OpenVINO's gates are among Paddle's: f i c o among i f c o, z r h among r z c."""


@bridge("openvino", "rnn")
class Rnn:
    """LSTMSequence, GRUSequence or RNNSequence for each layer."""

    def why_not(self, op: BridgeOp, device: Device[Any]) -> str | None:
        if op.get("SequenceLength") is not None:
            return LENGTHS
        reason = refused(op, FLOAT, outputs=("State",))
        reason = reason or same_dtype(op, "Input", "PreState", "WeightList")
        if reason is None and not all(meta.is_static for meta in op.all("WeightList")):
            return "the sizes of WeightList must be known"
        return reason

    def convert(self, op: BridgeOp, ctx: Context) -> None:
        b, layers = ctx.builder, op.integer("num_layers")
        x = b.transpose(ctx.input(op, "Input"), [1, 0, 2])
        lengths = whole_lengths(b, x)
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
        given = [_stacked(b, [weights[2 * cells + n + part] for n in at]) for part in (0, 1)]
        bias = _bias(b, mode, size, [gates(b, part, 1, size, order) for part in given])
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
    """Both biases added; of a GRU's candidate they stay apart, since the reset gate scales one."""
    if mode != "GRU":
        return b.op.add(*parts)
    outer, inner = (
        b.op.variadic_split(part, b.integer(1), b.ints([2 * size, -1])).outputs() for part in parts
    )
    return b.op.concat([b.op.add(outer[0], inner[0]).output(0), outer[1], inner[1]], 1)


def _stacked(b: Builder, tensors: list[Tensor]) -> Tensor:
    parts = [b.op.unsqueeze(tensor, b.ints([0])).output(0) for tensor in tensors]
    return parts[0] if len(parts) == 1 else b.op.concat(parts, 0).output(0)
