"""Activations."""

from __future__ import annotations

from lite.bridges.formats.tflite.bridging import takes
from lite.bridges.formats.tflite.ops import activation
from lite.ops import Trait, ops_with

_OWN = (
    "celu",
    "elu",
    "gelu",
    "hard_swish",
    "leaky_relu",
    "logsigmoid",
    "mish",
    "prelu",
    "relu",
    "selu",
    "shrink",
    "sigmoid",
    "softplus",
    "softsign",
    "swish",
    "tanh",
    "thresholded_relu",
)

takes("litert", __name__, activation.CONVERSIONS, *_OWN, *sorted(ops_with(Trait.CLAMP) - {*_OWN}))
