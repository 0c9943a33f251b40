"""Signal processing: dft, stft, mel_weight_matrix and cosine_window."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lite.ir.types import DType
from lite.kernels.host.compute_dtype import widened
from lite.ops.shape_input import integer
from lite.plugin.kernel import Array, kernel


@kernel("dft")
def dft(
    X: Array, Length: Array | None, Axis: Array | None, *, axis: int, inverse: bool, onesided: bool
) -> Array:
    """ONNX DFT along an axis of ``X[…, 1]`` (real) or ``X[…, 2]`` (real and imaginary parts).

    The axis is cut or padded with zeros to Length.  With `onesided`, the spectrum of a real signal of n
    elements has only its first n // 2 + 1 frequencies; the spectrum is the result, or with `inverse` X.
    """
    along = integer(axis, Axis) % X.ndim
    signal = _signal(X)
    length = None if Length is None else int(Length.reshape(-1)[0])
    if inverse and onesided:
        return np.fft.irfft(signal, length, axis=along)[..., None].astype(X.dtype)
    if inverse:
        return _pairs(np.fft.ifft(signal, length, axis=along), X)
    return _pairs(_spectrum(signal, length, along, onesided), X)


@kernel("stft")
def stft(
    X: Array, FrameStep: Array, Window: Array | None, FrameLength: Array | None, *, onesided: bool
) -> Array:
    """ONNX STFT: spectra ``[N, frames, frequencies, 2]`` of windowed frames of ``X[N, length, 1 or 2]``."""
    signal = _signal(X)
    size = signal.shape[1] if Window is None else len(Window)
    if FrameLength is not None:
        size = int(FrameLength.reshape(-1)[0])
    step = int(FrameStep.reshape(-1)[0])
    starts = np.arange((signal.shape[1] - size) // step + 1) * step
    frames = signal[:, starts[:, None] + np.arange(size)]
    if Window is not None:
        frames = frames * widened(Window)
    return _pairs(_spectrum(frames, None, 2, onesided), X)


def _signal(array: Array) -> Array:
    """Numbers ``[…, 1]`` as real ones, and pairs ``[…, 2]`` as complex ones."""
    x = widened(array)
    if x.shape[-1] == 1:
        return x[..., 0]
    return np.ascontiguousarray(x).view(np.result_type(x.dtype, np.complex64))[..., 0]


def _spectrum(signal: Array, length: int | None, axis: int, onesided: bool) -> Array:
    """The frequencies along an axis; with `onesided` only the first half."""
    if onesided and signal.dtype.kind == "f":
        return np.fft.rfft(signal, length, axis=axis)
    spectrum = np.fft.fft(signal, length, axis=axis)
    return spectrum.take(np.arange(spectrum.shape[axis] // 2 + 1), axis) if onesided else spectrum


def _pairs(numbers: Array, like: Array) -> Array:
    """Complex numbers as pairs of the type of `like`."""
    parts = np.ascontiguousarray(numbers).view(numbers.real.dtype)
    return parts.reshape(*numbers.shape, 2).astype(like.dtype, copy=False)


@kernel("mel_weight_matrix")
def mel_weight_matrix(
    NumMelBins: Array,
    DftLength: Array,
    SampleRate: Array,
    LowerEdgeHertz: Array,
    UpperEdgeHertz: Array,
    *,
    output_datatype: int,
) -> Array:
    """ONNX MelWeightMatrix ``[frequencies, bins]``: triangular filters, evenly spaced on the mel scale."""
    bins, length, rate = (int(x.reshape(-1)[0]) for x in (NumMelBins, DftLength, SampleRate))
    low, high = (2595 * np.log10(1 + float(x.reshape(-1)[0]) / 700) for x in (LowerEdgeHertz, UpperEdgeHertz))
    mels = low + np.arange(bins + 2) * (high - low) / (bins + 2)
    edges = np.floor((length + 1) * (700 * (10 ** (mels / 2595) - 1)) / rate).astype(np.int64)
    out = np.zeros((length // 2 + 1, bins))
    for column in range(bins):
        left, centre, right = edges[column : column + 3]
        if left == centre:
            out[centre, column] = 1
        else:
            out[left : centre + 1, column] = (np.arange(left, centre + 1) - left) / (centre - left)
        if right > centre:
            out[centre:right, column] = (right - np.arange(centre, right)) / (right - centre)
    return out.astype(np.float32 if output_datatype < 0 else DType.from_code(output_datatype).numpy)


@kernel("cosine_window")
def cosine_window(Size: Array, *, coefficients: Sequence[float], periodic: bool, dtype: int) -> Array:
    """Σ coefficients[k] · cos(2πkn / N) for n = 0 … Size - 1; N is Size if periodic, else Size - 1.

    This is ONNX HannWindow, HammingWindow and BlackmanWindow.
    """
    size = int(Size.reshape(-1)[0])
    angles = np.arange(size) * (2 * np.pi / max(size if periodic else size - 1, 1))
    window = sum((c * np.cos(k * angles) for k, c in enumerate(coefficients)), np.zeros(size))
    return np.asarray(window).astype(DType.from_code(dtype).numpy)
