"""scale on the host."""

from collections.abc import Sequence

import numpy as np

from lite.kernels.host.activation.activation import activate
from lite.plugin.kernel import Array, kernel


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
    """scale · X + bias, or scale · (X + bias); then the activation; then scale1 · … + bias1.

    As in Paddle, scale and bias lose their fractions when X has integers.
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


def _in_dtype(number: float, x: Array) -> float:
    return int(number) if x.dtype.kind in "iu" else number
