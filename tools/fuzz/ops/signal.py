"""Fourier transforms, windows and filter banks."""

from __future__ import annotations

from typing import Any

import numpy as np

from lite.tools.fuzz.draw import Draw, Value, row
from lite.tools.fuzz.evaluate import Rejected


def _number(d: Draw, value: float, dtype: str = "int64") -> Value:
    return d.constant(np.asarray(value, dtype))


@row(0.25)
def fourier(d: Draw) -> Value:
    """DFT of real and complex signals, forwards and backwards, one- and two-sided, cut and padded."""
    if d.opset < 17:
        raise Rejected("no DFT yet")
    size, is_complex = d.integer(2, 7), d.chance(0.4)
    x = d.input(d.array((*d.dims(d.integer(1, 2), 1, 3), size, 2 if is_complex else 1)))
    axis = d.integer(1, x.rank - 2) if d.chance(0.4) else x.rank - 2
    length = _number(d, d.integer(2, 8)) if d.chance(0.4) else None
    attrs: dict[str, Any] = {}
    if is_complex and d.chance(0.5):
        attrs["inverse"] = 1
    elif not is_complex and d.chance(0.5):
        attrs["onesided"] = 1
    if d.opset < 20:
        return d.node("DFT", [x, length], axis=axis, **attrs)
    given = d.constant(np.asarray(axis - x.rank if d.chance(0.5) else axis, "int64"))
    return d.node("DFT", [x, length, given if axis != x.rank - 2 or d.chance(0.5) else None], **attrs)


@row(0.3)
def short_fourier(d: Draw) -> Value:
    """STFT with windows of Hann and others, one- and two-sided, and a filter bank after it."""
    if d.opset < 17:
        raise Rejected("no STFT yet")
    length, size = d.integer(8, 20), d.pick((4, 6, 8, 5))
    batch, is_complex = d.integer(1, 2), d.chance(0.15)
    x = d.input(d.array((batch, length, 2 if is_complex else 1)))
    step = _number(d, d.integer(1, 4))
    window = None
    if d.chance(0.7):
        name = d.pick(("HannWindow", "HammingWindow", "BlackmanWindow"))
        window = d.node(name, [_number(d, size)], periodic=d.integer(0, 1))
        if d.chance(0.3):
            window = d.constant(window.array)
    frame = _number(d, size) if window is None or d.chance(0.5) else None
    onesided = 0 if is_complex else d.integer(0, 1)
    y = d.node("STFT", [x, step, window, frame], onesided=onesided)
    if d.chance(0.4):
        return y
    axis = [_number(d, -1).array.reshape(1)]
    power = d.node("Mul", [y, y])
    if d.opset >= 18:
        power = d.node("ReduceSum", [power, d.constant(axis[0])], keepdims=0)
    else:
        power = d.node("ReduceSum", [power, d.constant(np.asarray([3], "int64"))], keepdims=0)
    bins = power.shape[-1]
    bank = d.constant(np.abs(d.array((bins, d.integer(1, 4)))))
    mel = d.node("MatMul", [power, bank])
    return d.node("Log", [d.node("Add", [mel, d.constant(np.float32(0.1))])])


@row(0.15)
def windows_of_samples(d: Draw) -> Value:
    """Windows as values, and MelWeightMatrix."""
    if d.opset < 17:
        raise Rejected("no windows yet")
    if d.chance(0.5):
        numbers = [d.integer(2, 6), 2 * d.integer(4, 16), d.pick((8000, 16000))]
        limits = [_number(d, float(d.pick((0, 20))), "float32"), _number(d, 3900.0, "float32")]
        return d.node("MelWeightMatrix", [*(_number(d, n) for n in numbers), *limits])
    name = d.pick(("HannWindow", "HammingWindow", "BlackmanWindow"))
    size = d.fresh(np.asarray(d.integer(2, 9), d.pick(("int64", "int32"))), constant=0.6)
    attrs: dict[str, Any] = {"output_datatype": d.pick((1, 11))} if d.chance(0.4) else {}
    return d.node(name, [size], periodic=d.integer(0, 1), **attrs)
