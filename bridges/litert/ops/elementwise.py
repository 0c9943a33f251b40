"""Arithmetic, comparisons and logic of two tensors; sum and where."""

from __future__ import annotations

from lite.bridges.formats.tflite.bridging import takes
from lite.bridges.formats.tflite.ops import elementwise

takes(
    "litert",
    __name__,
    elementwise.CONVERSIONS,
    "elementwise_add",
    "elementwise_div",
    "elementwise_floordiv",
    "elementwise_max",
    "elementwise_min",
    "elementwise_mod",
    "elementwise_mul",
    "elementwise_pow",
    "elementwise_sub",
    "equal",
    "fusion_elementwise_add_activation",
    "fusion_elementwise_div_activation",
    "fusion_elementwise_floordiv_activation",
    "fusion_elementwise_max_activation",
    "fusion_elementwise_min_activation",
    "fusion_elementwise_mod_activation",
    "fusion_elementwise_mul_activation",
    "fusion_elementwise_pow_activation",
    "fusion_elementwise_sub_activation",
    "greater_equal",
    "greater_than",
    "less_equal",
    "less_than",
    "logical_and",
    "logical_or",
    "logical_xor",
    "not_equal",
    "sum",
    "where",
)
