"""pool_nd and max_unpool by numpy: one tap of the window after the other."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from lite.kernels.host.compute_dtype import widened
from lite.kernels.host.padded import padded, tap_slices
from lite.ops.window import Window, windows
from lite.plugin.kernel import Array, kernel


@kernel("pool_nd")
def pool_nd(
    X: Array,
    *,
    pooling_type: str,
    ksize: Sequence[int],
    strides: Sequence[int],
    paddings: Sequence[int],
    padding_algorithm: str,
    dilations: Sequence[int],
    ceil_mode: bool,
    exclusive: bool,
    norm: int,
    column_major: bool,
) -> tuple[Array, Array | None]:
    """ONNX MaxPool, AveragePool and LpPool: maximum, average or p-norm of windows of ``X[N, C, …]``.

    Indices ``int64`` of maxima count through the whole input, its last axes column by column with
    `column_major`; of equal elements they name the first.  Averages divide by the number of elements in the
    input (`exclusive`) or in the padded input.
    """
    image = X.shape[2:]
    over = windows(image, ksize, strides, dilations, paddings, padding_algorithm)
    outs = [int(w.pooled(size, ceil_mode)) for w, size in zip(over, image, strict=True)]
    if pooling_type == "max":
        return _maxima(X, over, outs, column_major)
    x = widened(X)
    if pooling_type == "lp":
        powers = np.abs(x) ** norm
        result = sum(_taps(padded(powers, over, outs), over, outs)) ** (1 / norm)
    else:
        result = sum(_taps(padded(x, over, outs), over, outs)) / _counts(over, outs, image, exclusive)
    return np.asarray(result).astype(X.dtype, copy=False), None


def _taps(x: Array, over: Sequence[Window], outs: Sequence[int]) -> Iterator[Array]:
    """The elements of padded `x` at each tap of the windows."""
    return (x[index] for index in tap_slices(over, outs))


def _maxima(x: Array, over: Sequence[Window], outs: Sequence[int], column_major: bool) -> tuple[Array, Array]:
    lowest = -np.inf if x.dtype.kind not in "iu" else np.iinfo(x.dtype).min
    flat = np.arange(int(np.prod(x.shape[2:])))
    flat = flat.reshape(x.shape[:1:-1]).T if column_major else flat.reshape(x.shape[2:])
    best = np.full((*x.shape[:2], *outs), lowest, x.dtype)
    index = np.full(best.shape, -1, np.int64)
    places = _taps(padded(flat, over, outs, -1), over, outs)
    for taken, place in zip(_taps(padded(x, over, outs, lowest), over, outs), places, strict=True):
        better = (place >= 0) & ((taken > best) | (index < 0))
        np.copyto(best, taken, where=better)
        np.copyto(index, np.broadcast_to(place, index.shape), where=better)
    planes = np.arange(x.shape[0] * x.shape[1]).reshape(*x.shape[:2], *[1] * len(over))
    return best, index + planes * flat.size


def _counts(over: Sequence[Window], outs: Sequence[int], image: Sequence[int], exclusive: bool) -> Array:
    inside = np.ones(image)
    if not exclusive:
        inside = np.ones([w.before + size + w.after for w, size in zip(over, image, strict=True)])
        over = [Window(w.kernel, w.stride, w.dilation, 0, 0) for w in over]
    return np.asarray(sum(_taps(padded(inside, over, outs), over, outs)))


@kernel("max_unpool")
def max_unpool(
    X: Array,
    Indices: Array,
    Shape: Array | None,
    *,
    ksize: Sequence[int],
    strides: Sequence[int],
    paddings: Sequence[int],
) -> Array:
    """ONNX MaxUnpool: the elements of X at `Indices` of the pooling's unpadded input, zeros elsewhere.

    Where that is too small for the indices, they are positions of the whole output, as ONNX Runtime has it.
    """
    sizes = [
        (size - 1) * stride + k - before - after
        for size, stride, k, before, after in zip(
            X.shape[2:], strides, ksize, paddings[::2], paddings[1::2], strict=True
        )
    ]
    own = (*X.shape[:2], *sizes)
    shape = own if Shape is None else tuple(int(size) for size in Shape)
    out = np.zeros(shape, X.dtype)
    is_within = Indices.max(initial=0) < math.prod(own)
    places = np.unravel_index(Indices.reshape(-1), own if is_within else shape)
    out[places] = X.reshape(-1)
    return out
