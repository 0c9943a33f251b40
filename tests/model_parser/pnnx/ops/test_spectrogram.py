"""Short-time transforms equal numpy's of each frame."""

from __future__ import annotations

import numpy as np
import pytest

from tests.model_parser.pnnx.models import noise, run


@pytest.mark.parametrize("center", [False, True])
@pytest.mark.parametrize("normalized", [False, True])
def test_frames_of_a_signal(center: bool, normalized: bool) -> None:
    x, window = noise(2, 40), np.hanning(6).astype(np.float32)
    text = f"n_fft=8 hop_length=3 win_length=6 center={center} pad_mode=reflect normalized={normalized}"
    lines = [
        "pnnx.Input x 0 1 x #x=(2,40)f32",
        "pnnx.Input w 0 1 w #w=(6)f32",
        f"torch.stft s 2 1 x w c {text} $input=x $window=w",
        "torch.view_as_real r 1 1 c y",
        "pnnx.Output o 1 0 y",
    ]
    signal = np.pad(x, [(0, 0), (4, 4)], mode="reflect") if center else x
    frames = np.lib.stride_tricks.sliding_window_view(signal, 8, 1)[:, ::3]
    spectrum = np.fft.rfft(frames * np.pad(window, 1)).swapaxes(1, 2) / (np.sqrt(8) if normalized else 1)
    (output,) = run(lines, [x, window])
    expected = np.stack([spectrum.real, spectrum.imag], -1)
    np.testing.assert_allclose(output, expected, rtol=1e-4, atol=1e-5)
