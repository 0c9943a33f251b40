"""Arithmetic of tensors that broadcast, alone and with a fused activation."""

from collections.abc import Callable, Sequence

import numpy as np

from lite.errors import ExecutionError
from lite.kernels.host.activation.activation import activate
from lite.ops.broadcast import aligned
from lite.plugin.kernel import Array, KernelFunction, kernel, write

Operation = Callable[..., Array]
"""Like a ufunc of two arguments: takes ``out``."""


def at_axis(X: Array, Y: Array, axis: int) -> tuple[Array, Array]:
    """X and Y in shapes that numpy broadcasts as Paddle's attribute `axis` states."""
    if X.ndim == Y.ndim or axis == -1:
        return X, Y
    first, second = aligned(X.shape, Y.shape, axis)
    return X.reshape(first), Y.reshape(second)


def _matched(X: Array, Y: Array, axis: int) -> tuple[Array, Array]:
    """Like `at_axis`, with Y in the dtype of X, which is also the dtype of the result."""
    return at_axis(X, Y if Y.dtype == X.dtype else Y.astype(X.dtype), axis)


def _divide(x: Array, y: Array, out: Array | None = None) -> Array:
    if x.dtype.kind in "iu":
        _refuse_zero(y)
        return _quotient(x, y, out)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        quotient: Array = np.divide(x, y, out=out)
        return quotient


_EXACT = 1 << 51
"""A quotient of smaller integers is never rounded to the next integer in float64."""


def _quotient(x: Array, y: Array, out: Array | None) -> Array:
    """The quotient of integers, rounded towards zero; no divisor is 0."""
    if x.dtype.itemsize > 4 and x.size and not -_EXACT < int(x.min()) <= int(x.max()) < _EXACT:
        # x - fmod(x, y) is a multiple of y.
        return np.floor_divide(np.subtract(x, np.fmod(x, y)), y, out=out)
    result = np.empty(np.broadcast_shapes(x.shape, y.shape), x.dtype) if out is None else out
    with np.errstate(invalid="ignore"):
        # Converted part by part, which needs no memory for all quotients.
        return np.divide(x, y, out=result, dtype=np.float64, casting="unsafe")


def _division(function: Operation) -> Operation:
    """A rounding division or remainder: integers refuse a divisor of 0, floats give infinities and NaN."""

    def run(x: Array, y: Array, out: Array | None = None) -> Array:
        if x.dtype.kind in "iu":
            _refuse_zero(y)
        with np.errstate(divide="ignore", invalid="ignore"):
            return function(x, y, out=out)

    return run


def _power(x: Array, y: Array, out: Array | None = None) -> Array:
    with np.errstate(all="ignore"):
        if x.dtype.kind not in "iu":
            real: Array = np.power(x, y, out=out)
            return real
        power = integer_power(x, y)
        return power if out is None else np.positive(power, out=out)


def integer_power(x: Array, y: Array) -> Array:
    """Powers of integers: squares and cubes are exact, others computed in float64, also with y below 0.

    So do Paddle and ONNX Runtime, which multiplies for the exponents 2 and 3.
    """
    exponent = y.reshape(-1)[0] if y.size == 1 else None
    if exponent in (2, 3):
        shape = np.broadcast_shapes(x.shape, y.shape)
        return np.asarray(x * x if exponent == 2 else x * x * x).reshape(shape)
    power: Array = np.rint(np.power(x, y, dtype=np.float64)).astype(x.dtype)
    return power


def _refuse_zero(divisor: Array) -> None:
    if not divisor.all():
        raise ExecutionError("integer division by zero")


_OPERATIONS: dict[str, Operation] = {
    "elementwise_add": np.add,
    "elementwise_div": _divide,
    "elementwise_floordiv": _division(np.floor_divide),
    "elementwise_max": np.maximum,
    "elementwise_min": np.minimum,
    "elementwise_mod": _division(np.remainder),
    "elementwise_pow": _power,
    "elementwise_sub": np.subtract,
    "fmod": _division(np.fmod),
}

