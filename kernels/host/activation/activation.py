"""Activations by numpy, as ops and as the last step of fused ops (`activate`).

Kernels of activations take a float tensor of any shape and return one of the same shape and dtype.
"""

import functools
from collections.abc import Sequence

import numpy as np

from lite.errors import GraphError, suggest
from lite.kernels.host.elementwise.erf import erf
from lite.ops import get_schema
from lite.plugin.kernel import Array, KernelFunction, kernel, write


def activate(
    name: str,
    x: Array,
    params: Sequence[float] = (),
    out: Array | None = None,
    workspace: Array | None = None,
) -> Array:
    """The activation with op type `name` of `x`; "" is the identity.

    `params` are the op's attributes in the order of its schema (1.0 and 0.0 for flags); missing ones have
    their defaults.  `out` may be `x`.  An activation that `keeps_input` then copies its input to
    `workspace`, a vector of at least as many elements, or to new memory.  Raises `GraphError` for a name
    that is not an activation.
    """
    if workspace is not None and out is x and keeps_input(name):
        x = workspace[: x.size].reshape(x.shape)
        np.copyto(x, out)
    if name:
        result: Array = _bound(name, tuple(params))(x, out=out)
        return result
    return x if out is x else write(out, x)


def keeps_input(name: str) -> bool:
    """Whether the activation still reads its input when it writes its output."""
    return name in _KEEPS_INPUT


def relu(X: Array, *, out: Array | None = None) -> Array:
    """Paddle relu: max(X, 0); X may have integers."""
    out = _buffer(X, out)
    if X.dtype.kind in "iu":
        return np.maximum(X, 0, out=out)
    # With both bounds, clip is several times as fast as maximum.
    return np.clip(X, 0.0, np.inf, out=out)


def relu6(X: Array, *, threshold: float = 6.0, out: Array | None = None) -> Array:
    """min(max(X, 0), threshold)."""
    return np.clip(X, 0.0, threshold, out=_buffer(X, out))


def relu_clipped(X: Array, *, Relu_clipped_coef: float = 6.0, out: Array | None = None) -> Array:
    """min(max(X, 0), Relu_clipped_coef)."""
    return np.clip(X, 0.0, Relu_clipped_coef, out=_buffer(X, out))


def sigmoid(X: Array, *, out: Array | None = None) -> Array:
    """1 / (1 + exp(-X))."""
    # Not by np.negative: numpy 2.4 computes it wrongly in place of columns that are an element's bytes apart.
    out = np.multiply(X, -1.0, out=_buffer(X, out))
    with np.errstate(over="ignore"):
        np.exp(out, out=out)
        out += 1.0
    return np.reciprocal(out, out=out)


def logsigmoid(X: Array, *, out: Array | None = None) -> Array:
    """log(1 / (1 + exp(-X))) = min(X, 0) - log1p(exp(-|X|))."""
    tail = _softplus_tail(X)
    out = np.minimum(X, 0.0, out=_buffer(X, out))
    out -= tail
    return out


def tanh(X: Array, *, out: Array | None = None) -> Array:
    """The hyperbolic tangent."""
    return np.tanh(X, out=_buffer(X, out))


def hard_sigmoid(X: Array, *, slope: float = 0.2, offset: float = 0.5, out: Array | None = None) -> Array:
    """min(max(slope · X + offset, 0), 1)."""
    out = np.multiply(X, slope, out=_buffer(X, out))
    out += offset
    return np.clip(out, 0.0, 1.0, out=out)


def hard_swish(
    X: Array, *, threshold: float = 6.0, scale: float = 6.0, offset: float = 3.0, out: Array | None = None
) -> Array:
    """X · min(max(X + offset, 0), threshold) / scale."""
    gate = np.add(X, offset, out=_scratch(X, out))
    np.clip(gate, 0.0, threshold, out=gate)
    if scale == 1.0:
        return np.multiply(gate, X, out=gate if out is None else out)
    # Before the product with X, which could overflow.
    gate *= 1.0 / scale
    return np.multiply(gate, X, out=gate if out is None else out)


def swish(X: Array, *, beta: float = 1.0, out: Array | None = None) -> Array:
    """X / (1 + exp(-beta · X))."""
    divisor = np.multiply(X, -beta, out=_scratch(X, out))
    with np.errstate(over="ignore"):
        np.exp(divisor, out=divisor)
        divisor += 1.0
    return np.divide(X, divisor, out=divisor if out is None else out)


def leaky_relu(X: Array, *, alpha: float = 0.02, out: Array | None = None) -> Array:
    """X where it is positive, alpha · X elsewhere."""
    low = np.multiply(X, alpha, out=_scratch(X, out))
    choose = np.maximum if alpha <= 1 else np.minimum
    return choose(X, low, out=low if out is None else out)


def elu(X: Array, *, alpha: float = 1.0, out: Array | None = None) -> Array:
    """X where it is positive, alpha · (exp(X) - 1) elsewhere."""
    return _exponential(X, 1.0, alpha, out)


