"""Activations as arguments of compiled functions: flags and parameters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from lite.ir.program import AttrValue
from lite.kernels.cpu.codes import (
    CLAMPED,
    ELU,
    GATED,
    GELU,
    GELU_TANH,
    KIND,
    LEAKY_RELU,
    SIGMOID,
    SWISH,
    TANH,
)
from lite.ops import get_schema
from lite.plugin.kernel import Array
from lite.plugin.kernel.fusible import state_activations

_KINDS = {
    "sigmoid": SIGMOID,
    "swish": SWISH,
    "tanh": TANH,
    "leaky_relu": LEAKY_RELU,
    "elu": ELU,
}

ACTIVATIONS = ("relu", "relu6", "relu_clipped", "hard_sigmoid", "hard_swish", "gelu", *_KINDS)
"""The op types that compiled functions apply as their last step."""

state_activations("cpu", ACTIVATIONS)


@dataclass(frozen=True, eq=False)
class Activation:
    """Flags as in `codes`, and their parameters: ``float32[5]``, indexed by `A` to `PARAMETER`."""

    flags: int
    parameters: Array

    @property
    def is_post_activation(self) -> bool:
        """Whether it is more than a clamp, and runs over whole rows of finished sums."""
        return bool(self.flags >> KIND)


def activation_of(name: str, params: Sequence[float] = ()) -> Activation | None:
    """The activation of that op type; None for one that is not in `ACTIVATIONS`.  "" is the identity.

    `params` are the op's attributes in the order of its schema, as for fused ops.
    """
    if not name:
        return Activation(0, _parameters())
    if name not in ACTIVATIONS:
        return None
    return activation_with(name, get_schema(name).from_numbers(params))


def activation_with(name: str, attrs: Mapping[str, AttrValue]) -> Activation:
    """The activation of an op type of `ACTIVATIONS`, with the op's attributes."""
    number = {key: float(value) for key, value in attrs.items() if isinstance(value, (int, float))}
    if name == "gelu":
        return Activation((GELU_TANH if attrs["approximate"] else GELU) << KIND, _parameters())
    if name in _KINDS:
        return Activation(_KINDS[name] << KIND, _parameters(parameter=next(iter(number.values()), 1.0)))
    if name == "hard_sigmoid":
        return Activation(CLAMPED, _parameters(number["slope"], number["offset"], 0.0, 1.0))
    if name == "hard_swish":
        scale = number["scale"]
        clamp = (1.0 / scale, number["offset"] / scale, 0.0, number["threshold"] / scale)
        return Activation(CLAMPED | GATED, _parameters(*clamp))
    return Activation(CLAMPED, _parameters(1.0, 0.0, 0.0, next(iter(number.values()), np.inf)))


def _parameters(
    a: float = 1.0, b: float = 0.0, low: float = -np.inf, high: float = np.inf, parameter: float = 0.0
) -> Array:
    return np.array([a, b, low, high, parameter], np.float32)
