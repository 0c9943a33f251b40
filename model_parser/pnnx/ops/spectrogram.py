"""Short-time Fourier transforms."""

from __future__ import annotations

import numpy as np

from lite.ir.program import AttrValue
from lite.model_parser.pnnx import complex_arithmetic
from lite.model_parser.pnnx.call import Call
from lite.model_parser.pnnx.images import pad_image
from lite.model_parser.pnnx.translations import pnnx_op
from lite.model_parser.pnnx.value import Complex, Value, Var


@pnnx_op("torch.stft")
def stft(call: Call) -> Value:
    """`dft` of windows of a signal ``[T]`` or ``[batch, T]`` of fixed length → ``[…, frequency, frame]``."""
    writer, size = call.writer, call.integer("n_fft")
    if writer.rank(call.x) not in (1, 2):
        raise call.error(f"expected an input of 1 or 2 dimensions, got {writer.rank(call.x)}")
    is_single = writer.rank(call.x) == 1
    signal = writer.unary("unsqueeze2", call.x, {"axes": [0]}) if is_single else call.x
    frames = writer.binary("elementwise_mul", _frames(call, signal, size), _window(call, size))
    column = writer.unary("unsqueeze2", frames, {"axes": [3]})
    attrs: dict[str, AttrValue] = {"axis": 2, "onesided": call.flag("onesided", True)}
    spectrum = Complex(writer.transpose(writer.unary("dft", column, attrs), [0, 2, 1, 3]))
    if is_single:
        spectrum = Complex(writer.unary("squeeze2", spectrum.pairs, {"axes": [0]}))
    result: Value = spectrum
    if call.flag("normalized", False):
        result = complex_arithmetic.apply(writer, "mul", [spectrum, size**-0.5])
    if call.flag("return_complex", True) or not isinstance(result, Complex):
        return result
    return result.pairs


def _frames(call: Call, signal: Var, size: int) -> Var:
    """The windows of `size` elements, ``[batch, frames, size]``."""
    writer, step = call.writer, call.integer("hop_length", size // 4)
    if call.flag("center", False):
        mode = call.string("pad_mode", "reflect")
        line = writer.unary("unsqueeze2", signal, {"axes": [1]})
        mode = "zeros" if mode == "constant" else mode
        padded = pad_image(call, line, [size // 2, size // 2], mode, 1)
        signal = writer.unary("squeeze2", padded, {"axes": [1]})
    length = writer.size(signal, 1)
    if not isinstance(length, int) or step < 1 or length < size:
        raise call.error(f"expected a signal of a fixed length from {size} on, got {length}")
    places = np.arange(0, length - size + 1, step)[:, None] + np.arange(size)
    return writer.emit_one("take", {"X": signal, "Index": writer.constant(places)}, {"axis": 1})


def _window(call: Call, size: int) -> Var:
    """The window, or ones, with zeros on both sides up to the size of the transform."""
    writer, width = call.writer, call.integer("win_length", size)
    if call.has("window"):
        window = call.tensor("window")
    else:
        window = writer.constant(np.ones(width, writer.dtype(call.x).numpy))
    before = (size - width) // 2
    if width == size:
        return window
    return writer.unary("pad_nd", window, {"paddings": [before, size - width - before], "axes": [0]})
