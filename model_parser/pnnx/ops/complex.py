"""Complex numbers from real ones, and back."""

from __future__ import annotations

from lite.model_parser.pnnx import arithmetic, complex_arithmetic
from lite.model_parser.pnnx.call import Call
from lite.model_parser.pnnx.translations import pnnx_op
from lite.model_parser.pnnx.value import Complex, Value


@pnnx_op("torch.view_as_complex")
def view_as_complex(call: Call) -> Value:
    """The pairs on the last axis."""
    return Complex(call.x)


@pnnx_op("torch.view_as_real")
def view_as_real(call: Call) -> Value:
    """The pairs as real numbers."""
    number = call.value(0)
    return number.pairs if isinstance(number, Complex) else call.x


@pnnx_op("torch.complex")
def complex_numbers(call: Call) -> Value:
    """Numbers of a real and an imaginary part."""
    return complex_arithmetic.joined(call.writer, call.tensor(0), call.tensor(1))


@pnnx_op("torch.real", "torch.imag")
def part(call: Call) -> Value:
    """The real or the imaginary part."""
    if not isinstance(call.value(0), Complex):
        return call.x
    return complex_arithmetic.parts(call.writer, call.value(0))[call.type == "torch.imag"]


@pnnx_op("torch.conj", "aten::conj", "aten::resolve_conj", "aten::_conj", "aten::conj_physical")
def conjugate(call: Call) -> Value:
    """Numbers with the opposite imaginary part; for ``resolve_conj``, the numbers themselves."""
    number = call.value(0)
    if not isinstance(number, Complex) or call.type == "aten::resolve_conj":
        return number
    return conjugated(call, number)


def conjugated(call: Call, number: Complex) -> Complex:
    """Numbers with the opposite imaginary part."""
    real, imaginary = complex_arithmetic.parts(call.writer, number)
    return complex_arithmetic.joined(call.writer, real, arithmetic.unary(call.writer, "neg", imaginary))


@pnnx_op("aten::angle", "torch.angle")
def angle(call: Call) -> Value:
    """The angle of a complex number."""
    real, imaginary = complex_arithmetic.parts(call.writer, call.value(0))
    return arithmetic.binary(call.writer, "atan2", imaginary, real)
