"""One direction of an LSTM: TFLite's inputs as those of `lstm_sequence` or `projected_lstm`."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lite.dataclass import dataclass
from lite.errors import ModelParseError
from lite.ir.program import AttrValue
from lite.ir.types import Array
from lite.model_parser.tflite.graph_writer import GraphWriter
from lite.model_parser.tflite.node import TfliteNode
from lite.model_parser.tflite.recurrent_inputs import expect_shape, function, optional_weights

_FUNCTIONS: dict[str, list[str]] = {"TANH": [], "RELU": ["Sigmoid", "Relu", "Relu"]}
"""Activation → the activations of `lstm_sequence`; the others need `projected_lstm`."""

_OTHER_FUNCTIONS = {"NONE": "identity", "RELU6": "relu6", "RELU_N1_TO_1": "relu_n1_to_1"}


@dataclass(eq=False)
class LstmLayer:
    """The constants of a layer with the gates input, output, forget, cell: those of `projected_lstm`."""

    weight: Array
    recurrent: Array
    bias: Array | None
    peephole: Array | None
    gain: Array | None
    projection: Array | None
    projection_bias: Array | None

    def write(
        self, node: TfliteNode, writer: GraphWriter, x: str, *, is_time_major: bool, is_reverse: bool = False
    ) -> str:
        """Add the ops; the outputs of all steps with the axes of `x`, a new variable."""
        clips = {name: node.number(name) for name in ("cell_clip", "projection_clip")}
        if function(node) in _FUNCTIONS and clips["cell_clip"] <= 0 and self._is_plain():
            return self._write_plain(node, writer, x, is_time_major, is_reverse)
        name = function(node)
        if name not in _FUNCTIONS and name not in _OTHER_FUNCTIONS:
            raise ModelParseError(f"the activation {name} is not supported in an LSTM")
        source = x if is_time_major else writer.unary("transpose2", x, {"axis": [1, 0, 2]})
        attrs: dict[str, AttrValue] = {
            "activation": _OTHER_FUNCTIONS.get(name, name.lower()),
            "is_reverse": is_reverse,
            **clips,
        }
        out = writer.new_name(node.output().name)
        arrays = {
            "W": self.weight,
            "R": self.recurrent,
            "B": self.bias,
            "P": self.peephole,
            "Gain": self.gain,
            "Projection": self.projection,
            "ProjectionBias": self.projection_bias,
        }
        writer.emit("projected_lstm", {"X": source, **_added(node, writer, arrays)}, {"Out": out}, attrs)
        return out if is_time_major else writer.unary("transpose2", out, {"axis": [1, 0, 2]})

    def _is_plain(self) -> bool:
        return self.gain is None and self.projection is None

    def _write_plain(
        self, node: TfliteNode, writer: GraphWriter, x: str, is_time_major: bool, is_reverse: bool
    ) -> str:
        bias = None if self.bias is None else np.concatenate([self.bias, np.zeros_like(self.bias)])
        arrays = {"W": self.weight, "R": self.recurrent, "B": bias, "P": self.peephole}
        stacked = {slot: None if array is None else array[None] for slot, array in arrays.items()}
        out = writer.new_name(node.output().name)
        attrs: dict[str, AttrValue] = {
            "activations": _FUNCTIONS[function(node)],
            "direction": "reverse" if is_reverse else "forward",
            "layout": 0 if is_time_major else 1,
        }
        writer.emit("lstm_sequence", {"X": x, **_added(node, writer, stacked)}, {"Out": out}, attrs)
        return writer.unary("squeeze2", out, {"axes": [1 if is_time_major else 2]})


def read_layer(
    node: TfliteNode, start: int, gain: int | None = None, auxiliary: int | None = None
) -> LstmLayer:
    """The layer whose input weights begin at input `start`.

    4 input weights, 4 recurrent weights, 3 peepholes, 4 biases, the projection and its bias; the `gain` of
    layer normalisation is at another position, as are `auxiliary` weights of more features.
    """
    weight = _gates("input weights", [optional_weights(node, start + n) for n in range(4)], required=True)
    recurrent = _gates(
        "recurrent weights", [optional_weights(node, start + 4 + n) for n in range(4)], required=True
    )
    if weight is None or recurrent is None:
        raise ModelParseError("expected weights of the forget, cell and output gates")
    if auxiliary is not None:
        more = _gates(
            "auxiliary weights", [optional_weights(node, auxiliary + n) for n in range(4)], required=True
        )
        weight = weight if more is None else np.concatenate([weight, more], axis=1)
    of_input, of_forget, of_output = (optional_weights(node, start + 8 + n) for n in range(3))
    peephole = None
    if of_forget is not None and of_output is not None:
        peephole = np.concatenate([-of_forget if of_input is None else of_input, of_output, of_forget])
    bias = _gates("biases", [optional_weights(node, start + 11 + n) for n in range(4)])
    gains = None
    if gain is not None:
        of_gates = [optional_weights(node, gain + n) for n in range(4)]
        # The normalised sum of a gate that is 1 - forget gate is negative already.
        gains = _gates(
            "layer normalisation", [of_gates[1] if of_gates[0] is None else of_gates[0], *of_gates[1:]]
        )
    layer = LstmLayer(
        weight,
        recurrent,
        bias,
        peephole,
        gains,
        optional_weights(node, start + 15),
        optional_weights(node, start + 16),
    )
    _check(layer)
    return layer


def _gates(what: str, arrays: Sequence[Array | None], *, required: bool = False) -> Array | None:
    """Input, forget, cell and output gate as input, output, forget, cell gate.

    A layer without an input gate has 1 - forget gate instead: that of the negative weights.
    """
    of_input, of_forget, of_cell, of_output = arrays
    if of_forget is None and of_cell is None and of_output is None and not required:
        return None
    if of_forget is None or of_cell is None or of_output is None:
        raise ModelParseError(f"{what}: expected those of the forget, cell and output gates")
    of_input = -of_forget if of_input is None else of_input
    for array in (of_input, of_cell, of_output):
        expect_shape(what, array, of_forget.shape)
    return np.concatenate([of_input, of_output, of_forget, of_cell])


def _check(layer: LstmLayer) -> None:
    if layer.weight.ndim != 2 or layer.recurrent.ndim != 2:
        raise ModelParseError(
            f"expected weights of rank 2, got {list(layer.weight.shape)} and {list(layer.recurrent.shape)}"
        )
    rows, size = len(layer.weight), len(layer.weight) // 4
    outputs = layer.recurrent.shape[1]
    expect_shape("recurrent weights", layer.recurrent, [rows, size if layer.projection is None else outputs])
    expect_shape("biases", layer.bias, [rows])
    expect_shape("peepholes", layer.peephole, [3 * size])
    expect_shape("layer normalisation", layer.gain, [rows])
    expect_shape("projection", layer.projection, [outputs, size])
    expect_shape("bias of the projection", layer.projection_bias, [outputs])


def _added(node: TfliteNode, writer: GraphWriter, arrays: dict[str, Array | None]) -> dict[str, str]:
    """The parameters with these elements, by slot."""
    base = node.output().name
    return {
        slot: writer.weight(f"{base}.{slot}", array) for slot, array in arrays.items() if array is not None
    }
