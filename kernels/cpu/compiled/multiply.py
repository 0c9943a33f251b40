"""Matrix products with packed weights, for 1×1 convolutions and fc."""

from __future__ import annotations

from typing import Any

from lite.kernels.cpu.codes import KIND
from lite.kernels.cpu.compiled.jit.entry import entry
from lite.kernels.cpu.compiled.jit.vector import address
from lite.kernels.cpu.compiled.microkernels.dense import block_rows, product_panels
from lite.kernels.cpu.compiled.microkernels.post_activation import apply_post_activation

_BLOCK = 1 << 15
"""Elements of a block of rows, which all panels multiply in turn: it fits in a second-level cache."""


@entry("r", "r", "r", "r", "r", "r", "r", "w", "i", "i", "i", "i")
def multiply(
    x: Any, w: Any, bias: Any, residual: Any, scale: Any, shift: Any, parameters: Any, out: Any,
    flags: int, columns: int, depth: int, channels: int, begin: int, end: int,
) -> None:  # fmt: skip
    """Multiply rows `begin` to `end` of `x` by `w`, apply the epilogue, and write them to `out`; all float32.

    `x` is ``[rows, depth]``, `out` and `residual` are ``[rows, channels]``.  `w`, ``[depth, channels]``, is
    packed in panels of `columns` vectors.  `bias`, `scale` and `shift` have one number per channel and are
    padded to whole panels.  `flags` selects the steps of the epilogue (`lite.kernels.cpu.codes`), and
    `parameters` has their numbers.
    """
    block = block_rows(_BLOCK, depth, columns)
    for first in range(begin, end, block):
        count = min(block, end - first)
        product_panels(
            columns, address(x, first * depth), count, depth, w, 0, bias, channels, flags, parameters,
            residual, scale, shift, out, first * channels, channels,
        )  # fmt: skip
        if flags >> KIND:
            apply_post_activation(out, first * channels, count, channels, flags, parameters, scale, shift)
