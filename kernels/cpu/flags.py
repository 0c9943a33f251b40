"""What compiled functions are told of the steps behind their sums, in one number."""

CLAMPED, GATED, RESIDUAL, AFFINE, LATE_AFFINE = 1, 2, 4, 8, 16
"""Steps; `GATED` goes with `CLAMPED`.  `LATE_AFFINE` is an affine behind an activation of a kind."""

KIND = 8
"""How far the kind of an activation is shifted to the left; 0 for none beside a clamp."""

SIGMOID, SWISH, TANH, GELU, GELU_TANH, LEAKY_RELU, ELU = range(1, 8)
"""Activations that are more than a clamp."""

A, B, LOW, HIGH, PARAMETER = range(5)
"""Where the numbers of a clamp, ``min(max(a · v + b, low), high)``, and of an activation stand."""
