"""The activations inside ONNX's recurrent cells, by ONNX's names."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from lite.kernels.host.activation.gate import logistic
from lite.plugin.kernel import Array

Function = Callable[[Array], Array]

_PLAIN: dict[str, Callable[[Array], Array]] = {
    "relu": lambda x: np.maximum(x, 0),
    "tanh": lambda x: np.tanh(x),
    "sigmoid": lambda x: logistic(x.copy()),
    "softsign": lambda x: x / (1 + np.abs(x)),
    "softplus": lambda x: np.logaddexp(x, 0),
}
_WITH_ALPHA: dict[str, tuple[float, Callable[[Array, float], Array]]] = {
    "leakyrelu": (0.01, lambda x, a: np.where(x < 0, a * x, x)),
    "thresholdedrelu": (1.0, lambda x, a: np.where(x > a, x, 0)),
    "elu": (1.0, lambda x, a: np.where(x < 0, a * np.expm1(np.minimum(x, 0)), x)),
}
_WITH_BOTH: dict[str, tuple[float, float, Callable[[Array, float, float], Array]]] = {
    "affine": (1.0, 0.0, lambda x, a, b: a * x + b),
    "scaledtanh": (1.0, 1.0, lambda x, a, b: a * np.tanh(b * x)),
    "hardsigmoid": (0.2, 0.5, lambda x, a, b: np.clip(a * x + b, 0, 1)),
}


def functions(names: Sequence[str], alphas: Sequence[float], betas: Sequence[float]) -> list[Function]:
    """The functions of these names; functions with parameters take the next of `alphas` and `betas`.

    Raises `ValueError` for an unknown name.
    """
    alpha, beta = iter(alphas), iter(betas)
    return [_bound(name, alpha, beta) for name in names]


def clipped(function: Function, clip: float) -> Function:
    """The function of an argument that a positive `clip` limits to that magnitude."""
    return (lambda x: function(np.clip(x, -clip, clip))) if clip > 0 else function


def _bound(name: str, alphas: Iterator[float], betas: Iterator[float]) -> Function:
    key = name.lower()
    if key in _PLAIN:
        return _PLAIN[key]
    if key in _WITH_ALPHA:
        default, one = _WITH_ALPHA[key]
        alpha = next(alphas, default)
        return lambda x: one(x, alpha)
    if key not in _WITH_BOTH:
        known = ", ".join((*_PLAIN, *_WITH_ALPHA, *_WITH_BOTH))
        raise ValueError(f"activations: expected functions out of {known}, got {name!r}")
    first, second, both = _WITH_BOTH[key]
    alpha, beta = next(alphas, first), next(betas, second)
    return lambda x: both(x, alpha, beta)
