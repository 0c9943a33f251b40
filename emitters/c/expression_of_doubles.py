"""C expressions of elementwise ops on float64."""

from __future__ import annotations

import math
from collections.abc import Sequence

from lite.ir.attributes import AttributeReaders

_FORMS = {
    "elementwise_add": "{0} + {1}",
    "elementwise_sub": "{0} - {1}",
    "elementwise_mul": "{0} * {1}",
    "elementwise_div": "{0} / {1}",
    "elementwise_max": "({0} > {1} ? {0} : {1})",
    "elementwise_min": "({0} < {1} ? {0} : {1})",
    "elementwise_pow": "pow({0}, {1})",
    "fmod": "fmod({0}, {1})",
    "atan2": "atan2({0}, {1})",
    "abs": "fabs({0})",
    "negative": "-{0}",
    "reciprocal": "1.0 / {0}",
    "rsqrt": "1.0 / sqrt({0})",
    "sign": "(double)(({0} > 0.0) - ({0} < 0.0))",
    "square": "{0} * {0}",
    "relu": "({0} > 0.0 ? {0} : 0.0)",
    "sigmoid": "1.0 / (1.0 + exp(-{0}))",
}
_FUNCTIONS = (
    *("acos", "acosh", "asin", "asinh", "atan", "atanh", "ceil", "cos", "cosh", "erf", "exp", "expm1"),
    *(
        "floor",
        "log",
        "log10",
        "log1p",
        "log2",
        "rint",
        "round",
        "sin",
        "sinh",
        "sqrt",
        "tan",
        "tanh",
        "trunc",
    ),
)


def double(value: float) -> str:
    """A float64 as a C constant."""
    if math.isnan(value):
        return "(double)NAN"
    if math.isinf(value):
        return "(double)INFINITY" if value > 0 else "-(double)INFINITY"
    return repr(value)


def of_doubles(op: str, attrs: AttributeReaders, x: Sequence[str]) -> str | None:
    """The expression of an op; None for an op without one."""
    if op in _FUNCTIONS:
        return f"{op}({x[0]})"
    if op == "elementwise_mul" and (attrs.real("scale"), attrs.real("bias")) != (1.0, 0.0):
        return None
    if op in _FORMS:
        return _FORMS[op].format(*x)
    if op == "scale" and not attrs.text("activation"):
        if (attrs.real("scale1"), attrs.real("bias1")) != (1.0, 0.0):
            return None
        scale, bias = double(attrs.real("scale")), double(attrs.real("bias"))
        after = attrs.flag("bias_after_scale")
        return f"{scale} * {x[0]} + {bias}" if after else f"{scale} * ({x[0]} + {bias})"
    if op == "clip":
        low, high = double(attrs.real("min")), double(attrs.real("max"))
        return f"({x[0]} < {low} ? {low} : {x[0]} > {high} ? {high} : {x[0]})"
    return None
