"""Elementwise functions of one tensor → Abs, Exp, Ln, Sqrt, Floor, …"""

from __future__ import annotations

from collections.abc import Callable

from lite.bridges.tpu.builder import Builder, Tensor
from lite.bridges.tpu.row import Row
from lite.plugin.device import BridgeOp, bridge

_TABLE: dict[str, Callable[[Builder, Tensor], Tensor]] = {
    "abs": lambda b, x: b.lang.abs(x),
    "ceil": lambda b, x: b.lang.ceil(x),
    "erf": lambda b, x: b.lang.erf(x),
    "exp": lambda b, x: b.lang.exp(x),
    "floor": lambda b, x: b.lang.floor(x),
    "log": lambda b, x: b.lang.ln(x),
    "negative": lambda b, x: b.lang.mul(x, -1.0),
    "reciprocal": lambda b, x: b.lang.div(1.0, x),
    "rsqrt": lambda b, x: b.lang.rsqrt(x),
    "sqrt": lambda b, x: b.lang.sqrt(x),
    "square": lambda b, x: b.lang.mul(x, x),
}


def _row(function: Callable[[Builder, Tensor], Tensor]) -> Row:
    def make(b: Builder, _: BridgeOp, x: Tensor) -> Tensor:
        return function(b, x)

    return Row("X", make)


for _name, _function in _TABLE.items():
    bridge("tpu", _name)(_row(_function))
