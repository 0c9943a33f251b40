"""Reductions, sums along an axis, indices of extremes."""

from __future__ import annotations

from lite.bridges.formats.tflite.bridging import takes
from lite.bridges.formats.tflite.ops import reduce

takes(
    "litert",
    __name__,
    reduce.CONVERSIONS,
    "arg_max",
    "arg_min",
    "cumsum",
    "logsumexp",
    "mean",
    "reduce_all",
    "reduce_any",
    "reduce_max",
    "reduce_mean",
    "reduce_min",
    "reduce_prod",
    "reduce_sum",
    "top_k_v2",
)
