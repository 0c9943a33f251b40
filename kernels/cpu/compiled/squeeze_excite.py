"""Squeeze and excite: channel means, two small dense layers, and the product with the gate."""

from __future__ import annotations

from typing import Any

from lite.kernels.cpu.codes import CLAMPED, GATED, HIGH, KIND, LOW, PARAMETER, A, B
from lite.kernels.cpu.compiled.jit.decorators import inner
from lite.kernels.cpu.compiled.jit.entry import entry
from lite.kernels.cpu.compiled.jit.vector import (
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
from lite.kernels.cpu.compiled.microkernels.post_activation import activation
from lite.kernels.cpu.tile_sizes import LANES


@inner
def activated(v: Any, flags: int, parameters: Any) -> Any:
    """The activation of a vector, by the flags and parameters of `codes`."""
    if flags & CLAMPED:
        y = fma(splat(parameters[A]), v, splat(parameters[B]))
        y = smaller(larger(y, splat(parameters[LOW])), splat(parameters[HIGH]))
        return v * y if flags & GATED else y
    return activation(flags >> KIND, v, parameters[PARAMETER])


@inner
def _sum_pixels(x: Any, totals: Any, dest: int, channels: int, begin: int, end: int) -> None:
    """Write the channel sums of pixels `begin` to `end` to `totals` from index `dest` on."""
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
            store(a, totals, dest + channel)
            store(b, totals, dest + channel + LANES)
            store(c, totals, dest + channel + 2 * LANES)
            store(d, totals, dest + channel + 3 * LANES)
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
            store(a + b, totals, dest + channel)
            channel += LANES


@entry("r", "w", "i", "i", "i", "i")
def channel_sums(
    x: Any, totals: Any, pixels: int, chunks: int, channels: int, width: int, begin: int, end: int
) -> None:
    """Compute rows `begin` to `end` of `totals`: `chunks` rows of `width` elements for each image."""
    for row in range(begin, end):
        n, chunk = divmod(row, chunks)
        first, last = chunk * pixels // chunks, (chunk + 1) * pixels // chunks
        _sum_pixels(x, totals, row * width, channels, n * pixels + first, n * pixels + last)


@entry("w", "i", "i", "f", "r", "r", "r", "r", "i", "r", "i", "r", "r", "r", "w", "i", "i")
def gates(
    totals: Any, first: int, last: int, pixels: float, squeeze: Any, squeeze_bias: Any, excite: Any,
    excite_bias: Any, squeeze_flags: int, squeeze_parameters: Any, excite_flags: int,
    excite_parameters: Any, scale: Any, shift: Any, gate: Any, inner_size: int, width: int, begin: int,
    end: int,
) -> None:  # fmt: skip
    """Compute the gate of an image from rows `first` to `last` of `totals`; vectors are padded to `width`.

    `squeeze` is ``[inner_size, width]``; so is `excite`, which is transposed.
    """
    reciprocal = splat(1.0) / splat(pixels)
    for channel in range(0, width, LANES):
        mean = splat(0.0)
        for row in range(first, last):
            mean = mean + load(totals, row * width + channel)
        store(mean * reciprocal, totals, first * width + channel)
        store(load(excite_bias, channel), gate, channel)
    for s in range(inner_size):
        product = splat(0.0)
        for channel in range(0, width, LANES):
            product = fma(load(totals, first * width + channel), load(squeeze, s * width + channel), product)
        value = activated(splat(total(product) + squeeze_bias[s]), squeeze_flags, squeeze_parameters)
        for channel in range(0, width, LANES):
            store(fma(value, load(excite, s * width + channel), load(gate, channel)), gate, channel)
    for channel in range(0, width, LANES):
        v = activated(load(gate, channel), excite_flags, excite_parameters)
        store(fma(v, load(scale, channel), load(shift, channel)), gate, channel)


@entry("r", "r", "w", "i", "i")
def scale_channels(x: Any, gate: Any, out: Any, channels: int, first: int, begin: int, end: int) -> None:
    """Multiply pixels ``first + begin`` to ``first + end`` of ``[pixels, channels]`` by `gate`."""
    whole = channels // LANES * LANES
    for pixel in range(first + begin, first + end):
        place = pixel * channels
        for channel in range(0, whole, LANES):
            store(load(x, place + channel) * load(gate, channel), out, place + channel)
        if whole < channels:
            rest = load_part(x, place + whole, channels - whole) * load(gate, whole)
            store_part(rest, out, place + whole, channels - whole)
