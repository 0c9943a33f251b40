"""Spectra and mel cepstra equal TensorFlow Lite's interpreter."""

from __future__ import annotations

import numpy as np
import pytest

import lite
from lite.errors import ModelParseError
from lite.plugin.format import ModelSource
from tests.model_parser.tflite.builder import TfliteBuilder
from tests.model_parser.tflite.compare import check
from tests.model_parser.tflite.models import Case, ints, noise


def custom(
    builder: TfliteBuilder, name: str, inputs: list[int], output: int, options: dict[str, float]
) -> None:
    """Add a custom op."""
    flexbuffers = pytest.importorskip("flatbuffers.flexbuffers", reason="it writes the options")
    builder.op("CUSTOM", inputs, [output])
    builder.codes[-1][1] = name
    builder.operators[-1][5] = bytes(flexbuffers.Dumps(options))


def spectrogram(size: int, step: int, samples: int, channels: int, squared: bool) -> Case:
    builder = TfliteBuilder()
    frames, bins = 1 + (samples - size) // step, 1 + (1 << (size - 1).bit_length()) // 2
    x, y = builder.tensor("x", (samples, channels)), builder.tensor("y", (channels, frames, bins))
    options: dict[str, float] = {"window_size": size, "stride": step, "magnitude_squared": squared}
    custom(builder, "AudioSpectrogram", [x], y, options)
    return Case("spectrogram", builder.model([x], [y]), [noise(samples, channels)])


@pytest.mark.parametrize(("size", "step"), [(16, 8), (24, 10), (2, 3), (33, 50)])
@pytest.mark.parametrize("channels", [1, 2])
@pytest.mark.parametrize("squared", [False, True])
def test_audio_spectrogram(size: int, step: int, channels: int, squared: bool) -> None:
    check(spectrogram(size, step, 90, channels, squared), 2e-5)


def test_a_window_of_one_sample_is_refused() -> None:
    model = spectrogram(1, 3, 9, 1, squared=True).model
    with pytest.raises(ModelParseError, match="a window of 2 to 16777216 and a step"):
        lite.load_program(ModelSource(model=model))


@pytest.mark.parametrize("rate", [8000, 16000, 44100])
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"filterbank_channel_count": 20, "dct_coefficient_count": 20},
        {"upper_frequency_limit": 3000, "lower_frequency_limit": 0, "dct_coefficient_count": 1},
    ],
)
def test_mfcc(rate: int, options: dict[str, float]) -> None:
    options = {
        "upper_frequency_limit": 4000, "lower_frequency_limit": 20, "filterbank_channel_count": 40,
        "dct_coefficient_count": 13, **options,
    }  # fmt: skip
    builder = TfliteBuilder()
    x, hertz = builder.tensor("x", (2, 5, 257)), builder.tensor("rate", (1,), "int32")
    y = builder.tensor("y", (2, 5, int(options["dct_coefficient_count"])))
    custom(builder, "Mfcc", [x, hertz], y, options)
    spectra = np.square(noise(2, 5, 257))
    spectra[0, 1] = 0
    check(Case("mfcc", builder.model([x, hertz], [y]), [spectra, ints(rate)]))
