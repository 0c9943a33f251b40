"""Elementwise functions with numbers as parameters: scale, increment, pow, clip, shrink and dropout."""

from collections.abc import Sequence

import numpy as np

from lite.kernels.host.activation.activation import activate
from lite.kernels.host.elementwise.elementwise import integer_power
from lite.plugin.kernel import Array, kernel, write


@kernel("scale")
def scale(
    X: Array,
    ScaleTensor: Array | None = None,
    *,
    scale: float = 1.0,
    bias: float = 0.0,
    bias_after_scale: bool = True,
    activation: str = "",
    activation_params: Sequence[float] = (),
    scale1: float = 1.0,
    bias1: float = 0.0,
    out: Array | None = None,
) -> Array:
    """Paddle scale: scale · X + bias, or scale · (X + bias) without `bias_after_scale`.

    litebridge's own are the steps after it: an activation, then a second scale1 · … + bias1.  As in Paddle,
    scale and bias lose their fractions when X has integers.
    """
    factor = scale if ScaleTensor is None else ScaleTensor.reshape(-1)[0].item()
    out = np.empty(X.shape, X.dtype) if out is None else out
    if bias_after_scale:
        _affine(X, factor, bias, out)
    else:
        np.add(X, _in_dtype(bias, X), out=out)
        _affine(out, factor, 0.0, out)
    activate(activation, out, activation_params, out=out)
    if scale1 != 1.0 or bias1:
        _affine(out, scale1, bias1, out)
    return out


def _affine(x: Array, factor: float, bias: float, out: Array) -> None:
    np.multiply(x, _in_dtype(factor, x), out=out)
    if bias:
        out += _in_dtype(bias, x)


def _in_dtype(number: float, x: Array) -> float | Array:
    """A number in the type of `x`; that of an integer wraps around."""
    if x.dtype.kind not in "iu":
        return number
    size = x.dtype.itemsize
    return np.array(int(number) % (1 << 8 * size), f"u{size}").view(x.dtype)


@kernel("pow")
def pow_by_factor(
    X: Array, FactorTensor: Array | None = None, *, factor: float = 1.0, out: Array | None = None
) -> Array:
    """Paddle pow: X to the power of `factor`, or of FactorTensor.

    For integers the factor is truncated.
    """
    out = np.empty(X.shape, X.dtype) if out is None else out
    exponent = factor if FactorTensor is None else FactorTensor.reshape(-1)[0].item()
    with np.errstate(all="ignore"):
        if X.dtype.kind in "iu":
            np.copyto(out, integer_power(X, np.asarray(int(exponent))))
            return out
        if exponent == 2.0:
            return np.square(X, out=out)
        return np.power(X, exponent, out=out)


@kernel("increment")
def increment(X: Array, *, step: float = 1.0, out: Array | None = None) -> Array:
    """Paddle increment: X + step; for integers, the step is truncated."""
    amount = int(step) if X.dtype.kind in "iu" else step
    return np.add(X, amount, out=np.empty(X.shape, X.dtype) if out is None else out)


@kernel("clip")
def clip(
    X: Array,
    Min: Array | None = None,
    Max: Array | None = None,
    *,
    min: float = 0.0,
    max: float = 0.0,
    out: Array | None = None,
) -> Array:
    """Paddle clip: min(max(X, min), max); Min and Max, of one element, replace the attributes."""
    low = min if Min is None else Min.reshape(-1)[0].item()
    high = max if Max is None else Max.reshape(-1)[0].item()
    if X.dtype.kind in "iu":
        low, high = int(low), int(high)
    return np.clip(X, low, high, out=np.empty(X.shape, X.dtype) if out is None else out)


@kernel("shrink")
def shrink(X: Array, *, lambd: float = 0.5, bias: float = 0.0, out: Array | None = None) -> Array:
    """ONNX Shrink: X + bias below -lambd, X - bias above lambd, 0 between."""
    amount = X.dtype.type(bias)
    result = np.where(np.less(X, -lambd), X + amount, np.where(np.greater(X, lambd), X - amount, 0))
    return write(out, result.astype(X.dtype, copy=False))


@kernel("dropout")
def dropout(
    X: Array,
    *,
    dropout_prob: float = 0.5,
    dropout_implementation: str = "downgrade_in_infer",
    out: tuple[Array | None, ...] | None = None,
) -> tuple[Array | None, ...]:
    """Paddle dropout at inference: X, or X · (1 - dropout_prob) with "downgrade_in_infer".

    Mask, which Paddle leaves unset, is 1: all elements are kept.
    """
    keep = 1.0 if dropout_implementation == "upscale_in_train" else 1.0 - dropout_prob
    result, mask = (None, np.empty(X.shape, np.uint8)) if out is None else out
    if mask is not None:
        mask.fill(1)
    return np.multiply(X, keep, out=np.empty(X.shape, X.dtype) if result is None else result), mask
