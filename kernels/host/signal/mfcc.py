"""Mel-frequency cepstral coefficients by numpy."""

from __future__ import annotations

import functools

import numpy as np

from lite.plugin.kernel import Array, kernel

_LEAST = 1e-12


@kernel("mfcc")
def mfcc(
    X: Array,
    SampleRate: Array,
    *,
    upper_frequency_limit: float,
    lower_frequency_limit: float,
    filterbank_channel_count: int,
    dct_coefficient_count: int,
) -> Array:
    """TensorFlow's Mfcc of squared magnitudes ``X[channels, frames, bins]``; SampleRate is in Hz.

    Logarithms of the magnitudes in triangular mel filters (at least 1e-12), and the first coefficients of
    their discrete cosine transform.  S. Davis and P. Mermelstein, "Comparison of parametric representations
    for monosyllabic word recognition", 1980.
    """
    rate = int(SampleRate.reshape(-1)[0])
    if rate < 1:
        raise ValueError(f"SampleRate: expected at least 1, got {rate}")
    filters = _mel_filters(
        X.shape[-1], rate, filterbank_channel_count, lower_frequency_limit, upper_frequency_limit
    )
    energies = np.sqrt(X.astype(np.float64)) @ filters
    cepstra: Array = np.log(np.maximum(energies, _LEAST)) @ _cosines(
        filterbank_channel_count, dct_coefficient_count
    )
    return cepstra.astype(X.dtype)


@functools.lru_cache(maxsize=16)
def _mel_filters(bins: int, rate: int, count: int, low: float, high: float) -> Array:
    """Weights ``float64[bins, count]``: triangles between centres that are evenly spaced in mel.

    A bin belongs to the falling side of one triangle and to the rising side of the next.  The constant part
    of the signal and what is outside of the limits belong to none.
    """
    hertz = 0.5 * rate / (bins - 1)
    first, last = int(1.5 + low / hertz), min(int(high / hertz), bins - 1)
    edges = np.linspace(_mel(low), _mel(high), count + 2)
    mel = _mel(np.arange(bins) * hertz)
    weights = np.zeros((bins, count))
    for column in range(count):
        left, centre, right = edges[column : column + 3]
        rising = (mel > left) & (mel <= centre)
        falling = (mel > centre) & (mel <= right)
        weights[rising, column] = (mel[rising] - left) / (centre - left)
        weights[falling, column] = (right - mel[falling]) / (right - centre)
    weights[:first] = weights[last + 1 :] = 0
    return weights


def _mel(hertz: Array | float) -> Array:
    return np.asarray(1127.0 * np.log1p(np.asarray(hertz) / 700.0))


@functools.lru_cache(maxsize=16)
def _cosines(size: int, count: int) -> Array:
    """The first `count` vectors ``float64[size, count]`` of the discrete cosine transform of type II."""
    angles = np.pi / size * (np.arange(size)[:, None] + 0.5) * np.arange(count)
    return np.asarray(np.sqrt(2.0 / size) * np.cos(angles))
