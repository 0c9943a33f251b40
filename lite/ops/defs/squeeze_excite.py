"""Squeeze and excite (J. Hu et al., "Squeeze-and-Excitation Networks", 2018), fused from its parts."""

from __future__ import annotations

from lite.ops.rules import same_as
from lite.ops.schema import floats, op

# Ours: X · gate, where the gate has one number a channel, made from the channels' means by two dense
# layers with activations: Squeeze ``[S, C, 1, 1]`` and Excite ``[C, S, 1, 1]`` are their filters.  GateScale
# and GateShift, ``[1]`` or ``[C]``, follow the second activation.
op(
    "squeeze_excite",
    "X:float/4 Squeeze:float/4 SqueezeBias?:float Excite:float/4 ExciteBias?:float "
    "GateScale?:float GateShift?:float",
    "Out",
    same_as("X"),
    attrs={
        "squeeze_activation": "",
        "squeeze_params": floats(),
        "excite_activation": "",
        "excite_params": floats(),
    },
    lod="X",
    inplace={"Out": "X"},
)
