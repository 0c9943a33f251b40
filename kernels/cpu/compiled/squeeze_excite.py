"""Squeeze and excite: means of channels, two small dense layers, and the product with the gate."""

from __future__ import annotations

from typing import Any

from lite.kernels.cpu.compiled.entry import entry
from lite.kernels.cpu.compiled.jit import inner
from lite.kernels.cpu.compiled.late import activation
from lite.kernels.cpu.compiled.vector import (
    fma,
    larger,
    load,
    load_part,
    smaller,
    splat,
    store,
    store_part,
    total,
)
from lite.kernels.cpu.flags import CLAMPED, GATED, HIGH, KIND, LOW, PARAMETER, A, B
from lite.kernels.cpu.tile_sizes import LANES


@inner
def activated(v: Any, flags: int, parameters: Any) -> Any:
    """The activation that flags and parameters say, of a vector."""
    if flags & CLAMPED:
        y = fma(splat(parameters[A]), v, splat(parameters[B]))
        y = smaller(larger(y, splat(parameters[LOW])), splat(parameters[HIGH]))
        return v * y if flags & GATED else y
    return activation(flags >> KIND, v, parameters[PARAMETER])


@inner
def _sum_pixels(x: Any, sums: Any, goal: int, channels: int, begin: int, end: int) -> None:
    """Write the sums of pixels `begin` to `end` of ``[pixels, channels]`` to `sums` from `goal` on."""
    channel = 0
    while channel < channels:
        if channels - channel >= 4 * LANES:
            a = b = c = d = splat(0.0)
            for pixel in range(begin, end):
                place = pixel * channels + channel
                a = a + load(x, place)
                b = b + load(x, place + LANES)
                c = c + load(x, place + 2 * LANES)
                d = d + load(x, place + 3 * LANES)
            store(a, sums, goal + channel)
            store(b, sums, goal + channel + LANES)
            store(c, sums, goal + channel + 2 * LANES)
            store(d, sums, goal + channel + 3 * LANES)
            channel += 4 * LANES
        else:
            count = channels - channel
            a = b = splat(0.0)
            pixel = begin
            while pixel < end - 1:
                a = a + load_part(x, pixel * channels + channel, count)
                b = b + load_part(x, (pixel + 1) * channels + channel, count)
                pixel += 2
            if pixel < end:
                a = a + load_part(x, pixel * channels + channel, count)
            store(a + b, sums, goal + channel)
            channel += LANES


@entry("r", "w", "i", "i", "i", "i")
def channel_sums(
    x: Any, sums: Any, pixels: int, chunks: int, channels: int, width: int, begin: int, end: int
) -> None:
    """Rows `begin` to `end` of `sums`, `width` apart: one for each of `chunks` parts of an image."""
    for row in range(begin, end):
        n, chunk = divmod(row, chunks)
        first, last = chunk * pixels // chunks, (chunk + 1) * pixels // chunks
        _sum_pixels(x, sums, row * width, channels, n * pixels + first, n * pixels + last)


@entry("w", "i", "i", "f", "r", "r", "r", "r", "i", "r", "i", "r", "r", "r", "w", "i", "i")
def gates(
    sums: Any, first: int, last: int, pixels: float, squeeze: Any, squeeze_bias: Any, excite: Any,
    excite_bias: Any, squeeze_flags: int, squeeze_parameters: Any, excite_flags: int,
    excite_parameters: Any, scale: Any, shift: Any, gate: Any, inner_size: int, width: int, begin: int,
    end: int,
) -> None:  # fmt: skip
    """The gate of one image, whose sums are rows `first` to `last`; all vectors are padded to `width`.

    `squeeze` is ``[inner_size, width]``, as is `excite`: the second filter turned.
    """
    share = splat(1.0) / splat(pixels)
    for channel in range(0, width, LANES):
        mean = splat(0.0)
        for row in range(first, last):
            mean = mean + load(sums, row * width + channel)
        store(mean * share, sums, first * width + channel)
        store(load(excite_bias, channel), gate, channel)
    for s in range(inner_size):
        product = splat(0.0)
        for channel in range(0, width, LANES):
            product = fma(load(sums, first * width + channel), load(squeeze, s * width + channel), product)
        value = activated(splat(total(product) + squeeze_bias[s]), squeeze_flags, squeeze_parameters)
        for channel in range(0, width, LANES):
            store(fma(value, load(excite, s * width + channel), load(gate, channel)), gate, channel)
    for channel in range(0, width, LANES):
        v = activated(load(gate, channel), excite_flags, excite_parameters)
        store(fma(v, load(scale, channel), load(shift, channel)), gate, channel)


@entry("r", "r", "w", "i", "i")
def scale_channels(x: Any, gate: Any, out: Any, channels: int, first: int, begin: int, end: int) -> None:
    """Pixels `begin` to `end` behind the `first` one of ``[pixels, channels]`` times `gate`."""
    whole = channels // LANES * LANES
    for pixel in range(first + begin, first + end):
        place = pixel * channels
        for channel in range(0, whole, LANES):
            store(load(x, place + channel) * load(gate, channel), out, place + channel)
        if whole < channels:
            rest = load_part(x, place + whole, channels - whole) * load(gate, whole)
            store_part(rest, out, place + whole, channels - whole)
