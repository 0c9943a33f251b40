"""Elementwise functions of one tensor other than activations."""

from __future__ import annotations

from collections.abc import Mapping

from lite.ir.program import AttrType, AttrValue
from lite.ir.types import DType
from lite.ops.attrs import Attr, choice, floats, number, required
from lite.ops.rules import same_as
from lite.ops.schema import Trait, op
from lite.ops.view import Meta, OpView

_ELEMENTWISE = (Trait.ELEMENTWISE,)


def _function(
    name: str,
    about: str,
    inputs: str,
    attrs: Mapping[str, AttrValue | Attr] | None = None,
    attr_slots: Mapping[str, str | tuple[str, ...]] | None = None,
) -> None:
    """Declare an elementwise function of X whose result has the type of X."""
    op(
        name,
        about,
        inputs,
        "Out",
        same_as("X"),
        attrs=attrs,
        traits=_ELEMENTWISE,
        lod="X",
        inplace={"Out": "X"},
        attr_slots=attr_slots,
    )


def _cast(op: OpView) -> Meta:
    return Meta(DType.from_code(op.integer("out_dtype")), op["X"].shape)


def _bitcast(op: OpView) -> Meta:
    x, dtype = op["X"], DType.from_code(op.integer("dtype"))
    if dtype.itemsize != x.dtype.itemsize:
        raise op.error("attribute dtype", f"a type as wide as {x.dtype}", dtype)
    return Meta(dtype, x.shape)


def _dropout(op: OpView) -> dict[str, Meta]:
    x = op["X"]
    return {"Out": Meta(x.dtype, x.shape), "Mask": Meta(DType.UINT8, x.shape)}


for _name, _about in {
    "acos": "Inverse cosine.",
    "acosh": "Inverse hyperbolic cosine.",
    "asin": "Inverse sine.",
    "asinh": "Inverse hyperbolic sine.",
    "atan": "Inverse tangent.",
    "atanh": "Inverse hyperbolic tangent.",
    "cos": "Cosine.",
    "cosh": "Hyperbolic cosine.",
    "erf": "Error function.",
    "exp": "Exponential function.",
    "expm1": "exp(X) - 1, exact near 0.",
    "log": "Natural logarithm.",
    "log10": "Logarithm to base 10.",
    "log1p": "log(1 + X), exact near 0.",
    "log2": "Logarithm to base 2.",
    "reciprocal": "1 / X.",
    "rsqrt": "1 / √X.",
    "sin": "Sine.",
    "sinh": "Hyperbolic sine.",
    "sqrt": "Square root.",
    "tan": "Tangent.",
}.items():
    _function(_name, _about, "X:float")

for _name, _about in {
    "abs": "Absolute value.",
    "ceil": "The least integer that is not below X.",
    "floor": "The greatest integer that is not above X.",
    "negative": "-X.",
    "rint": "The nearest integer, halves to the even one.",
    "round": "The nearest integer, halves away from 0.",
    "sign": "-1, 0 or 1.",
    "square": "X · X.",
    "trunc": "The integer part, rounded towards 0.",
}.items():
    _function(_name, _about, "X:number")

for _name, _about in {
    "isfinite_v2": "Whether neither infinite nor NaN.",
    "isinf_v2": "Whether infinite.",
    "isnan_v2": "Whether NaN.",
}.items():
    op(_name, _about, "X:number", "Out", same_as("X", DType.BOOL), traits=_ELEMENTWISE, lod="X")

op("logical_not", "Whether X is false.", "X", "Out", same_as("X", DType.BOOL), traits=_ELEMENTWISE, lod="X")
_function("bitwise_not", "Complement of the bits.", "X:int|bool")
_function(
    "scale",
    "scale · X + bias, or scale · (X + bias) without bias_after_scale.",
    "X ScaleTensor?",
    # The attributes after bias_after_scale are litebridge's own: a fused activation and a second `scale`.
    {
        "scale": 1.0,
        "bias": 0.0,
        "bias_after_scale": True,
        "activation": "",
        "activation_params": floats(),
        "scale1": 1.0,
        "bias1": 0.0,
    },
    {"ScaleTensor": "scale"},
)
_function(
    "clip",
    "min(max(X, min), max).",
    "X:number Min? Max?",
    {"min": 0.0, "max": 0.0},
    {"Min": "min", "Max": "max"},
)
_function(
    "pow", "X to the power of factor.", "X:number FactorTensor?", {"factor": 1.0}, {"FactorTensor": "factor"}
)
_function("increment", "X + step.", "X:number", {"step": 1.0})
# Paddle's hard_shrink is shrink with bias 0, and its softshrink is shrink with bias = lambd.
_function(
    "shrink",
    "0 where |X| is at most lambd, else X moved towards 0 by bias, after ONNX Shrink.",
    "X:number",
    {"lambd": 0.5, "bias": 0.0},
)
op(
    "cast",
    "X in another element type.",
    "X",
    "Out",
    _cast,
    attrs={"in_dtype": -1, "out_dtype": required(AttrType.INT)},
    traits=_ELEMENTWISE,
    lod="X",
)
op(
    "bitcast",
    "The bytes of X as another element type of the same width, after ONNX BitCast.",
    "X",
    "Out",
    _bitcast,
    attrs={"dtype": required(AttrType.INT)},
    traits=_ELEMENTWISE,
    view={"Out": "X"},
    lod="X",
)
op(
    "dropout",
    "At inference X, or X · (1 - dropout_prob) with downgrade_in_infer.",
    "X:float Seed?",
    "Out Mask?",
    _dropout,
    attrs={
        "dropout_prob": number(0.5, 0.0, 1.0),
        "dropout_implementation": choice("downgrade_in_infer", "upscale_in_train"),
    },
    traits=_ELEMENTWISE,
    lod="X",
    inplace={"Out": "X"},
)
