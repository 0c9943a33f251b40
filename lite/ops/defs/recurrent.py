"""Recurrent layers: over padded sequences, with all choices of ONNX, and over sequences cut by LoD.

ONNX's layers keep ONNX's order of gates.  The layers over LoD and the single steps take an input that is
projected already.
"""

from __future__ import annotations

from lite.ir.program import AttrType, AttrValue
from lite.ops.attrs import Attr, choice, floats, number
from lite.ops.rules import apply
from lite.ops.schema import LOD_BY_KERNEL, op
from lite.ops.view import Inferred, Meta, OpView


def _rnn(op: OpView) -> Inferred:
    """Time-major: Input [T, B, I] → Out [T, B, D * H], each State [L * D, B, H]."""
    x = op["Input"]
    steps, batch, _ = x.dims
    hidden, directions = op.integer("hidden_size"), 2 if op.flag("is_bidirec") else 1
    count = 2 if op.text("mode") == "LSTM" else 1
    if len(op.all("PreState")) != count:
        raise op.error("slot PreState", f"{count} values in mode {op.text('mode')}", len(op.all("PreState")))
    layers = op.integer("num_layers")
    if len(op.all("WeightList")) not in (2 * layers * directions, 4 * layers * directions):
        expected = f"{4 * layers * directions} values (weights, then biases) or half of them"
        raise op.error("slot WeightList", expected, len(op.all("WeightList")))
    state = Meta(x.dtype, (layers * directions, batch, hidden))
    return {"Out": Meta(x.dtype, (steps, batch, directions * hidden)), "State": [state] * count}


op(
    "rnn",
    "Recurrent layers (plain, LSTM or GRU) over padded sequences.",
    "Input:float/3 PreState*:float/3 WeightList*:float SequenceLength?:index/1",
    "Out State* DropoutState? Reserve?",
    _rnn,
    attrs={
        "mode": choice("RNN_TANH", "RNN_RELU", "LSTM", "GRU"),
        "hidden_size": number(100, low=1),
        "num_layers": number(1, low=1),
        "is_bidirec": False,
        "input_size": 10,
        "is_test": False,
        "dropout_prob": 0.0,
        "seed": 0,
    },
)


_LSTMS = ("lstm_sequence", "dynamic_quantize_lstm")


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
    metas = {"Out": Meta(dtype, out), "H": Meta(dtype, state)}
    return {**metas, "C": Meta(dtype, state)} if op.op in _LSTMS else metas


_ATTRS: dict[str, AttrValue | Attr] = {
    "direction": choice("forward", "reverse", "bidirectional"),
    "activations": Attr(AttrType.STRINGS, []),
    "activation_alpha": floats(),
    "activation_beta": floats(),
    "clip": 0.0,
    "layout": number(0, 0, 1),
}
_SLOTS = "X:float/3 W:float/3 R:float/3 B?:float/2 SequenceLength?:int/1 H0?:float/3"

op(
    "rnn_sequence",
    "A recurrent layer with all choices of ONNX RNN.",
    _SLOTS,
    "Out? H?",
    _sequence,
    attrs=_ATTRS,
)
op(
    "gru_sequence",
    "A gated recurrent unit layer with all choices of ONNX GRU.",
    _SLOTS,
    "Out? H?",
    _sequence,
    attrs={**_ATTRS, "linear_before_reset": False},
)
op(
    "lstm_sequence",
    "A long short-term memory layer with all choices of ONNX LSTM.",
    f"{_SLOTS} C0?:float/3 P?:float/2",
    "Out? H? C?",
    _sequence,
    attrs={**_ATTRS, "input_forget": False},
)
op(
    "dynamic_quantize_lstm",
    "lstm_sequence with X and hidden states rounded to 8 bits, after ONNX Runtime DynamicQuantizeLSTM.",
    "X:float32/3 W:float32/3 R:float32/3 B?:float/2 SequenceLength?:int/1 H0?:float/3 C0?:float/3 P?:float/2",
    "Out? H? C?",
    _sequence,
    attrs={**_ATTRS, "input_forget": False},
)


