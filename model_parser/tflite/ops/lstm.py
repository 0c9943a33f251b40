"""Long short-term memory layers.

Variable tensors of states start every run with zeros; the interpreter keeps their values between runs.
Weights are constant: in float32, or quantised and then dequantised; the layers compute in float32.
"""

from __future__ import annotations

import numpy as np

from lite.errors import ModelParseError
from lite.model_parser.tflite.graph_writer import GraphWriter
from lite.model_parser.tflite.lstm_layer import read_layer
from lite.model_parser.tflite.node import TfliteNode
from lite.model_parser.tflite.recurrent_inputs import (
    expect_shape,
    function,
    sequence,
    start_with_zeros,
    weights,
    write_directions,
)
from lite.model_parser.tflite.translations import tflite_op

_BASIC = 1
"""The kernel of LSTM with one weight for all gates."""


@tflite_op("UNIDIRECTIONAL_SEQUENCE_LSTM")
def sequence_lstm(node: TfliteNode, writer: GraphWriter) -> None:
    """`lstm_sequence`, or `projected_lstm` with a projection, clipping or layer normalisation.

    A quantised input is dequantised, and the output is quantised; not with layer normalisation.
    """
    if node.flag("diagonal"):
        raise ModelParseError("diagonal recurrent weights are not supported; convert the model without them")
    layer = read_layer(node, 1, gain=20)
    is_plain = layer.gain is None
    x = sequence(node, writer, 0, 3, layer.weight.shape[1], may_be_quantised=is_plain)
    start_with_zeros(node, writer, 18, 19)
    out = layer.write(node, writer, x, is_time_major=node.flag("time_major"))
    writer.write(node, "assign", {"X": out})


@tflite_op("BIDIRECTIONAL_SEQUENCE_LSTM")
def bidirectional_lstm(node: TfliteNode, writer: GraphWriter) -> None:
    """The ops of two layers.

    An auxiliary input with weights adds features to the input of both; without weights it is the input of
    the backward layer.
    """
    has_more, has_weights = (node.optional(position) is not None for position in (39, 41))
    is_time_major = node.flag("time_major")
    layers = [read_layer(node, start, auxiliary=more if has_weights else None) for start, more in _LAYERS]
    start_with_zeros(node, writer, 35, 36, 37, 38)
    features = [layer.weight.shape[1] for layer in layers]
    if has_more and has_weights:
        size = node.input(0).shape[-1]
        own = size if isinstance(size, int) else 0
        parts = [
            sequence(node, writer, position, 3, count)
            for position, count in ((0, own), (39, features[0] - own))
        ]
        joined = writer.new_name(node.output().name)
        writer.emit("concat", {"X": parts}, {"Out": joined}, {"axis": 2})
        inputs = [joined, joined]
    else:
        inputs = [
            sequence(node, writer, position, 3, count)
            for position, count in zip((0, 39 if has_more else 0), features, strict=True)
        ]
    forward, backward = (
        layer.write(node, writer, x, is_time_major=is_time_major, is_reverse=is_reverse)
        for layer, x, is_reverse in zip(layers, inputs, (False, True), strict=True)
    )
    write_directions(node, writer, forward, backward, is_merged=node.flag("merge"))


_LAYERS = ((1, 40), (18, 44))
"""The first input weights of each direction, and its auxiliary weights."""


@tflite_op("LSTM")
def lstm(node: TfliteNode, writer: GraphWriter) -> None:
    """One step: the op of a sequence of one step, or the basic kernel."""
    if node.integer("kernel") == _BASIC:
        _basic_lstm(node, writer)
        return
    layer = read_layer(node, 1, gain=20)
    x = sequence(node, writer, 0, 2, layer.weight.shape[1])
    start_with_zeros(node, writer, 18, 19)
    steps = writer.unary("unsqueeze2", x, {"axes": [0]})
    out = layer.write(node, writer, steps, is_time_major=True)
    writer.write(node, "squeeze2", {"X": out}, {"axes": [0]})


def _basic_lstm(node: TfliteNode, writer: GraphWriter) -> None:
    """`lstm_sequence` of one step with states that are inputs and outputs.

    The last two outputs are scratch: an op that reads them is refused.
    """
    if function(node) != "TANH":
        raise ModelParseError(f"the activation {function(node)} is not supported in the basic kernel of LSTM")
    weight, bias = weights(node, 2), weights(node, 3)
    if weight.ndim != 2 or len(weight) % 4 or weight.shape[1] <= len(weight) // 4:
        raise ModelParseError(f"expected weights [4 · H, I + H], got {list(weight.shape)}")
    rows, size = len(weight), len(weight) // 4
    expect_shape("biases", bias, [rows])
    features = weight.shape[1] - size
    x = sequence(node, writer, 0, 2, features)
    hidden, cell = (sequence(node, writer, position, 2, size) for position in (1, 4))
    order = [0, 3, 2, 1]
    # The gates are input, cell, forget, output.
    gates = weight.reshape(4, size, -1)[order].reshape(rows, -1)
    biases = np.concatenate([bias.reshape(4, size)[order].reshape(-1), np.zeros(rows, np.float32)])
    base = node.output().name
    inputs = {
        "X": writer.unary("unsqueeze2", x, {"axes": [0]}),
        "W": writer.weight(f"{base}.W", gates[None, :, :features]),
        "R": writer.weight(f"{base}.R", gates[None, :, features:]),
        "B": writer.weight(f"{base}.B", biases[None]),
        "H0": writer.unary("unsqueeze2", hidden, {"axes": [0]}),
        "C0": writer.unary("unsqueeze2", cell, {"axes": [0]}),
    }
    states = [writer.new_name(base) for _ in range(2)]
    writer.emit("lstm_sequence", inputs, {"H": states[0], "C": states[1]})
    for position, state in enumerate(states):
        writer.write(node, "squeeze2", {"X": state}, {"axes": [0]}, position=position)
