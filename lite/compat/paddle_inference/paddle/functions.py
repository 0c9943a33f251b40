"""Functions of ``paddle`` and ``paddle.nn.functional`` that programs call on a model's inputs and outputs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from lite.compat.paddle_inference.paddle.dtypes import as_dtype
from lite.compat.paddle_inference.paddle.tensor import Axis, Tensor, array_of
from lite.ir.types import Array

Unary = Callable[..., Any]


def _unary(name: str, function: Unary) -> Callable[..., Tensor]:
    def call(x: Any, name: str | None = None) -> Tensor:
        return Tensor(np.asarray(function(array_of(x))))

    call.__name__ = call.__qualname__ = name
    call.__doc__ = f"``paddle.{name}`` of each element."
    return call


def _binary(name: str, function: Unary) -> Callable[..., Tensor]:
    def call(x: Any, y: Any, name: str | None = None) -> Tensor:
        return Tensor(np.asarray(function(array_of(x), array_of(y))))

    call.__name__ = call.__qualname__ = name
    call.__doc__ = f"``paddle.{name}`` of two tensors."
    return call


def concat(x: Sequence[Any], axis: Any = 0, name: str | None = None) -> Tensor:
    """The tensors one after another along an axis."""
    return Tensor(np.concatenate([array_of(part) for part in x], int(axis)))


def stack(x: Sequence[Any], axis: int = 0, name: str | None = None) -> Tensor:
    """The tensors along a new axis."""
    return Tensor(np.stack([array_of(part) for part in x], axis))


def split(
    x: Any, num_or_sections: int | Sequence[int], axis: int = 0, name: str | None = None
) -> list[Tensor]:
    """Parts of equal size, or of these sizes, of which one may be -1."""
    array = array_of(x)
    if isinstance(num_or_sections, int):
        return [Tensor(part) for part in np.split(array, num_or_sections, axis)]
    sizes = list(num_or_sections)
    if -1 in sizes:
        sizes[sizes.index(-1)] = array.shape[axis] - int(np.sum(sizes)) - 1
    return [Tensor(part) for part in np.split(array, np.cumsum(sizes)[:-1], axis)]


def reshape(x: Any, shape: Sequence[int], name: str | None = None) -> Tensor:
    """`Tensor.reshape`."""
    return _tensor(x).reshape(shape)


def transpose(x: Any, perm: Sequence[int], name: str | None = None) -> Tensor:
    """`Tensor.transpose`."""
    return _tensor(x).transpose(perm)


def squeeze(x: Any, axis: Axis = None, name: str | None = None) -> Tensor:
    """`Tensor.squeeze`."""
    return _tensor(x).squeeze(axis)


def unsqueeze(x: Any, axis: int | Sequence[int], name: str | None = None) -> Tensor:
    """`Tensor.unsqueeze`."""
    return _tensor(x).unsqueeze(axis)


def flatten(x: Any, start_axis: int = 0, stop_axis: int = -1, name: str | None = None) -> Tensor:
    """`Tensor.flatten`."""
    return _tensor(x).flatten(start_axis, stop_axis)


def cast(x: Any, dtype: object) -> Tensor:
    """`Tensor.astype`."""
    return _tensor(x).astype(dtype)


def sum(x: Any, axis: Axis = None, dtype: object = None, keepdim: bool = False) -> Tensor:
    """`Tensor.sum`."""
    total = _tensor(x).sum(axis, keepdim)
    return total if dtype is None else total.astype(dtype)


def mean(x: Any, axis: Axis = None, keepdim: bool = False, name: str | None = None) -> Tensor:
    """`Tensor.mean`."""
    return _tensor(x).mean(axis, keepdim)


def max(x: Any, axis: Axis = None, keepdim: bool = False, name: str | None = None) -> Tensor:
    """`Tensor.max`."""
    return _tensor(x).max(axis, keepdim)


def min(x: Any, axis: Axis = None, keepdim: bool = False, name: str | None = None) -> Tensor:
    """`Tensor.min`."""
    return _tensor(x).min(axis, keepdim)


def argmax(x: Any, axis: int | None = None, keepdim: bool = False, dtype: object = "int64") -> Tensor:
    """`Tensor.argmax`."""
    return _tensor(x).argmax(axis, keepdim).astype(dtype)


def argsort(x: Any, axis: int = -1, descending: bool = False, stable: bool = False) -> Tensor:
    """The positions of the elements in order, as int64."""
    array = array_of(x)
    if descending:
        # Equal elements keep their order, as in a stable sort.
        backward = np.flip(np.argsort(np.flip(array, axis), axis, kind="stable"), axis)
        return Tensor((array.shape[axis] - 1 - backward).astype(np.int64))
    return Tensor(np.argsort(array, axis, kind="stable").astype(np.int64))


def topk(
    x: Any,
    k: Any,
    axis: int = -1,
    largest: bool = True,
    sorted: bool = True,
) -> tuple[Tensor, Tensor]:
    """The `k` largest or smallest elements along an axis, and their positions."""
    array = array_of(x)
    order = array_of(argsort(array, axis, descending=largest))
    first = np.take(order, np.arange(int(k)), axis)
    return Tensor(np.take_along_axis(array, first, axis)), Tensor(first)


def where(condition: Any, x: Any = None, y: Any = None, name: str | None = None) -> Any:
    """Elements of `x` where the condition holds and of `y` elsewhere, or the positions where it holds."""
    if x is None or y is None:
        return tuple(Tensor(part) for part in np.nonzero(array_of(condition)))
    return Tensor(np.where(array_of(condition), array_of(x), array_of(y)))


def clip(x: Any, min: Any = None, max: Any = None, name: str | None = None) -> Tensor:
    """The elements limited to a range."""
    array = array_of(x)
    return Tensor(np.clip(array, min, max).astype(array.dtype))


def zeros(shape: Sequence[int], dtype: object = None, name: str | None = None) -> Tensor:
    """Zeros, float32 unless `dtype` says another."""
    return full(shape, 0, dtype)


def ones(shape: Sequence[int], dtype: object = None, name: str | None = None) -> Tensor:
    """Ones, float32 unless `dtype` says another."""
    return full(shape, 1, dtype)


def full(shape: Sequence[int], fill_value: Any, dtype: object = None, name: str | None = None) -> Tensor:
    """One value everywhere, float32 unless `dtype` says another."""
    kind = as_dtype("float32" if dtype is None else dtype).of.numpy
    return Tensor(np.full([int(size) for size in shape], fill_value, kind))


def zeros_like(x: Any, dtype: object = None, name: str | None = None) -> Tensor:
    """Zeros in the shape of `x`."""
    array = array_of(x)
    return full(array.shape, 0, array.dtype if dtype is None else dtype)


def arange(start: Any = 0, end: Any = None, step: Any = 1, dtype: object = None) -> Tensor:
    """Numbers from `start` to below `end`; int64 for integers and float32 for others."""
    begin, stop = (0, start) if end is None else (start, end)
    array = np.arange(begin, stop, step)
    kind = "int64" if array.dtype.kind in "iu" else "float32"
    return Tensor(array.astype(as_dtype(kind if dtype is None else dtype).of.numpy))


def softmax(x: Any, axis: int = -1, dtype: object = None, name: str | None = None) -> Tensor:
    """``paddle.nn.functional.softmax``."""
    array = array_of(x) if dtype is None else array_of(_tensor(x).astype(dtype))
    powers = np.exp(array - array.max(axis, keepdims=True))
    return Tensor(powers / powers.sum(axis, keepdims=True))


def log_softmax(x: Any, axis: int = -1, dtype: object = None, name: str | None = None) -> Tensor:
    """``paddle.nn.functional.log_softmax``."""
    array = array_of(x) if dtype is None else array_of(_tensor(x).astype(dtype))
    shifted = array - array.max(axis, keepdims=True)
    return Tensor(shifted - np.log(np.exp(shifted).sum(axis, keepdims=True)))


def normalize(x: Any, p: float = 2, axis: int = 1, epsilon: float = 1e-12, name: str | None = None) -> Tensor:
    """``paddle.nn.functional.normalize``: the vectors along an axis, divided by their norms."""
    array = array_of(x)
    norm = (np.abs(array) ** p).sum(axis, keepdims=True) ** (1 / p)
    return Tensor((array / np.maximum(norm, epsilon)).astype(array.dtype))


def is_tensor(x: object) -> bool:
    """Whether it is a `Tensor`."""
    return isinstance(x, Tensor)


def _sigmoid(array: Array) -> Array:
    result: Array = np.where(array >= 0, 1, np.exp(-np.abs(array))) / (1 + np.exp(-np.abs(array)))
    return result.astype(array.dtype, copy=False)


def _tensor(x: Any) -> Tensor:
    return x if isinstance(x, Tensor) else Tensor(array_of(x))


sigmoid = _unary("sigmoid", _sigmoid)
relu = _unary("relu", lambda array: np.maximum(array, 0))

_UNARY: dict[str, Unary] = {
    "abs": np.abs,
    "exp": np.exp,
    "log": np.log,
    "sqrt": np.sqrt,
    "floor": np.floor,
    "round": np.round,
    "isnan": np.isnan,
    "isfinite": np.isfinite,
    "tanh": np.tanh,
    "any": np.any,
    "all": np.all,
}
_BINARY: dict[str, Unary] = {
    "add": np.add,
    "subtract": np.subtract,
    "multiply": np.multiply,
    "divide": np.divide,
    "matmul": np.matmul,
    "maximum": np.maximum,
    "minimum": np.minimum,
    "equal": np.equal,
}
FUNCTIONS: tuple[Callable[..., object], ...] = (
    concat,
    stack,
    split,
    reshape,
    transpose,
    squeeze,
    unsqueeze,
    flatten,
    cast,
    sum,
    mean,
    max,
    min,
    argmax,
    argsort,
    topk,
    where,
    clip,
    zeros,
    ones,
    full,
    zeros_like,
    arange,
    is_tensor,
    sigmoid,
    *(_unary(name, function) for name, function in _UNARY.items()),
    *(_binary(name, function) for name, function in _BINARY.items()),
)
"""The functions of ``paddle`` itself."""

FUNCTIONAL = (softmax, log_softmax, normalize, sigmoid, relu)
"""The functions of ``paddle.nn.functional``."""
