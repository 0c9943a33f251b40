"""Functions that pnnx leaves as aten operators, as expressions of its language."""

from __future__ import annotations

import math

from lite.model_parser.pnnx.call import Call
from lite.model_parser.pnnx.expression import lower, parse
from lite.model_parser.pnnx.translations import pnnx_op
from lite.model_parser.pnnx.value import Value

_LN_2, _DEGREE = math.log(2), math.pi / 180

_FORMULAS = {
    "addcdiv": "add(@0,mul(@3,div(@1,@2)))",
    "addcmul": "add(@0,mul(@3,mul(@1,@2)))",
    "deg2rad": f"mul(@0,{_DEGREE!r})",
    "erfc": "sub(1.0,erf(@0))",
    "exp2": "pow(2.0,@0)",
    "frac": "sub(@0,trunc(@0))",
    "hypot": "sqrt(add(square(@0),square(@1)))",
    "lerp": "add(@0,mul(@2,sub(@1,@0)))",
    "logaddexp2": f"div(logaddexp(mul(@0,{_LN_2!r}),mul(@1,{_LN_2!r})),{_LN_2!r})",
    "rad2deg": f"div(@0,{_DEGREE!r})",
    "rsub": "sub(@1,mul(@2,@0))",
    "sgn": "sign(@0)",
}
"""Function → its formula of the operands ``@0``, ``@1`` and so on, in the order of torch's schema."""

_NAMES = {
    f"{prefix}{name}": formula for prefix in ("aten::", "torch.") for name, formula in _FORMULAS.items()
}


@pnnx_op(*_NAMES)
def formula(call: Call) -> Value:
    """The formula of the table."""
    return lower(parse(_NAMES[call.type]), call.inputs, call.writer)