def _projected_lstm(op: OpView) -> Inferred:
    """X [T, B, I] and R [4 * H, P] → [T, B, P]."""
    x = op["X"]
    return Meta(x.dtype, (*x.dims[:2], op["R"].dims[1]))


op(
    "projected_lstm",
    "A long short-term memory layer with all choices of TensorFlow Lite. litebridge's own.",
    "X:float/3 W:float/2 R:float/2 B?:float/1 P?:float/1 Gain?:float/1 Projection?:float/2 "
    "ProjectionBias?:float/1",
    "Out",
    _projected_lstm,
    attrs={
        "activation": choice("tanh", "identity", "relu", "relu6", "relu_n1_to_1"),
        "cell_clip": 0.0,
        "projection_clip": 0.0,
        "is_reverse": False,
    },
)

_ACTIVATIONS = ("sigmoid", "tanh", "relu", "identity")


def _lstm(op: OpView) -> Inferred:
    """Input [T, 4 * D] → Hidden and Cell [T, D]."""
    x = op["Input"]
    state = Meta(x.dtype, (x.dims[0], op["Weight"].dims[0]))
    return {"Hidden": state, "Cell": state, "BatchGate": Meta(x.dtype, x.dims), "BatchCellPreAct": state}


def _gru(op: OpView) -> Inferred:
    """Input [T, 3 * D] → Hidden [T, D]."""
    x = op["Input"]
    state = Meta(x.dtype, (x.dims[0], op["Weight"].dims[0]))
    return {
        "Hidden": state,
        "BatchGate": Meta(x.dtype, x.dims),
        "BatchResetHiddenPrev": state,
        "BatchHidden": state,
    }


def _gru_unit(op: OpView) -> Inferred:
    """Input [B, 3 * D] and HiddenPrev [B, D] → Hidden [B, D]."""
    x, hidden = op["Input"], op["HiddenPrev"]
    state = Meta(x.dtype, hidden.dims)
    return {"Hidden": state, "Gate": Meta(x.dtype, x.dims), "ResetHiddenPrev": state}


def _lstm_unit(op: OpView) -> Inferred:
    """X [B, 4 * D] and C_prev [B, D] → C and H [B, D]."""
    x = op["X"]
    state = Meta(x.dtype, (x.dims[0], apply(x.dims[1], lambda size: size // 4)))
    return {"C": state, "H": state}


op(
    "lstm",
    "A long short-term memory layer over sequences cut by LoD; the input is projected already.",
    "Input:float/2 H0?:float/2 C0?:float/2 Weight:float/2 Bias:float/2",
    "Hidden Cell BatchGate? BatchCellPreAct?",
    _lstm,
    attrs={
        "use_peepholes": True,
        "is_reverse": False,
        "gate_activation": choice(*_ACTIVATIONS),
        "cell_activation": choice("tanh", "sigmoid", "relu", "identity"),
        "candidate_activation": choice("tanh", "sigmoid", "relu", "identity"),
        "is_test": False,
    },
    lod=LOD_BY_KERNEL,
)
op(
    "gru",
    "A gated recurrent unit layer over sequences cut by LoD; the input is projected already.",
    "Input:float/2 H0?:float/2 Weight:float/2 Bias?:float/2",
    "Hidden BatchGate? BatchResetHiddenPrev? BatchHidden?",
    _gru,
    attrs={
        "activation": choice("tanh", "sigmoid", "relu", "identity"),
        "gate_activation": choice(*_ACTIVATIONS),
        "is_reverse": False,
        "origin_mode": False,
        "is_test": False,
    },
    lod=LOD_BY_KERNEL,
)
op(
    "gru_unit",
    "One step of a gated recurrent unit.",
    "Input:float/2 HiddenPrev:float/2 Weight:float/2 Bias?:float/1-2",
    "Hidden Gate? ResetHiddenPrev?",
    _gru_unit,
    attrs={"activation": number(2, 0, 3), "gate_activation": number(1, 0, 3), "origin_mode": False},
)
op(
    "lstm_unit",
    "One step of a long short-term memory unit.",
    "X:float/2 C_prev:float/2",
    "C H",
    _lstm_unit,
    attrs={"forget_bias": 0.0},
)
