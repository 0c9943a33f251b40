"""Fourier transforms."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from lite.ir.program import AttrValue
from lite.model_parser.pnnx import arithmetic, complex_arithmetic
from lite.model_parser.pnnx.call import Call
from lite.model_parser.pnnx.ops.complex import conjugated
from lite.model_parser.pnnx.translations import pnnx_op
from lite.model_parser.pnnx.value import Complex, Term, Value, Var
from lite.model_parser.pnnx.writer import Names

_SIDES = ("", "2", "n")
"""The ends of the names of transforms along one axis, the last two, and any."""


@pnnx_op(*(f"torch.fft.{kind}{end}" for kind in ("fft", "ifft", "rfft", "irfft") for end in _SIDES))
def transform(call: Call) -> Value:
    """`dft` along one axis after the other; of real signals, the last axis has only half of the spectrum."""
    kind = call.type.removeprefix("torch.fft.").rstrip("2n")
    axes, sizes = _axes(call)
    is_inverse, is_real = "i" in kind, "r" in kind
    value, count = call.value(0), _count(call, axes, sizes, doubled=is_inverse and is_real)
    order = [*reversed(range(len(axes)))] if is_real and not is_inverse else [*range(len(axes))]
    for n in order:
        half = is_real and n == len(axes) - 1
        size = sizes[n]
        if half and is_inverse and size is None:
            size = 2 * (_length(call, axes[n]) - 1)
        value = _along(call, value, axes[n], size, inverse=is_inverse, half=half)
    return _scaled(call, value, count, is_inverse)


@pnnx_op("torch.fft.hfft", "torch.fft.ihfft")
def hermitian(call: Call) -> Value:
    """The inverse transform of a real spectrum, conjugated, without or with its division by the size."""
    (axis,), (size,) = _axes(call)
    if call.type == "torch.fft.ihfft":
        count = size or _length(call, axis)
        spectrum = _along(call, call.value(0), axis, size, inverse=False, half=True)
        if not isinstance(spectrum, Complex):
            raise call.error("expected a spectrum")
        return _scaled(call, conjugated(call, spectrum), count, inverse=True, is_divided=False)
    size = size or 2 * (_length(call, axis) - 1)
    number = call.value(0)
    spectrum = conjugated(call, number) if isinstance(number, Complex) else number
    value = _along(call, spectrum, axis, size, inverse=True, half=True)
    return _scaled(call, arithmetic.binary(call.writer, "mul", value, size), size, inverse=False)


def _pairs(call: Call) -> tuple[Var, int]:
    """The input as a variable, and its rank as numbers."""
    number = call.value(0)
    var = number.pairs if isinstance(number, Complex) else call.x
    return var, call.writer.rank(var) - isinstance(number, Complex)


def _axes(call: Call) -> tuple[list[int], list[int | None]]:
    """The axes, counted from the front, and the sizes that they are cut or padded to."""
    _, rank = _pairs(call)
    name = call.type.removeprefix("torch.fft.")
    sizes: list[int | None]
    if name[-1] not in "2n":
        axes, sizes = [call.integer("dim", -1)], [call.integer("n") if call.has("n") else None]
    else:
        sizes = [*call.integers("s")] if call.has("s") else []
        default = [-2, -1] if name[-1] == "2" else [*range(-(len(sizes) or rank), 0)]
        axes = call.integers("dim", default=default)
        sizes = sizes or [None] * len(axes)
    if len(axes) != len(sizes):
        raise call.error(f"expected a size for each axis, got {sizes} for {axes}")
    return [axis % rank for axis in axes], sizes


def _length(call: Call, axis: int) -> int:
    size = call.writer.size(_pairs(call)[0], axis)
    if not isinstance(size, int):
        raise call.error("expected axes of fixed size")
    return size


def _count(call: Call, axes: Sequence[int], sizes: Sequence[int | None], *, doubled: bool) -> int:
    """The number of points of the signal; `doubled` where the last axis has half of a spectrum."""
    last = len(axes) - 1
    return math.prod(
        size or (2 * (_length(call, axis) - 1) if doubled and n == last else _length(call, axis))
        for n, (axis, size) in enumerate(zip(axes, sizes, strict=True))
    )


def _along(call: Call, value: Value, axis: int, size: int | None, *, inverse: bool, half: bool) -> Value:
    writer = call.writer
    is_complex = isinstance(value, Complex)
    x = value.pairs if isinstance(value, Complex) else arithmetic.as_var(writer, arithmetic.as_term(value))
    if not is_complex:
        x = writer.unary("unsqueeze2", arithmetic.real(writer, x), {"axes": [writer.rank(x)]})
    inputs: dict[str, Names] = {"X": x}
    if size is not None:
        inputs["Length"] = writer.constant(np.array([size], np.int64))
    attrs: dict[str, AttrValue] = {"axis": axis, "inverse": inverse, "onesided": half}
    if half and inverse and not is_complex:
        zeros = writer.unary("scale", x, {"scale": 0.0})
        inputs["X"] = writer.emit_one("concat", {"X": [x, zeros]}, {"axis": writer.rank(x) - 1})
    result = writer.emit_one("dft", inputs, attrs)
    if half and inverse:
        return writer.unary("squeeze2", result, {"axes": [writer.rank(result) - 1]})
    return Complex(result)


def _scaled(call: Call, value: Value, count: int, inverse: bool, *, is_divided: bool = True) -> Value:
    """The transform by the rule of ``norm``; `is_divided` tells that an inverse has the default rule."""
    norm = call.string("norm", "backward")
    power = {"backward": -1.0 if inverse else 0.0, "ortho": -0.5, "forward": 0.0 if inverse else -1.0}.get(
        norm
    )
    if power is None:
        raise call.error(f"norm: expected backward, ortho or forward, got {norm!r}")
    power += 1.0 if inverse and is_divided else 0.0
    if power == 0:
        return value
    factor: Term = float(count) ** power
    if isinstance(value, Complex):
        return complex_arithmetic.apply(call.writer, "mul", [value, factor])
    return arithmetic.binary(call.writer, "mul", value, factor)
