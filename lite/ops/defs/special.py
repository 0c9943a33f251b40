"""Special functions, and elementwise ops of two tensors that numpy has and few models use."""

from __future__ import annotations

from collections.abc import Mapping

from lite.ir.program import AttrValue
from lite.ir.types import DType
from lite.ops.attrs import Attr
from lite.ops.broadcast import broadcast_right
from lite.ops.rules import same_as
from lite.ops.schema import Canonical, Trait, op
from lite.ops.view import Meta, OpView


def _as_shrink(attrs: Mapping[str, AttrValue]) -> dict[str, AttrValue]:
    return {"lambd": attrs["threshold"], "bias": 0.0}


def _as_soft_shrink(attrs: Mapping[str, AttrValue]) -> dict[str, AttrValue]:
    return {"lambd": attrs["lambda"], "bias": attrs["lambda"]}


def _as_clip(attrs: Mapping[str, AttrValue]) -> dict[str, AttrValue]:
    return {"min": attrs["t_min"], "max": attrs["t_max"]}


def _as_leaky_relu(attrs: Mapping[str, AttrValue]) -> dict[str, AttrValue]:
    lower, upper = attrs["lower"], attrs["upper"]
    assert isinstance(lower, float)
    assert isinstance(upper, float)
    return {"alpha": (lower + upper) / 2}


_OLD: dict[str, tuple[str, str, dict[str, float], Canonical]] = {
    "brelu": ("Old spelling of clip.", "Out", {"t_min": 0.0, "t_max": 24.0}, Canonical("clip", _as_clip)),
    "hard_shrink": (
        "Old spelling of shrink, with bias 0.",
        "Out",
        {"threshold": 0.5},
        Canonical("shrink", _as_shrink),
    ),
    "rrelu": (
        "Old spelling of leaky_relu, with the mean of lower and upper as slope.",
        "Out Noise?",
        {"lower": 0.125, "upper": 1 / 3},
        Canonical("leaky_relu", _as_leaky_relu),
    ),
    "softshrink": (
        "Old spelling of shrink, with lambda as bias, too.",
        "Out",
        {"lambda": 0.5},
        Canonical("shrink", _as_soft_shrink),
    ),
}

for _name, (_about, _outputs, _attrs, _canonical) in _OLD.items():
    op(_name, _about, "X:float", _outputs, same_as("X"), attrs=_attrs, lod="X", canonical=_canonical)

for _name, _about, _numbers in (
    ("digamma", "Derivative of the logarithm of the gamma function.", {}),
    ("erfinv", "Inverse of the error function.", {}),
    ("lgamma", "Logarithm of the absolute value of the gamma function.", {}),
    (
        "logit",
        "log(X / (1 - X)), X limited to [eps, 1 - eps]; NaN outside [0, 1] for an eps of 0.",
        {"eps": 0.0},
    ),
    ("stanh", "scale_b · tanh(scale_a · X).", {"scale_a": 0.67, "scale_b": 1.7159}),
    ("tanh_shrink", "X - tanh(X).", {}),
):
    op(
        _name,
        _about,
        "X:float",
        "Out",
        same_as("X"),
        attrs=_numbers,
        traits=(Trait.ELEMENTWISE,),
        lod="X",
        inplace={"Out": "X"},
    )

for _name, _about in (
    ("i0", "Modified Bessel function of the first kind, of order 0."),
    ("i0e", "Modified Bessel function of order 0, scaled by the exponential of -abs(x)."),
):
    op(_name, _about, "x:float", "out", same_as("x"), traits=(Trait.ELEMENTWISE,), lod="x")
op(
    "gammaln",
    "Old spelling of lgamma.",
    "x:float",
    "out",
    same_as("x"),
    canonical=Canonical("lgamma", slots={"x": "X", "out": "Out"}),
)


def _both(op: OpView, first: str, second: str) -> Meta:
    return Meta(op[first].dtype, broadcast_right(op, op[first].dims, op[second].dims))


def _of_pair(op: OpView) -> Meta:
    return _both(op, "X", "Y")


def _of_small_pair(op: OpView) -> Meta:
    return _both(op, "x", "y")


for _name, _about in (
    ("elementwise_fmax", "max(X, Y), where a number is greater than NaN."),
    ("elementwise_fmin", "min(X, Y), where a number is less than NaN."),
    ("elementwise_heaviside", "0 for X below 0, Y for X = 0, 1 for X above 0."),
):
    op(_name, _about, "X:number Y:number", "Out", _of_pair, attrs={"axis": -1}, lod="X")
op("copysign", "The magnitude of x with the sign of y.", "x:number y:number", "out", _of_small_pair)
op("nextafter", "The next number from x towards y.", "x:float y:float", "out", _of_small_pair)


def _lerp(op: OpView) -> Meta:
    shape = broadcast_right(op, broadcast_right(op, op["X"].dims, op["Y"].dims), op["Weight"].dims)
    return Meta(op["X"].dtype, shape)


def _isclose(op: OpView) -> Meta:
    return Meta(DType.BOOL, broadcast_right(op, op["Input"].dims, op["Other"].dims))


def _truth(_: OpView) -> Meta:
    return Meta(DType.BOOL, ())


# rtol and atol are decimal texts, which Paddle reads as float64.
_TOLERANCES: dict[str, AttrValue | Attr] = {"rtol": "1e-05", "atol": "1e-08", "equal_nan": False}

op("lerp", "X + Weight · (Y - X).", "X:float Y:float Weight:float", "Out", _lerp)
for _name, _about, _rule in (
    ("isclose", "Whether Input and Other differ by at most atol + rtol · abs(Other).", _isclose),
    ("allclose", "Whether isclose holds for all elements.", _truth),
):
    op(_name, _about, "Input Other Rtol?:float64 Atol?:float64", "Out", _rule, attrs=_TOLERANCES)
op("equal_all", "Whether X and Y have the same shape and elements.", "X Y", "Out", _truth)
