"""Measures of the difference between the outputs of a float model and of its quantised model."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

import numpy as np

from lite.ir.types import Array


def sqnr(exact: Array, got: Array) -> float:
    """The signal to quantisation noise ratio in dB; infinite for equal arrays."""
    signal = np.square(exact, dtype=np.float64).sum()
    noise = np.square(np.subtract(exact, got, dtype=np.float64)).sum()
    if noise == 0:
        return math.inf
    return float(10 * np.log10(max(float(signal), 1e-300) / noise))


def cosine(exact: Array, got: Array) -> float:
    """The cosine of the angle between two arrays as vectors: 1 for the same direction."""
    a, b = exact.reshape(-1).astype(np.float64), got.reshape(-1).astype(np.float64)
    lengths = float(np.linalg.norm(a) * np.linalg.norm(b))
    if lengths == 0:
        return 1.0 if not a.any() and not b.any() else 0.0
    return float(np.dot(a, b)) / lengths


Drop = Callable[[Mapping[str, Array], Mapping[str, Array]], float]
"""How much worse the outputs of the second run are than those of the first: 0 for equal outputs."""


def cosine_drop(exact: Mapping[str, Array], got: Mapping[str, Array]) -> float:
    """1 - cosine of the worst output."""
    return max(1 - cosine(exact[name], got[name]) for name in _real(exact))


def sqnr_drop(exact: Mapping[str, Array], got: Mapping[str, Array]) -> float:
    """The noise of the worst output as a fraction of its signal: 0.01 is 20 dB."""
    return max(10 ** (-sqnr(exact[name], got[name]) / 10) for name in _real(exact))


def _real(outputs: Mapping[str, Array]) -> list[str]:
    """The outputs of floating point numbers; all outputs if there are none."""
    return [name for name, array in outputs.items() if array.dtype.kind == "f"] or list(outputs)


METRICS: Mapping[str, Drop] = {"cosine": cosine_drop, "sqnr": sqnr_drop}
"""The measures for the choice of layers by name."""
