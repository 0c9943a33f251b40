"""mfcc against sums over the bins of each filter."""

from __future__ import annotations

import math

import numpy as np
import pytest

from lite.errors import LiteError
from tests.kernels.host.checked import checked
from tests.kernels.host.onnx_reference import near, noise


def mel(hertz: float) -> float:
    return 1127.0 * math.log(1.0 + hertz / 700.0)


def cepstrum(
    spectrum: list[float], rate: int, low: float, high: float, filters: int, count: int
) -> list[float]:
    step = (mel(high) - mel(low)) / (filters + 1)
    logarithms = []
    for band in range(filters):
        energy, centre = 0.0, mel(low) + step * (band + 1)
        for number, square in enumerate(spectrum):
            hertz = number * rate / 2 / (len(spectrum) - 1)
            if number and low <= hertz <= high:
                energy += math.sqrt(square) * max(0.0, 1 - abs(mel(hertz) - centre) / step)
        logarithms.append(math.log(max(energy, 1e-12)))
    return [
        math.sqrt(2 / filters)
        * sum(value * math.cos(math.pi / filters * k * (n + 0.5)) for n, value in enumerate(logarithms))
        for k in range(count)
    ]


@pytest.mark.parametrize(
    ("low", "high", "filters", "count"), [(20, 4000, 10, 4), (0, 900, 3, 3), (300, 2e4, 6, 1)]
)
def test_cepstra_of_triangular_mel_filters(low: float, high: float, filters: int, count: int) -> None:
    spectra = np.square(noise(2, 3, 65))
    spectra[1, 2] = 0
    attrs = {
        "lower_frequency_limit": low, "upper_frequency_limit": high, "filterbank_channel_count": filters,
        "dct_coefficient_count": count,
    }  # fmt: skip

    found = checked("mfcc", {"X": spectra, "SampleRate": np.array([16000], np.int32)}, attrs)

    rows = [cepstrum(row, 16000, low, high, filters, count) for row in spectra.reshape(6, 65).tolist()]
    near(found, [np.array(rows, np.float32).reshape(2, 3, count)])


@pytest.mark.parametrize(
    ("attrs", "message"),
    [
        ({"dct_coefficient_count": 41}, "at most filterbank_channel_count"),
        ({"lower_frequency_limit": 5000.0}, "0 to upper_frequency_limit"),
    ],
)
def test_impossible_filters_are_refused(attrs: dict[str, float], message: str) -> None:
    inputs = {"X": noise(1, 2, 9), "SampleRate": np.array([8000], np.int32)}
    with pytest.raises(LiteError, match=message):
        checked("mfcc", inputs, attrs)
