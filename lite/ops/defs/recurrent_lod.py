"""Recurrent layers over sequences cut by LoD, and single steps; the input is projected already."""

from lite.ops.rules import apply
from lite.ops.schema import LOD_BY_KERNEL, choice, number, op
from lite.ops.view import Inferred, Meta, OpView

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
    "Input:float/2 HiddenPrev:float/2 Weight:float/2 Bias?:float/1-2",
    "Hidden Gate? ResetHiddenPrev?",
    _gru_unit,
    attrs={"activation": number(2, 0, 3), "gate_activation": number(1, 0, 3), "origin_mode": False},
)
op("lstm_unit", "X:float/2 C_prev:float/2", "C H", _lstm_unit, attrs={"forget_bias": 0.0})
