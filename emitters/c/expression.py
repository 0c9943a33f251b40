"""C expressions of elementwise ops on floats, and of activations that other ops apply last."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Sequence
from pathlib import Path

from lite.ir.attributes import AttributeReaders
from lite.ops import clamp_of, get_schema
from lite.plugin.emitter import Emission

INCLUDE = Path(__file__).parent / "include"

Form = Callable[[AttributeReaders, Sequence[str]], str]
"""Makes the expression from the attributes and the names of the operands."""


def number(value: float) -> str:
    """A float as a C constant."""
    if math.isnan(value):
        return "NAN"
    if math.isinf(value):
        return "INFINITY" if value > 0 else "-INFINITY"
    import numpy as np

    if value and math.isinf(float(np.float32(value))):
        return "INFINITY" if value > 0 else "-INFINITY"
    text = repr(float(np.float32(value)))
    return f"{text}f" if any(mark in text for mark in ".e") else f"{text}.0f"


def _function(name: str) -> Form:
    return lambda _, x: f"{name}({x[0]})"


def _elu(scale: str, alpha: str, divisor: str = "") -> Form:
    def form(attrs: AttributeReaders, x: Sequence[str]) -> str:
        a = number(attrs.real(alpha))
        s = number(attrs.real(scale)) if scale else "1.0f"
        inner = f"{x[0]} / {number(attrs.real(divisor))}" if divisor else x[0]
        return f"{s} * ({x[0]} > 0.0f ? {x[0]} : {a} * expm1f({inner}))"

    return form


def _gelu(attrs: AttributeReaders, x: Sequence[str]) -> str:
    v = x[0]
    if attrs.flag("approximate"):
        return f"{v} * (0.5f * (1.0f + lb_tanhf(0.7978845608f * ({v} * (1.0f + 0.044715f * {v} * {v})))))"
    return f"{v} * (0.5f * (1.0f + erff({v} * 0.70710678f)))"


def _swish(attrs: AttributeReaders, x: Sequence[str]) -> str:
    return f"{x[0]} / (1.0f + lb_expf({number(-attrs.real('beta'))} * {x[0]}))"


def _softplus(attrs: AttributeReaders, x: Sequence[str]) -> str:
    b, v = attrs.real("beta"), x[0]
    scaled = f"({number(b)} * {v})"
    value = f"(lb_softplus_tail({scaled}) + lb_maxf({scaled}, 0.0f)) / {number(b)}"
    return f"{scaled} > {number(attrs.real('threshold'))} ? {v} : {value}"


def _mish(attrs: AttributeReaders, x: Sequence[str]) -> str:
    v = x[0]
    plus = f"({v} > {number(attrs.real('threshold'))} ? {v} : lb_softplus_tail({v}) + lb_maxf({v}, 0.0f))"
    return f"{v} * lb_tanhf({plus})"


def _scale(attrs: AttributeReaders, x: Sequence[str]) -> str:
    scale, bias = number(attrs.real("scale")), number(attrs.real("bias"))
    text = f"{scale} * {x[0]} + {bias}" if attrs.flag("bias_after_scale") else f"{scale} * ({x[0]} + {bias})"
    text = activated(attrs, f"({text})")
    second = attrs.real("scale1"), attrs.real("bias1")
    return text if second == (1.0, 0.0) else f"{number(second[0])} * ({text}) + {number(second[1])}"


def _clip(attrs: AttributeReaders, x: Sequence[str]) -> str:
    return f"lb_clampf({x[0]}, {number(attrs.real('min'))}, {number(attrs.real('max'))})"


def _pow(attrs: AttributeReaders, x: Sequence[str]) -> str:
    factor = attrs.real("factor")
    if factor == 2.0:
        return f"{x[0]} * {x[0]}"
    return f"sqrtf({x[0]})" if factor == 0.5 else f"powf({x[0]}, {number(factor)})"


def _shrink(attrs: AttributeReaders, x: Sequence[str]) -> str:
    most, bias, v = number(attrs.real("lambd")), number(attrs.real("bias")), x[0]
    return f"{v} > {most} ? {v} - {bias} : {v} < -({most}) ? {v} + {bias} : 0.0f"


def _leaky(attrs: AttributeReaders, x: Sequence[str]) -> str:
    alpha = attrs.real("alpha")
    return f"{'lb_maxf' if alpha <= 1 else 'lb_minf'}({x[0]}, {number(alpha)} * {x[0]})"


def _binary(template: str) -> Form:
    return lambda _, x: template.format(*x)


def _mul(attrs: AttributeReaders, x: Sequence[str]) -> str:
    scale, bias = attrs.real("scale", 1.0), attrs.real("bias", 0.0)
    text = f"{x[0]} * {x[1]}"
    return text if (scale, bias) == (1.0, 0.0) else f"{number(scale)} * ({text}) + {number(bias)}"


ARITHMETIC: dict[str, Form] = {
    "elementwise_add": _binary("{} + {}"),
    "elementwise_sub": _binary("{} - {}"),
    "elementwise_mul": _mul,
    "elementwise_div": _binary("{} / {}"),
    "elementwise_max": _binary("lb_maxf({}, {})"),
    "elementwise_min": _binary("lb_minf({}, {})"),
    "elementwise_pow": _binary("powf({}, {})"),
    "elementwise_floordiv": _binary("floorf({} / {})"),
    "elementwise_mod": _binary("lb_modf({}, {})"),
    "fmod": _binary("fmodf({}, {})"),
    "atan2": _binary("atan2f({}, {})"),
}

FUNCTIONS: dict[str, Form] = {
    **{
        name: _function(f"{name}f")
        for name in (
            *("acos", "acosh", "asin", "asinh", "atan", "atanh", "cos", "cosh", "erf", "expm1", "log"),
            *(
                "log10",
                "log1p",
                "log2",
                "sin",
                "sinh",
                "sqrt",
                "tan",
                "ceil",
                "floor",
                "rint",
                "round",
                "trunc",
            ),
        )
    },
    "exp": _function("lb_expf"),
    "tanh": _function("lb_tanhf"),
    "sigmoid": _function("lb_sigmoidf"),
    "abs": _function("fabsf"),
    "negative": _binary("-{}"),
    "reciprocal": _binary("1.0f / {}"),
    "rsqrt": _binary("1.0f / sqrtf({})"),
    "sign": _binary("(float)(({0} > 0.0f) - ({0} < 0.0f))"),
    "square": _binary("{0} * {0}"),
    "logsigmoid": _binary("lb_minf({0}, 0.0f) - lb_softplus_tail({0})"),
    "softsign": _binary("{0} / (1.0f + fabsf({0}))"),
    "thresholded_relu": lambda a, x: f"{x[0]} > {number(a.real('threshold'))} ? {x[0]} : 0.0f",
    "celu": _elu("", "alpha", "alpha"),
    "elu": _elu("", "alpha"),
    "selu": _elu("scale", "alpha"),
    "gelu": _gelu,
    "swish": _swish,
    "softplus": _softplus,
    "mish": _mish,
    "leaky_relu": _leaky,
    "scale": _scale,
    "clip": _clip,
    "pow": _pow,
    "shrink": _shrink,
    "increment": lambda a, x: f"{x[0]} + {number(a.real('step'))}",
}


def expression(op: str, attrs: AttributeReaders, operands: Sequence[str]) -> str | None:
    """The C expression of an elementwise op of floats; None for an op without one."""
    form = FUNCTIONS.get(op) or ARITHMETIC.get(op)
    if form is not None:
        return form(attrs, operands)
    if op.startswith("fusion_elementwise_"):
        inner = ARITHMETIC.get(op.removeprefix("fusion_").removesuffix("_activation"))
        return None if inner is None else activated(attrs, f"({inner(attrs, operands)})")
    line = clamp_of(op, get_schema(op).attr_values(_values(attrs, op)))
    if line is None:
        return None
    whole = line.folded()
    x = operands[0]
    text = x if whole.slope == 1.0 else f"{number(whole.slope)} * {x}"
    text = text if whole.offset == 0.0 else f"{text} + {number(whole.offset)}"
    text = f"lb_clampf({text}, {number(whole.low)}, {number(whole.high)})"
    return f"{x} * {text}" if whole.gated else text


def _values(attrs: AttributeReaders, op: str) -> dict[str, float | bool]:
    names = get_schema(op).attrs
    return {name: attrs.real(name) for name in names}


def activated(attrs: AttributeReaders, text: str) -> str:
    """`text` with the activation in the attributes `activation` and `activation_params`."""
    name = attrs.text("activation")
    if not name:
        return text
    inner = AttributeReaders(name, get_schema(name).from_numbers(attrs.reals("activation_params")))
    result = expression(name, inner, [text])
    if result is None:
        raise inner.error("activation", "one with a C expression", name)
    return f"({result})"


def activation_fields(attrs: AttributeReaders, out: Emission) -> tuple[str, str]:
    """The fields of an epilogue for the activation in the attributes, and the function that it calls."""
    name = attrs.text("activation")
    if not name:
        return ".activation = LB_IDENTITY", "0"
    values = get_schema(name).from_numbers(attrs.reals("activation_params"))
    line = clamp_of(name, values)
    if line is not None:
        kind = "LB_GATED" if line.gated else "LB_CLAMP"
        names = ("slope", "offset", "low", "high", "factor")
        numbers = zip(names, (line.slope, line.offset, line.low, line.high, line.factor), strict=True)
        return ", ".join([f".activation = {kind}", *(f".{k} = {number(v)}" for k, v in numbers)]), "0"
    text = expression(name, AttributeReaders(name, values), ["x"])
    if text is None:
        raise attrs.error("activation", "one with a C expression", name)
    out.use(INCLUDE / "scalar.h")
    function = f"lb_act_{name}_{hashlib.sha256(text.encode()).hexdigest()[:6]}"
    out.define(function, f"LB_INLINE float {function}(float x) {{ return {text}; }}")
    return ".activation = LB_FUNCTION", function