def celu(X: Array, *, alpha: float = 1.0, out: Array | None = None) -> Array:
    """X where it is positive, alpha · (exp(X / alpha) - 1) elsewhere."""
    return _exponential(X, alpha, alpha, out)


def selu(
    X: Array,
    *,
    scale: float = 1.0507009873554805,
    alpha: float = 1.6732632423543772,
    out: Array | None = None,
) -> Array:
    """scale · X where it is positive, scale · alpha · (exp(X) - 1) elsewhere."""
    out = elu(X, alpha=alpha, out=out)
    out *= scale
    return out


def gelu(X: Array, *, approximate: bool = False, out: Array | None = None) -> Array:
    """X · Φ(X), where Φ is the distribution function of the standard normal, or its approximation by tanh.

    D. Hendrycks and K. Gimpel, "Gaussian Error Linear Units (GELUs)", 2016.
    """
    gate = _scratch(X, out)
    if approximate:
        np.multiply(X, X, out=gate)
        gate *= 0.044715
        gate += 1.0
        gate *= X
        gate *= np.sqrt(2.0 / np.pi).item()
        np.tanh(gate, out=gate)
    else:
        np.multiply(X, np.sqrt(0.5).item(), out=gate)
        erf(gate, out=gate)
    gate += 1.0
    # Before the product with X, which could overflow.
    gate *= 0.5
    return np.multiply(gate, X, out=gate if out is None else out)


def softplus(X: Array, *, beta: float = 1.0, threshold: float = 20.0, out: Array | None = None) -> Array:
    """log(1 + exp(beta · X)) / beta; X itself where beta · X is above the threshold."""
    scaled = np.multiply(X, beta, out=np.empty(X.shape, X.dtype))
    result = _softplus_tail(scaled)
    result += np.maximum(scaled, 0.0)
    result /= beta
    np.copyto(result, X, where=scaled > threshold)
    if out is None:
        return result
    np.copyto(out, result)
    return out


def softsign(X: Array, *, out: Array | None = None) -> Array:
    """X / (1 + |X|)."""
    divisor = np.abs(X, out=_scratch(X, out))
    divisor += 1.0
    return np.divide(X, divisor, out=divisor if out is None else out)


def mish(X: Array, *, threshold: float = 20.0, out: Array | None = None) -> Array:
    """X · tanh(softplus(X)) (D. Misra, "Mish", 2019)."""
    gate = softplus(X, threshold=threshold)
    np.tanh(gate, out=gate)
    return np.multiply(X, gate, out=gate if out is None else out)


def thresholded_relu(X: Array, *, threshold: float = 1.0, out: Array | None = None) -> Array:
    """X where it is above the threshold, 0 elsewhere."""
    low = np.less_equal(X, threshold)
    out = write(_buffer(X, out), X)
    np.copyto(out, 0, where=low)
    return out


ACTIVATIONS: dict[str, KernelFunction] = {
    "celu": celu,
    "elu": elu,
    "gelu": gelu,
    "hard_sigmoid": hard_sigmoid,
    "hard_swish": hard_swish,
    "leaky_relu": leaky_relu,
    "logsigmoid": logsigmoid,
    "mish": mish,
    "relu": relu,
    "relu6": relu6,
    "relu_clipped": relu_clipped,
    "selu": selu,
    "sigmoid": sigmoid,
    "softplus": softplus,
    "softsign": softsign,
    "swish": swish,
    "tanh": tanh,
    "thresholded_relu": thresholded_relu,
}

_KEEPS_INPUT = frozenset(("celu", "elu", "gelu", "hard_swish", "leaky_relu", "selu", "softsign", "swish"))

for _name, _function in ACTIVATIONS.items():
    kernel(_name)(_function)


@functools.cache
def _bound(name: str, params: tuple[float, ...]) -> KernelFunction:
    function = ACTIVATIONS.get(name)
    if function is None:
        raise GraphError(f"{name!r} is not an activation{suggest(name, ACTIVATIONS)}")
    return functools.partial(function, **get_schema(name).from_numbers(params))


def _buffer(X: Array, out: Array | None) -> Array:
    return np.empty(X.shape, X.dtype) if out is None else out


def _scratch(X: Array, out: Array | None) -> Array:
    """Memory for intermediate results while X is still needed: `out` unless it overlaps X."""
    if out is None or np.may_share_memory(X, out):
        return np.empty(X.shape, X.dtype)
    return out


def _exponential(X: Array, divisor: float, factor: float, out: Array | None) -> Array:
    """X where it is positive, factor · (exp(X / divisor) - 1) elsewhere."""
    low = np.minimum(X, 0.0, out=_scratch(X, out))
    if divisor != 1.0:
        low /= divisor
    np.expm1(low, out=low)
    low *= factor
    # One of the terms is 0 at each element.
    return np.add(np.maximum(X, 0.0), low, out=low if out is None else out)


def _softplus_tail(X: Array) -> Array:
    """log(1 + exp(-|X|)), the difference of softplus and max(X, 0)."""
    tail = np.abs(X, out=np.empty(X.shape, X.dtype))
    np.multiply(tail, -1.0, out=tail)
    np.exp(tail, out=tail)
    return np.log1p(tail, out=tail)
