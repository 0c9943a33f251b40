"""Normalisations, softmax, norms."""

from __future__ import annotations

from lite.bridges.formats.tflite.bridging import takes
from lite.bridges.formats.tflite.ops import norm

takes(
    "litert",
    __name__,
    norm.CONVERSIONS,
    "affine_channel",
    "batch_norm",
    "group_norm",
    "instance_norm",
    "layer_norm",
    "log_softmax",
    "norm",
    "p_norm",
    "rms_norm",
    "softmax",
)
