"""Local response normalisation of images whose channels come first."""

from __future__ import annotations

from typing import Any

import numpy as np

from lite.kernels.cpu.compiled.jit.decorators import inlined
from lite.kernels.cpu.compiled.jit.entry import entry
from lite.kernels.cpu.compiled.jit.vector import exp, fma, load_part, splat, store_part, where_negative
from lite.kernels.cpu.compiled.log_softmax import log
from lite.kernels.cpu.tile_sizes import LANES


@inlined
def _power(v: Any, exponent: float) -> Any:
    """``v ** exponent`` of normal, positive numbers, of infinity, and of NaN."""
    logarithm = where_negative(splat(np.float32(3.4e38)) - v, splat(np.float32(1e30)), log(v))
    return exp(logarithm * splat(exponent))


@entry("r", "w", "i", "i", "i", "f", "f", "f")
def lrn(
    x: Any, out: Any, channels: int, pixels: int, size: int, k: float, alpha: float, exponent: float,
    begin: int, end: int,
) -> None:  # fmt: skip
    """``out[n, c, p] = x[n, c, p] · (k + alpha · Σ x[n, j, p]²) ** exponent``; `size` channels j around c.

    Work items `begin` to `end` are blocks of `LANES` pixels, counted over images.
    """
    blocks = -(-pixels // LANES)
    before = (size - 1) // 2
    for item in range(begin, end):
        pixel = item % blocks * LANES
        count = min(pixels - pixel, LANES)
        start = item // blocks * channels * pixels + pixel
        for c in range(channels):
            squares = splat(np.float32(0.0))
            for j in range(max(c - before, 0), min(c - before + size, channels)):
                v = load_part(x, start + j * pixels, count)
                squares = fma(v, v, squares)
            middle = fma(squares, splat(alpha), splat(k))
            v = load_part(x, start + c * pixels, count)
            store_part(v * _power(middle, exponent), out, start + c * pixels, count)
