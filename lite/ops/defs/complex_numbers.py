"""Complex numbers, Fourier transforms of any axes, and frames of signals."""

from __future__ import annotations

from lite.ir.types import UNKNOWN, Dim, DType, Shape
from lite.ops.attrs import choice, longs, number
from lite.ops.broadcast import broadcast_right
from lite.ops.rules import apply, checked_axis, same_as
from lite.ops.schema import op
from lite.ops.view import Meta, OpView

_COMPLEX = {DType.FLOAT64: DType.COMPLEX128, DType.COMPLEX128: DType.COMPLEX128}
_REAL = {DType.COMPLEX64: DType.FLOAT32, DType.COMPLEX128: DType.FLOAT64}


def complex_of(dtype: DType) -> DType:
    """The complex type with parts of this real type."""
    return _COMPLEX.get(dtype, DType.COMPLEX64)


def real_of(dtype: DType) -> DType:
    """The type of the parts of a complex type; a real type is its own."""
    return _REAL.get(dtype, dtype)


def _complex(op: OpView) -> Meta:
    return Meta(complex_of(op["X"].dtype), broadcast_right(op, op["X"].dims, op["Y"].dims))


def _part(op: OpView) -> Meta:
    return Meta(real_of(op["X"].dtype), op["X"].shape)


def _as_complex(op: OpView) -> Meta:
    return Meta(complex_of(op["X"].dtype), op["X"].dims[:-1])


def _as_real(op: OpView) -> Meta:
    return Meta(real_of(op["X"].dtype), (*op["X"].dims, 2))


def _axes(op: OpView) -> list[int]:
    axes = [checked_axis(op, op["X"], axis, "attribute axes") for axis in op.integers("axes")]
    if not axes:
        raise op.error("attribute axes", "at least one axis", axes)
    return axes


def _c2c(op: OpView) -> Meta:
    _axes(op)
    return Meta(op["X"].dtype, op["X"].shape)


def _with_last(op: OpView, size: Dim) -> Shape:
    last, dims = _axes(op)[-1], op["X"].dims
    return (*dims[:last], size, *dims[last + 1 :])


def _r2c(op: OpView) -> Meta:
    size = op["X"].dims[_axes(op)[-1]]
    half = apply(size, lambda n: n // 2 + 1) if op.flag("onesided") else size
    return Meta(complex_of(op["X"].dtype), _with_last(op, half))


def _c2r(op: OpView) -> Meta:
    given = op.integer("last_dim_size")
    size = given if given > 0 else apply(op["X"].dims[_axes(op)[-1]], lambda n: 2 * (n - 1))
    return Meta(real_of(op["X"].dtype), _with_last(op, size))


def _frame(op: OpView) -> Meta:
    x, length, hop = op["X"], op.integer("frame_length"), op.integer("hop_length")
    first = op.integer("axis") == 0 and x.rank >= 1
    size = x.dims[0 if first else -1]
    count = apply(size, lambda n: (n - length) // hop + 1)
    if isinstance(count, int) and count < 1:
        raise op.error("attribute frame_length", f"at most {size}", length)
    return Meta(x.dtype, (count, length, *x.dims[1:]) if first else (*x.dims[:-1], length, count))


def _overlap_add(op: OpView) -> Meta:
    x, hop = op["X"], op.integer("hop_length")
    first = op.integer("axis") == 0
    count, length = (x.dims[0], x.dims[1]) if first else (x.dims[-1], x.dims[-2])
    size: Dim = UNKNOWN
    if isinstance(count, int) and isinstance(length, int):
        size = (count - 1) * hop + length
    return Meta(x.dtype, (size, *x.dims[2:]) if first else (*x.dims[:-2], size))


_C = "complex64|complex128"
_NORM = choice("backward", "ortho", "forward")

op("complex", "X + i·Y.", "X:float Y:float", "Out", _complex)
for _name, _about in (("real", "The real parts of X."), ("imag", "The imaginary parts of X.")):
    op(_name, _about, "X", "Out", _part)
op("conj", "The complex conjugates of X.", "X", "Out", same_as("X"))
op("angle", "The angles of X in the complex plane; 0 or π for real numbers.", f"X:float|{_C}", "Out", _part)
op("as_complex", "Pairs of numbers on the last axis as complex numbers.", "X:float/1-", "Out", _as_complex)
op("as_real", "Complex numbers as pairs of numbers on a new last axis.", f"X:{_C}", "Out", _as_real)
op(
    "fft_c2c",
    "Fourier transform of complex numbers along axes.",
    f"X:{_C}/1-",
    "Out",
    _c2c,
    attrs={"axes": longs(), "normalization": _NORM, "forward": True},
)
op(
    "fft_r2c",
    "Fourier transform of real numbers along axes; `onesided`: the first half of the last one.",
    "X:float/1-",
    "Out",
    _r2c,
    attrs={"axes": longs(), "normalization": _NORM, "forward": True, "onesided": False},
)
op(
    "fft_c2r",
    "Fourier transform along axes of numbers whose transform is real.",
    f"X:{_C}/1-",
    "Out",
    _c2r,
    attrs={"axes": longs(), "normalization": _NORM, "forward": False, "last_dim_size": 0},
)
op(
    "frame",
    "Overlapping parts of a signal.",
    "X/1-",
    "Out",
    _frame,
    attrs={"frame_length": number(1, 1), "hop_length": number(1, 1), "axis": -1},
)
op(
    "overlap_add",
    "A signal that is the sum of overlapping parts.",
    "X/2-",
    "Out",
    _overlap_add,
    attrs={"hop_length": number(1, 1), "axis": -1},
)
