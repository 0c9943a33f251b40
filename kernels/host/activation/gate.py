"""The activations inside recurrent cells, by the names in Paddle's attributes."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from lite.plugin.kernel import Array

Gate = Callable[..., Array]
"""Called as ``gate(x, out=buffer)``."""


def logistic(x: Array, out: Array | None = None) -> Array:
    """1 / (1 + exp(-x)), by the hyperbolic tangent, which cannot overflow."""
    half = np.tanh(np.multiply(x, 0.5, out=out), out=out)
    half += 1
    half *= 0.5
    return half


def _relu(x: Array, out: Array | None = None) -> Array:
    return np.maximum(x, 0, out=out)


GATES: dict[str, Gate] = {"identity": np.positive, "sigmoid": logistic, "tanh": np.tanh, "relu": _relu}

GATE_NUMBERS = ("identity", "sigmoid", "tanh", "relu")
"""The names by the numbers in gru_unit's attributes."""
