"""squeeze_excite by numpy: two small products, and one multiplication of the image."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lite.kernels.host.activation.activation import activate
from lite.kernels.host.buffering import small_buffers
from lite.kernels.host.compute_dtype import compute_dtype
from lite.plugin.kernel import Array, kernel


@kernel("squeeze_excite")
def squeeze_excite(
    X: Array,
    Squeeze: Array,
    SqueezeBias: Array | None,
    Excite: Array,
    ExciteBias: Array | None,
    GateScale: Array | None,
    GateShift: Array | None,
    *,
    squeeze_activation: str,
    squeeze_params: Sequence[float],
    excite_activation: str,
    excite_params: Sequence[float],
    out: Array | None = None,
) -> Array:
    """litebridge's squeeze_excite: ``X float[N, C, H, W]`` times a gate for each channel.

    The gate is two dense layers on the means of the channels, Squeeze ``[S, C, 1, 1]`` and Excite
    ``[C, S, 1, 1]``; for half precision it is computed in float32.  J. Hu et al., "Squeeze-and-Excitation
    Networks", 2018.
    """
    with small_buffers():
        means = X.mean(axis=(2, 3), dtype=compute_dtype(X.dtype))
    inner = _dense(means, Squeeze, SqueezeBias, squeeze_activation, squeeze_params)
    gate = _dense(inner, Excite, ExciteBias, excite_activation, excite_params)
    if GateScale is not None:
        gate *= GateScale
    if GateShift is not None:
        gate += GateShift
    with small_buffers():
        result: Array = np.multiply(X, gate.astype(X.dtype, copy=False)[:, :, None, None], out=out)
    return result


def _dense(x: Array, weight: Array, bias: Array | None, activation: str, params: Sequence[float]) -> Array:
    y: Array = x @ weight.reshape(weight.shape[0], -1).T.astype(x.dtype, copy=False)
    if bias is not None:
        y += bias.reshape(-1)
    return activate(activation, y, params, out=y) if activation else y
