"""Integers by which Python selects the work of a compiled function."""

SUM, PRODUCT, MAXIMUM, MINIMUM, DIFFERENCE, QUOTIENT = range(6)
"""Operations on two numbers."""

CLAMPED, GATED, RESIDUAL, AFFINE, POST_AFFINE, QUANTIZED, LOOKUP, SUMS = 1, 2, 4, 8, 16, 32, 64, 128
"""Flags of an epilogue: the steps after a sum of products.

`CLAMPED` replaces a sum v by ``min(max(a · v + b, low), high)``; with `GATED`, that is multiplied by v.
`AFFINE` applies a scale and a shift per channel after a clamp, `POST_AFFINE` after a post-activation.
`RESIDUAL` adds another tensor.  `QUANTIZED` writes bytes, and `LOOKUP` replaces them by entries of a table;
`SUMS` writes sums of integers unchanged."""

WIDE = 128
"""A flag of products of bytes: rows and weights are widened to int16 before."""

CONTINUED = 128
"""A flag of a dense tile of float32: its sums begin with the numbers in `out` instead of the bias."""

KIND = 8
"""The flags shifted right by `KIND` bits are the post-activation; 0 means none."""

SIGMOID, SWISH, TANH, GELU, GELU_TANH, LEAKY_RELU, ELU = range(1, 8)
"""Post-activations: those that a clamp cannot express."""

A, B, LOW, HIGH, PARAMETER = range(5)
"""Indices of an epilogue's parameters; the last one is the parameter of a post-activation."""

LSTM, GRU, GRU_RESET_FIRST, RNN_TANH, RNN_RELU, PEEPHOLE_LSTM = range(6)
"""Recurrent cells.

The reset gate r scales the product R h (`GRU`), or the state h (`GRU_RESET_FIRST`).  The gates i, f and o of
`PEEPHOLE_LSTM` also see the cell state, element by element.
"""

GATES = {LSTM: 4, GRU: 3, GRU_RESET_FIRST: 3, RNN_TANH: 1, RNN_RELU: 1, PEEPHOLE_LSTM: 4}
"""The number of gates of each cell: i, f, o, c of an LSTM, and r, z, c of a GRU, in this order."""

ZEROS, BORDER, REFLECTION = range(3)
"""The value of a sample outside an image: 0, the nearest border pixel, or the pixel after reflection."""

HALVES, BFLOATS, SIGNED_BYTES, NIBBLES = range(4)
"""Types of stored weights: float16, bfloat16, int8, and two numbers of 4 bits in a byte."""
