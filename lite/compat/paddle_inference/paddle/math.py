"""Functions of ``paddle`` that compute with the elements of tensors.

As in Paddle, functions with fractional results make float32 of integers.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from lite.compat.paddle_inference.paddle.tensor import (
    Axis,
    Tensor,
    array_of,
    as_axes,
    as_tensor,
    narrowed,
)

Function = Callable[..., Any]


def unary(name: str, function: Function) -> Callable[..., Tensor]:
    """``paddle.NAME`` of each element, by a function of an array."""

    def call(x: Any, name: str | None = None) -> Tensor:
        array = array_of(x)
        return Tensor(narrowed(np.asarray(function(array)), array))

    call.__name__ = call.__qualname__ = name
    call.__doc__ = f"``paddle.{name}`` of each element."
    return call


def _binary(name: str, function: Function) -> Callable[..., Tensor]:
    def call(x: Any, y: Any, name: str | None = None) -> Tensor:
        first = array_of(x)
        second = y if isinstance(y, (bool, int, float)) else array_of(y)
        return Tensor(narrowed(np.asarray(function(first, second)), first, second))

    call.__name__ = call.__qualname__ = name
    call.__doc__ = f"``paddle.{name}`` of two tensors."
    return call


def sum(x: Any, axis: Axis = None, dtype: object = None, keepdim: bool = False) -> Tensor:
    """`Tensor.sum`."""
    total = as_tensor(x).sum(axis, keepdim)
    return total if dtype is None else total.astype(dtype)


def prod(x: Any, axis: Axis = None, keepdim: bool = False, dtype: object = None) -> Tensor:
    """The product over axes."""
    array = array_of(x)
    product = Tensor(np.asarray(np.prod(array, as_axes(axis), array.dtype, keepdims=keepdim)))
    return product if dtype is None else product.astype(dtype)


def mean(x: Any, axis: Axis = None, keepdim: bool = False, name: str | None = None) -> Tensor:
    """`Tensor.mean`."""
    return as_tensor(x).mean(axis, keepdim)


def max(x: Any, axis: Axis = None, keepdim: bool = False, name: str | None = None) -> Tensor:
    """`Tensor.max`."""
    return as_tensor(x).max(axis, keepdim)


def min(x: Any, axis: Axis = None, keepdim: bool = False, name: str | None = None) -> Tensor:
    """`Tensor.min`."""
    return as_tensor(x).min(axis, keepdim)


def any(x: Any, axis: Axis = None, keepdim: bool = False, name: str | None = None) -> Tensor:
    """Whether an element over axes holds."""
    return Tensor(np.asarray(np.any(array_of(x), as_axes(axis), keepdims=keepdim)))


def all(x: Any, axis: Axis = None, keepdim: bool = False, name: str | None = None) -> Tensor:
    """Whether all elements over axes hold."""
    return Tensor(np.asarray(np.all(array_of(x), as_axes(axis), keepdims=keepdim)))


def var(x: Any, axis: Axis = None, unbiased: bool = True, keepdim: bool = False) -> Tensor:
    """The variance over axes; divided by the number of elements without `unbiased`."""
    return Tensor(np.asarray(np.var(array_of(x), as_axes(axis), ddof=int(unbiased), keepdims=keepdim)))


def std(x: Any, axis: Axis = None, unbiased: bool = True, keepdim: bool = False) -> Tensor:
    """The square root of `var`."""
    return Tensor(np.sqrt(array_of(var(x, axis, unbiased, keepdim))))


def norm(x: Any, p: Any = None, axis: Axis = None, keepdim: bool = False, name: str | None = None) -> Tensor:
    """The norm of the vectors along an axis, or of all elements; `p` is 2 unless it is given."""
    array = array_of(x)
    order = 2.0 if p in (None, "fro") else float(p)
    flat = array.reshape(-1) if axis is None else array
    along = None if axis is None else as_axes(axis)
    if math.isinf(order):
        size = np.abs(flat).max(along, keepdims=keepdim)
    else:
        size = (np.abs(flat) ** order).sum(along, keepdims=keepdim) ** (1 / order)
    return Tensor(np.asarray(size, array.dtype))


def cumsum(x: Any, axis: int | None = None, dtype: object = None, name: str | None = None) -> Tensor:
    """The running sums along an axis, or of the flat tensor."""
    total = Tensor(np.cumsum(array_of(x), axis))
    return total if dtype is None else total.astype(dtype)


def logsumexp(x: Any, axis: Axis = None, keepdim: bool = False, name: str | None = None) -> Tensor:
    """The logarithm of the sum of powers of e over axes."""
    array, axes = array_of(x), as_axes(axis)
    largest = array.max(axes, keepdims=True)
    total = np.log(np.exp(array - largest).sum(axes, keepdims=True)) + largest
    return Tensor(total if keepdim else np.asarray(total.squeeze(axes)))


def clip(x: Any, min: Any = None, max: Any = None, name: str | None = None) -> Tensor:
    """The elements limited to a range."""
    array = array_of(x)
    if min is None and max is None:
        return Tensor(array.copy())
    return Tensor(np.clip(array, min, max).astype(array.dtype))


def scale(x: Any, scale: Any = 1.0, bias: float = 0.0, bias_after_scale: bool = True) -> Tensor:
    """The elements times `scale` plus `bias`, or `bias` added before the product."""
    array = array_of(x)
    factor = float(scale)
    result = array * factor + bias if bias_after_scale else (array + bias) * factor
    return Tensor(result.astype(array.dtype))


def add_n(inputs: Any, name: str | None = None) -> Tensor:
    """The sum of tensors."""
    if isinstance(inputs, Tensor):
        return inputs.clone()
    return Tensor(np.sum([array_of(part) for part in inputs], 0))


def einsum(equation: str, *operands: Any) -> Tensor:
    """The sum of products that an equation describes, such as ``"ij,jk->ik"``."""
    return Tensor(np.asarray(np.einsum(equation, *map(array_of, operands))))


def matmul(
    x: Any, y: Any, transpose_x: bool = False, transpose_y: bool = False, name: str | None = None
) -> Tensor:
    """The product of matrices, of which the last two axes may change places before."""
    first, second = (
        np.swapaxes(array, -1, -2) if swap and array.ndim > 1 else array
        for array, swap in ((array_of(x), transpose_x), (array_of(y), transpose_y))
    )
    return Tensor(np.asarray(np.matmul(first, second)))


def allclose(x: Any, y: Any, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> Tensor:
    """Whether all elements are close to each other."""
    return Tensor(np.asarray(np.allclose(array_of(x), array_of(y), rtol, atol, equal_nan)))


def equal_all(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Whether the tensors have one shape and equal elements."""
    return Tensor(np.asarray(np.array_equal(array_of(x), array_of(y))))


