"""Functions of ``paddle.nn.functional`` that programs call on a model's outputs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from lite.compat.paddle_inference.paddle.math import unary
from lite.compat.paddle_inference.paddle.tensor import Tensor, array_of, as_tensor
from lite.ir.types import Array


def softmax(x: Any, axis: int = -1, dtype: object = None, name: str | None = None) -> Tensor:
    """Powers of e, divided by their sum along an axis."""
    array = array_of(x) if dtype is None else array_of(as_tensor(x).astype(dtype))
    powers = np.exp(array - array.max(axis, keepdims=True))
    return Tensor(powers / powers.sum(axis, keepdims=True))


def log_softmax(x: Any, axis: int = -1, dtype: object = None, name: str | None = None) -> Tensor:
    """The logarithm of `softmax`."""
    array = array_of(x) if dtype is None else array_of(as_tensor(x).astype(dtype))
    shifted = array - array.max(axis, keepdims=True)
    return Tensor(shifted - np.log(np.exp(shifted).sum(axis, keepdims=True)))


def normalize(x: Any, p: float = 2, axis: int = 1, epsilon: float = 1e-12, name: str | None = None) -> Tensor:
    """The vectors along an axis, divided by their norms."""
    array = array_of(x)
    size = (np.abs(array) ** p).sum(axis, keepdims=True) ** (1 / p)
    return Tensor((array / np.maximum(size, epsilon)).astype(array.dtype))


def cosine_similarity(x1: Any, x2: Any, axis: int = 1, eps: float = 1e-8) -> Tensor:
    """The cosine of the angle between vectors along an axis."""
    first, second = array_of(x1), array_of(x2)
    lengths = np.sqrt((first**2).sum(axis) * (second**2).sum(axis))
    return Tensor(np.asarray((first * second).sum(axis) / np.maximum(lengths, eps), first.dtype))


def one_hot(x: Any, num_classes: int, name: str | None = None) -> Tensor:
    """Rows of zeros with a one at each index, in float32."""
    return Tensor(np.eye(num_classes, dtype=np.float32)[array_of(x)])


def leaky_relu(x: Any, negative_slope: float = 0.01, name: str | None = None) -> Tensor:
    """The elements, where negative ones are multiplied by a slope."""
    array = array_of(x)
    return Tensor(np.where(array >= 0, array, array * array.dtype.type(negative_slope)))


def _sigmoid(array: Array) -> Array:
    result: Array = np.where(array >= 0, 1, np.exp(-np.abs(array))) / (1 + np.exp(-np.abs(array)))
    return result.astype(array.dtype, copy=False)


sigmoid = unary("sigmoid", _sigmoid)
relu = unary("relu", lambda array: np.maximum(array, 0))
relu6 = unary("relu6", lambda array: np.clip(array, 0, 6))
silu = unary("silu", lambda array: array * _sigmoid(array))
hardswish = unary("hardswish", lambda array: array * np.clip(array + 3, 0, 6) / 6)
softplus = unary("softplus", lambda array: np.logaddexp(array, np.zeros((), array.dtype)))

FUNCTIONS: tuple[Callable[..., object], ...] = (
    softmax,
    log_softmax,
    normalize,
    cosine_similarity,
    one_hot,
    leaky_relu,
    sigmoid,
    relu,
    relu6,
    silu,
    hardswish,
    softplus,
)
