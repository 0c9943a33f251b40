"""Resampling along an axis: weighted sums of a few neighbouring elements."""

from __future__ import annotations

from typing import Any

import numpy as np

from lite.kernels.cpu.compiled.jit.entry import entry
from lite.kernels.cpu.compiled.jit.vector import fma, load_part, splat, store_part
from lite.kernels.cpu.tile_sizes import LANES


@entry("r", "w", "n", "n", "r", "i", "i", "i", "i")
def combine_lines(
    x: Any, out: Any, starts: Any, counts: Any, weights: Any, taps: int, size: int, outs: int, width: int,
    begin: int, end: int,
) -> None:  # fmt: skip
    """``out[i, n, :] = Σ weights[n, k] · x[i, starts[n] + k, :]`` over ``counts[n]`` values of k.

    `weights` are ``[outs, taps]``, `x` is ``[…, size, width]``, `out` ``[…, outs, width]``.  Work items are
    pairs of i and n.
    """
    for line in range(begin, end):
        i, n = line // outs, line % outs
        start, count = (i * size + starts[n]) * width, counts[n]
        for j in range(0, width, LANES):
            total = splat(np.float32(0.0))
            for k in range(count):
                v = load_part(x, start + k * width + j, width - j)
                total = fma(v, splat(weights[n * taps + k]), total)
            store_part(total, out, line * width + j, width - j)


@entry("r", "w", "n", "n", "r", "i", "i", "i")
def combine_elements(
    x: Any, out: Any, starts: Any, counts: Any, weights: Any, taps: int, size: int, outs: int, begin: int,
    end: int,
) -> None:  # fmt: skip
    """`combine_lines` of width 1; work items are values of i."""
    for i in range(begin, end):
        for n in range(outs):
            start, total = i * size + starts[n], np.float32(0.0)
            for k in range(counts[n]):
                total += weights[n * taps + k] * x[start + k]
            out[i * outs + n] = total