_FUSED = {
    "fusion_elementwise_add_activation": "elementwise_add",
    "fusion_elementwise_div_activation": "elementwise_div",
    "fusion_elementwise_floordiv_activation": "elementwise_floordiv",
    "fusion_elementwise_max_activation": "elementwise_max",
    "fusion_elementwise_min_activation": "elementwise_min",
    "fusion_elementwise_mod_activation": "elementwise_mod",
    "fusion_elementwise_pow_activation": "elementwise_pow",
    "fusion_elementwise_sub_activation": "elementwise_sub",
}


def _plain(operation: Operation) -> KernelFunction:
    def run(X: Array, Y: Array, *, axis: int = -1, out: Array | None = None) -> Array:
        return np.asarray(operation(*_matched(X, Y, axis), out=out))

    return run


def _with_activation(operation: Operation) -> KernelFunction:
    def run(
        X: Array,
        Y: Array,
        *,
        axis: int = -1,
        activation: str = "",
        activation_params: Sequence[float] = (),
        out: Array | None = None,
    ) -> Array:
        result = np.asarray(operation(*_matched(X, Y, axis), out=out))
        return activate(activation, result, activation_params, out=result)

    return run


for _name, _operation in _OPERATIONS.items():
    kernel(_name)(_plain(_operation))

for _name, _plain_name in _FUSED.items():
    kernel(_name)(_with_activation(_OPERATIONS[_plain_name]))


@kernel("elementwise_mul")
def elementwise_mul(
    X: Array, Y: Array, *, axis: int = -1, scale: float = 1.0, bias: float = 0.0, out: Array | None = None
) -> Array:
    """Paddle elementwise_mul, followed by litebridge's fused scale: X · Y · scale + bias."""
    result = np.asarray(np.multiply(*_matched(X, Y, axis), out=out))
    if scale != 1.0:
        result *= result.dtype.type(scale)
    if bias:
        result += result.dtype.type(bias)
    return result


@kernel("fusion_elementwise_mul_activation")
def fusion_elementwise_mul_activation(
    X: Array,
    Y: Array,
    *,
    axis: int = -1,
    scale: float = 1.0,
    bias: float = 0.0,
    activation: str = "",
    activation_params: Sequence[float] = (),
    out: Array | None = None,
) -> Array:
    """Paddle-Lite fusion_elementwise_mul_activation: the activation of X · Y · scale + bias."""
    result = elementwise_mul(X, Y, axis=axis, scale=scale, bias=bias, out=out)
    return activate(activation, result, activation_params, out=result)


@kernel("atan2")
def atan2(X1: Array, X2: Array, *, out: Array | None = None) -> Array:
    """Paddle atan2: the angle of the point (X2, X1), in radians from -π to π; float64 for integers."""
    dtype = np.float64 if X1.dtype.kind in "iu" else X1.dtype
    return write(out, np.asarray(np.arctan2(X1, X2)).astype(dtype, copy=False))


@kernel("sum")
def sum_of_tensors(X: Sequence[Array], *, out: Array | None = None) -> Array:
    """Paddle sum: the sum of tensors of one rank, which broadcast."""
    if len(X) == 1:
        return np.positive(X[0], out=np.empty(X[0].shape, X[0].dtype) if out is None else out)
    result = np.asarray(np.add(X[0], X[1], out=out))
    for term in X[2:]:
        result += term
    return result


@kernel("axpy")
def axpy(Scale: Array, X: Array, Bias: Array, *, out: Array | None = None) -> Array:
    """Paddle-Lite axpy: Scale · X + Bias, where Scale has the first axes of X."""
    factors = Scale.reshape(Scale.shape + (1,) * (X.ndim - Scale.ndim))
    result = np.asarray(np.multiply(X, factors, out=out))
    result += Bias
    return result