def is_tensor(x: object) -> bool:
    """Whether it is a `Tensor`."""
    return isinstance(x, Tensor)


def is_floating_point(x: Any) -> bool:
    """Whether the elements have a floating-point type."""
    return bool(np.issubdtype(array_of(x).dtype, np.floating))


_UNARY: dict[str, Function] = {
    "abs": np.abs,
    "neg": np.negative,
    "sign": np.sign,
    "square": np.square,
    "floor": np.floor,
    "ceil": np.ceil,
    "round": np.round,
    "trunc": np.trunc,
    "exp": np.exp,
    "expm1": np.expm1,
    "log": np.log,
    "log2": np.log2,
    "log10": np.log10,
    "log1p": np.log1p,
    "sqrt": np.sqrt,
    "rsqrt": lambda array: 1 / np.sqrt(array),
    "reciprocal": lambda array: 1 / array,
    "sin": np.sin,
    "cos": np.cos,
    "tan": np.tan,
    "asin": np.arcsin,
    "acos": np.arccos,
    "atan": np.arctan,
    "sinh": np.sinh,
    "cosh": np.cosh,
    "tanh": np.tanh,
    "erf": np.vectorize(math.erf, otypes=[np.float64]),
    "isnan": np.isnan,
    "isinf": np.isinf,
    "isfinite": np.isfinite,
    "logical_not": np.logical_not,
    "bitwise_not": np.bitwise_not,
}
_BINARY: dict[str, Function] = {
    "add": np.add,
    "subtract": np.subtract,
    "multiply": np.multiply,
    "divide": np.divide,
    "floor_divide": np.floor_divide,
    "mod": np.mod,
    "remainder": np.mod,
    "pow": np.power,
    "maximum": np.maximum,
    "minimum": np.minimum,
    "atan2": np.arctan2,
    "bmm": np.matmul,
    "mm": np.matmul,
    "dot": lambda x, y: (x * y).sum(-1),
    "outer": np.outer,
    "equal": np.equal,
    "not_equal": np.not_equal,
    "greater_than": np.greater,
    "greater_equal": np.greater_equal,
    "less_than": np.less,
    "less_equal": np.less_equal,
    "logical_and": np.logical_and,
    "logical_or": np.logical_or,
    "logical_xor": np.logical_xor,
    "bitwise_and": np.bitwise_and,
    "bitwise_or": np.bitwise_or,
    "bitwise_xor": np.bitwise_xor,
}
FUNCTIONS: tuple[Callable[..., object], ...] = (
    sum,
    prod,
    mean,
    max,
    min,
    any,
    all,
    var,
    std,
    norm,
    cumsum,
    logsumexp,
    clip,
    scale,
    add_n,
    einsum,
    matmul,
    allclose,
    equal_all,
    is_tensor,
    is_floating_point,
    *(unary(name, function) for name, function in _UNARY.items()),
    *(_binary(name, function) for name, function in _BINARY.items()),
)
