"""LSTM, GRU and RNN: Paddle's `rnn` where it means the same, else an op with all of ONNX's attributes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lite.ir.types import Array
from lite.model_parser.onnx.block_writer import BlockWriter
from lite.model_parser.onnx.custom_ops import CustomOp
from lite.model_parser.onnx.node import OnnxNode
from lite.model_parser.onnx.translations import onnx_op

_GATES = {"LSTM": (0, 2, 3, 1), "GRU": (1, 0, 2), "RNN": (0,)}
"""The position in ONNX of each gate of `rnn`, in the order of `rnn`."""

_MODES: dict[str, dict[tuple[str, ...], str]] = {
    "LSTM": {("Sigmoid", "Tanh", "Tanh"): "LSTM"},
    "GRU": {("Sigmoid", "Tanh"): "GRU"},
    "RNN": {("Tanh",): "RNN_TANH", ("Relu",): "RNN_RELU"},
}
"""The mode of `rnn` for each list of activations; the first is the default."""

_ONLY_ONNX = ("clip", "activation_alpha", "activation_beta")
"""Attributes that `rnn` does not have."""

_CUSTOM_OPS = {
    "GRU": CustomOp("gru_sequence", "X W R B SequenceLength H0", "Out H"),
    "LSTM": CustomOp("lstm_sequence", "X W R B SequenceLength H0 C0 P", "Out H C"),
    "RNN": CustomOp("rnn_sequence", "X W R B SequenceLength H0", "Out H"),
}


@onnx_op("LSTM", "GRU", "RNN")
def recurrent(node: OnnxNode, writer: BlockWriter) -> None:
    """`rnn` of one layer in one or both directions, or the op of `_CUSTOM_OPS`."""
    mode, weights = _mode(node), _weights(node, writer)
    if mode is None or weights is None:
        _CUSTOM_OPS[node.op].write(node, writer)
        return
    _rnn(node, writer, mode, weights)


def _mode(node: OnnxNode) -> str | None:
    """The mode of `rnn` for the attributes of the node; None where `rnn` cannot express them."""
    modes = _MODES[node.op]
    direction = node.string("direction", "forward")
    directions = 2 if direction == "bidirectional" else 1
    if (
        direction == "reverse"
        or node.integer("layout", 0)
        or node.integer("input_forget", 0)
        or node.optional(7) is not None
        or any(map(node.has, _ONLY_ONNX))
        or (node.op == "GRU" and not node.integer("linear_before_reset", 0))
    ):
        return None
    activations = node.strings("activations")
    if activations is None:
        return next(iter(modes.values()))
    count = len(activations) // directions
    if activations != activations[:count] * directions:
        return None
    return modes.get(tuple(name.capitalize() for name in activations[:count]))


def _weights(node: OnnxNode, writer: BlockWriter) -> list[Array] | None:
    """The WeightList of `rnn`; None where the weights are not constant."""
    weight, hidden = (writer.constant(node.input(position)) for position in (1, 2))
    name = node.optional(3)
    bias = None if name is None else writer.constant(name)
    if weight is None or hidden is None or (name is not None and bias is None):
        return None
    order = _GATES[node.op]
    weights = [_reordered(part, order) for pair in zip(weight, hidden, strict=True) for part in pair]
    if bias is not None:
        weights += [_reordered(half, order) for row in bias for half in np.split(row, 2)]
    return weights


def _reordered(array: Array, order: Sequence[int]) -> Array:
    """The rows of an array with the gates in another order."""
    gates = array.reshape(len(order), -1, *array.shape[1:])
    return np.ascontiguousarray(gates[list(order)].reshape(array.shape))


def _rnn(node: OnnxNode, writer: BlockWriter, mode: str, weights: Sequence[Array]) -> None:
    x, hidden = node.input(0), weights[1].shape[-1]
    directions = 2 if node.string("direction", "forward") == "bidirectional" else 1
    positions = (5, 6) if mode == "LSTM" else (5,)
    states = [
        node.optional(position) or _zeros(writer, x, [directions, -1, hidden]) for position in positions
    ]
    out = writer.new_name(node.outputs[0] or x)
    last = [node.optional_output(n + 1) or writer.new_name(x) for n in range(len(positions))]
    writer.emit(
        "rnn",
        {
            "Input": x,
            "PreState": states,
            "WeightList": [writer.weight(weight, node.input(1)) for weight in weights],
            "SequenceLength": node.optional(4),
        },
        {"Out": out, "State": last},
        {
            "mode": mode,
            "hidden_size": hidden,
            "is_bidirec": directions == 2,
            "input_size": weights[0].shape[-1],
            "is_test": True,
        },
    )
    if node.optional_output(0):
        split = writer.unary("reshape2", out, {"shape": [0, 0, directions, hidden]})
        writer.unary("transpose2", split, {"axis": [0, 2, 1, 3]}, node.output())


def _zeros(writer: BlockWriter, x: str, shape: list[int]) -> str:
    """Zeros of `shape`, whose axis 1 has the size of the batch axis of `x` ``[T, B, I]``."""
    out = writer.new_name(x)
    writer.emit(
        "fill_constant_batch_size_like",
        {"Input": x},
        {"Out": out},
        {"shape": shape, "dtype": writer.dtype(x).code, "input_dim_idx": 1, "output_dim_idx": 1},
    )
    return out
