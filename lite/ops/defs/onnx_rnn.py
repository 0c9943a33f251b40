"""Recurrent layers with all of ONNX's choices, after ONNX LSTM, GRU and RNN; gates in ONNX's order."""

from __future__ import annotations

from lite.ir.program import AttrType, AttrValue
from lite.ops.schema import Attr, choice, floats, number, op
from lite.ops.view import Inferred, Meta, OpView


def _sequence(op: OpView) -> Inferred:
    x, weight, hidden = op["X"].dims, op["R"].dims, op["R"].dims[2]
    directions = weight[0]
    if op.integer("layout"):
        batch, steps, _ = x
        out, state = (batch, steps, directions, hidden), (batch, directions, hidden)
    else:
        steps, batch, _ = x
        out, state = (steps, directions, batch, hidden), (directions, batch, hidden)
    dtype = op["X"].dtype
    found = {"Out": Meta(dtype, out), "H": Meta(dtype, state)}
    return {**found, "C": Meta(dtype, state)} if op.op == "lstm_sequence" else found


_ATTRS: dict[str, AttrValue | Attr] = {
    "direction": choice("forward", "reverse", "bidirectional"),
    "activations": Attr(AttrType.STRINGS, []),
    "activation_alpha": floats(),
    "activation_beta": floats(),
    "clip": 0.0,
    "layout": number(0, 0, 1),
}
_SLOTS = "X:float/3 W:float/3 R:float/3 B?:float/2 SequenceLength?:int/1 H0?:float/3"

op("rnn_sequence", _SLOTS, "Out? H?", _sequence, attrs=_ATTRS)
op("gru_sequence", _SLOTS, "Out? H?", _sequence, attrs={**_ATTRS, "linear_before_reset": False})
op(
    "lstm_sequence",
    f"{_SLOTS} C0?:float/3 P?:float/2",
    "Out? H? C?",
    _sequence,
    attrs={**_ATTRS, "input_forget": False},
)
