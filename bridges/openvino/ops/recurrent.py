"""What recurrent layers share: OpenVINO's sequence ops over tensors of its own order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lite.bridges.openvino.builder import Builder, Tensor

LENGTHS = "sequences of different lengths (SequenceLength) are left to the host"
"""Why: the CPU plugin keeps running behind their ends."""


@dataclass(frozen=True)
class Layer:
    """One layer, all its directions D, gates G·H in OpenVINO's order.

    `weight` [D, G·H, I], `hidden` [D, G·H, H], `bias` [D, G·H] (one gate more for a GRU that applies the
    reset gate last), `states` [B, D, H] each, `lengths` [B].
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
    """From `x` [B, T, I]: the outputs [B, D, T, H], then the last states [B, D, H]."""
    parts = (layer.lengths, layer.weight, layer.hidden, layer.bias, layer.size, layer.direction)
    if layer.kind == "LSTM":
        node = b.op.lstm_sequence(x, *layer.states, *parts)
    elif layer.kind == "GRU":
        node = b.op.gru_sequence(x, *layer.states, *parts, linear_before_reset=layer.reset_last)
    else:
        node = b.op.rnn_sequence(x, *layer.states, *parts, [layer.activation])
    return list(node.outputs())


def gates(b: Builder, tensor: Tensor, axis: int, size: int, order: Sequence[int]) -> Tensor:
    """The gates, blocks of `size` along an axis, in another order."""
    if list(order) == list(range(len(order))):
        return tensor
    rows = [gate * size + n for gate in order for n in range(size)]
    return b.op.gather(tensor, b.ints(rows), b.integer(axis)).output(0)


def whole_lengths(b: Builder, x: Tensor) -> Tensor:
    """For `x` [B, T, I], B times T."""
    shape = b.sizes(x)
    batch, steps = (b.op.gather(shape, b.ints([n]), b.integer(0)) for n in (0, 1))
    return b.op.broadcast(steps, batch)
