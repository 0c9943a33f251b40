"""Complex numbers, Fourier transforms of any axes, and frames of signals, by numpy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from lite.kernels.host.compute_dtype import widened
from lite.plugin.kernel import Array, kernel

Norm = Literal["backward", "ortho", "forward"]

_OPPOSITE: dict[Norm, Norm] = {"backward": "forward", "ortho": "ortho", "forward": "backward"}
"""numpy's norm of a transform of the other direction that divides by the same number."""


def _complex_type(x: Array) -> type[np.generic]:
    return np.complex128 if x.dtype == np.float64 else np.complex64


@kernel("complex")
def complex_(X: Array, Y: Array) -> Array:
    """Paddle complex: X + i·Y."""
    return np.asarray(widened(X) + 1j * widened(Y)).astype(_complex_type(X), copy=False)


@kernel("real")
def real(X: Array) -> Array:
    """Paddle real: the real parts."""
    return np.ascontiguousarray(X.real).reshape(X.shape)


@kernel("imag")
def imag(X: Array) -> Array:
    """Paddle imag: the imaginary parts."""
    return np.ascontiguousarray(X.imag).reshape(X.shape)


@kernel("conj")
def conj(X: Array) -> Array:
    """Paddle conj: the complex conjugates; real numbers are unchanged."""
    return np.asarray(np.conj(X)).copy()


@kernel("angle")
def angle(X: Array) -> Array:
    """Paddle angle: the angle in the complex plane, from -π to π."""
    if X.dtype.kind == "c":
        return np.asarray(np.angle(X))
    return np.where(np.isnan(X), X, np.where(X < 0, np.pi, 0)).astype(X.dtype)


@kernel("as_complex")
def as_complex(X: Array) -> Array:
    """Paddle as_complex: ``float[…, 2]`` as complex numbers ``[…]``."""
    return np.asarray(X[..., 0] + 1j * X[..., 1]).astype(_complex_type(X), copy=False)


@kernel("as_real")
def as_real(X: Array) -> Array:
    """Paddle as_real: complex numbers ``[…]`` as real and imaginary parts ``[…, 2]``."""
    return np.stack([X.real, X.imag], -1)


@kernel("fft_c2c")
def fft_c2c(X: Array, *, axes: Sequence[int], normalization: Norm, forward: bool) -> Array:
    """Paddle fft_c2c: the Fourier transform along axes, its inverse without `forward`."""
    transform = np.fft.fftn if forward else np.fft.ifftn
    return transform(X, axes=list(axes), norm=normalization).astype(X.dtype, copy=False)


@kernel("fft_r2c")
def fft_r2c(X: Array, *, axes: Sequence[int], normalization: Norm, forward: bool, onesided: bool) -> Array:
    """Paddle fft_r2c: the transform of real numbers; `onesided`: without the second half of the last axis."""
    x = widened(X)
    norm = normalization if forward else _OPPOSITE[normalization]
    result = (np.fft.rfftn if onesided else np.fft.fftn)(x, axes=list(axes), norm=norm)
    return np.asarray(result if forward else np.conj(result)).astype(_complex_type(X), copy=False)


@kernel("fft_c2r")
def fft_c2r(
    X: Array, *, axes: Sequence[int], normalization: Norm, forward: bool, last_dim_size: int
) -> Array:
    """Paddle fft_c2r: the real transform of numbers of which the last axis has the first half."""
    size = last_dim_size if last_dim_size > 0 else 2 * (X.shape[axes[-1]] - 1)
    sizes = [X.shape[axis] for axis in axes[:-1]] + [size]
    x = np.conj(X) if forward else X
    result = np.fft.irfftn(x, sizes, list(axes), _OPPOSITE[normalization] if forward else normalization)
    return result.astype(X.real.dtype, copy=False)


@kernel("frame")
def frame(X: Array, *, frame_length: int, hop_length: int, axis: int) -> Array:
    """Paddle frame: parts ``[…, frame_length, n]`` of a signal, ``[n, frame_length, …]`` for axis 0."""
    x = np.moveaxis(X, 0, -1) if axis == 0 else X
    parts = np.lib.stride_tricks.sliding_window_view(x, frame_length, -1)[..., ::hop_length, :]
    if axis == 0:
        return np.ascontiguousarray(np.moveaxis(parts, (-2, -1), (0, 1)))
    return np.ascontiguousarray(np.swapaxes(parts, -2, -1))


@kernel("overlap_add")
def overlap_add(X: Array, *, hop_length: int, axis: int) -> Array:
    """Paddle overlap_add: the sum of parts, each `hop_length` after the one before; the inverse of frame."""
    x = np.moveaxis(X, (0, 1), (-1, -2)) if axis == 0 else X
    length, count = x.shape[-2:]
    total = np.zeros((*x.shape[:-2], (count - 1) * hop_length + length), x.dtype)
    for n in range(count):
        total[..., n * hop_length : n * hop_length + length] += x[..., n]
    return np.ascontiguousarray(np.moveaxis(total, -1, 0)) if axis == 0 else total
