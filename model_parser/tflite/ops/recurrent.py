"""Plain recurrent layers and SVDF.

Variable tensors of states start every run with zeros; the interpreter keeps their values between runs.
Weights are constant: in float32, or quantised and then dequantised, with float32 activations.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lite.errors import ModelParseError
from lite.ir.program import AttrValue
from lite.ir.types import Array
from lite.model_parser.tflite.graph_writer import GraphWriter
from lite.model_parser.tflite.node import TfliteNode
from lite.model_parser.tflite.recurrent_inputs import (
    expect_shape,
    function,
    optional_weights,
    sequence,
    start_with_zeros,
    weights,
    write_directions,
)
from lite.model_parser.tflite.translations import tflite_op

_FUNCTIONS: dict[str, dict[str, AttrValue]] = {
    "NONE": {"activations": ["Affine"]},
    "RELU": {"activations": ["Relu"]},
    "RELU6": {"activations": ["Relu"], "clip": 6.0},
    "RELU_N1_TO_1": {"activations": ["Affine"], "clip": 1.0},
    "TANH": {"activations": ["Tanh"]},
}
"""Activation → the attributes of `rnn_sequence`, which clips the argument; Affine is x by default."""


class _Layer(NamedTuple):
    """The weights [H, I], the recurrent weights [H, H] and the bias [H] of a direction."""

    weight: Array
    recurrent: Array
    bias: Array

    @property
    def features(self) -> int:
        """The features of the input."""
        return int(self.weight.shape[1])


@tflite_op("UNIDIRECTIONAL_SEQUENCE_RNN", "RNN")
def rnn(node: TfliteNode, writer: GraphWriter) -> None:
    """`rnn_sequence`, for RNN of one step."""
    is_step = node.op == "RNN"
    layer = _read(node, 1)
    x = sequence(node, writer, 0, 2 if is_step else 3, layer.features)
    start_with_zeros(node, writer, 4)
    if is_step:
        steps = writer.unary("unsqueeze2", x, {"axes": [0]})
        out = _write(node, writer, steps, layer, is_time_major=True)
        writer.write(node, "squeeze2", {"X": out}, {"axes": [0]})
        return
    out = _write(node, writer, x, layer, is_time_major=node.flag("time_major"))
    writer.write(node, "assign", {"X": out})


@tflite_op("BIDIRECTIONAL_SEQUENCE_RNN")
def bidirectional_rnn(node: TfliteNode, writer: GraphWriter) -> None:
    """`rnn_sequence` of each direction.

    With time as the first axis, an auxiliary input is the input of the backward one.  Else the interpreter
    does not use it.
    """
    if node.optional(10) is not None or node.optional(11) is not None:
        raise ModelParseError("auxiliary weights are not supported; join the auxiliary input to the input")
    layers = [_read(node, start) for start in (1, 5)]
    is_time_major = node.flag("time_major")
    sources = (0, 9 if is_time_major and node.optional(9) is not None else 0)
    inputs = [
        sequence(node, writer, position, 3, layer.features)
        for position, layer in zip(sources, layers, strict=True)
    ]
    start_with_zeros(node, writer, 4, 8)
    forward, backward = (
        _write(node, writer, x, layer, is_time_major=is_time_major, is_reverse=is_reverse)
        for x, layer, is_reverse in zip(inputs, layers, (False, True), strict=True)
    )
    write_directions(node, writer, forward, backward, is_merged=node.flag("merge"))


def _read(node: TfliteNode, start: int) -> _Layer:
    weight, recurrent, bias = (weights(node, start + n) for n in range(3))
    if weight.ndim != 2:
        raise ModelParseError(f"expected weights of rank 2, got rank {weight.ndim}")
    size = len(weight)
    expect_shape("recurrent weights", recurrent, [size, size])
    expect_shape("bias", bias, [size])
    return _Layer(weight, recurrent, bias)


def _write(
    node: TfliteNode,
    writer: GraphWriter,
    x: str,
    layer: _Layer,
    *,
    is_time_major: bool,
    is_reverse: bool = False,
) -> str:
    """Add an `rnn_sequence`; the outputs of all steps with the axes of `x`, a new variable."""
    name = function(node)
    if name not in _FUNCTIONS:
        raise ModelParseError(f"the activation {name} is not supported in a recurrent layer")
    base = node.output().name
    inputs = {
        "X": x,
        "W": writer.weight(f"{base}.W", layer.weight[None]),
        "R": writer.weight(f"{base}.R", layer.recurrent[None]),
        "B": writer.weight(f"{base}.B", np.concatenate([layer.bias, np.zeros_like(layer.bias)])[None]),
    }
    attrs: dict[str, AttrValue] = {
        "direction": "reverse" if is_reverse else "forward",
        "layout": 0 if is_time_major else 1,
        **_FUNCTIONS[name],
    }
    out = writer.new_name(base)
    writer.emit("rnn_sequence", inputs, {"Out": out}, attrs)
    return writer.unary("squeeze2", out, {"axes": [1 if is_time_major else 2]})


@tflite_op("SVDF")
def svdf(node: TfliteNode, writer: GraphWriter) -> None:
    """`matmul_v2` and the sum with the bias: one step, which multiplies the last weights in time only.

    The weights in features are [U · rank, I], those in time [U · rank, M]: U units have a sum over `rank`.
    """
    features, time, bias = weights(node, 1), weights(node, 2), optional_weights(node, 3)
    rank = node.integer("rank")
    if features.ndim != 2 or time.ndim != 2 or len(time) != len(features):
        raise ModelParseError(
            f"expected weights of rank 2 with as many rows, got {list(features.shape)} and {list(time.shape)}"
        )
    if rank < 1 or len(features) % rank:
        raise ModelParseError(f"option rank: expected a divisor of {len(features)}, got {rank}")
    units, size = len(features) // rank, features.shape[1]
    expect_shape("bias", bias, [units])
    x = sequence(node, writer, 0, 2, size)
    start_with_zeros(node, writer, 4)
    name = function(node)
    if name not in _SVDF_STEPS:
        raise ModelParseError(f"the activation {name} is not supported in SVDF")
    weight = (features * time[:, -1:]).reshape(units, rank, size).sum(1).T
    base = node.output().name
    total = writer.new_name(base)
    writer.emit("matmul_v2", {"X": x, "Y": writer.weight(f"{base}.W", weight)}, {"Out": total})
    if bias is not None:
        total = writer.binary("elementwise_add", total, writer.weight(f"{base}.B", bias))
    writer.write(node, _SVDF_STEPS[name], {"X": total})


_SVDF_STEPS = {"NONE": "assign", "RELU": "relu", "RELU6": "relu6", "TANH": "tanh"}
