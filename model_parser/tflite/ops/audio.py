"""Spectra of sound and their mel cepstra."""

from __future__ import annotations

import numpy as np

from lite.errors import ModelParseError
from lite.model_parser.tflite.graph_writer import GraphWriter
from lite.model_parser.tflite.node import TfliteNode
from lite.model_parser.tflite.translations import tflite_op

_LONGEST = 1 << 24
"""The most samples of a window: a damaged file may ask for any number."""


@tflite_op("CUSTOM:AudioSpectrogram")
def audio_spectrogram(node: TfliteNode, writer: GraphWriter) -> None:
    """`stft` of each channel with a Hann window, and the magnitudes of its numbers, or their squares.

    Windows are filled with zeros to a power of two; samples[n, channels] give [channels, frames, bins].
    """
    options, source = node.custom_options(), node.input(0)
    size, step = int(options.get("window_size", 0)), int(options.get("stride", 0))
    if not 2 <= size <= _LONGEST or step < 1 or source.rank != 2:
        raise ModelParseError(
            f"expected samples [n, channels], a window of 2 to {_LONGEST} and a step of at least 1, "
            f"got {source.shape}, {size} and {step}"
        )
    length = 1 << (size - 1).bit_length()
    window = np.zeros(length, np.float32)
    window[:size] = 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(size) / size)
    channels = writer.unary("transpose2", writer.real(source), {"axis": [1, 0]})
    padded = writer.unary("pad", channels, {"paddings": [0, 0, 0, length - size]})
    spectrum = writer.new_name(node.output().name)
    inputs = {
        "X": writer.unary("unsqueeze2", padded, {"axes": [-1]}),
        "FrameStep": writer.weight("step", np.array(step, np.int64)),
        "Window": writer.weight("window", window),
    }
    writer.emit("stft", inputs, {"Out": spectrum})
    squares = writer.unary("square", spectrum)
    if options.get("magnitude_squared"):
        writer.write(node, "reduce_sum", {"X": squares}, {"dim": [-1]})
    else:
        writer.write(node, "sqrt", {"X": writer.unary("reduce_sum", squares, {"dim": [-1]})})


@tflite_op("CUSTOM:Mfcc")
def mfcc(node: TfliteNode, writer: GraphWriter) -> None:
    """`mfcc`."""
    options = node.custom_options()
    names = ("upper_frequency_limit", "lower_frequency_limit")
    attrs = {name: float(options.get(name, 0)) for name in names}
    counts = {
        name: int(options.get(name, 0)) for name in ("filterbank_channel_count", "dct_coefficient_count")
    }
    inputs = {"X": writer.real(node.input(0)), "SampleRate": writer.name(node.input(1))}
    writer.write(node, "mfcc", inputs, {**attrs, **counts})
