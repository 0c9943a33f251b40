"""Formulas that OpenVINO takes for gelu's, although their numbers are others.

OpenVINO 2026.4 replaces x · 0.5 · (1 + tanh(√(2/π) · (x + 0.044715 x³))) by Gelu, and accepts numbers that
differ by up to 0.01.
"""

from __future__ import annotations

import math

from lite.ir.graph import Node, Value

_OUTER, _INNER = math.sqrt(2 / math.pi), 0.044715
_REACH, _EXACT = 0.0101, 1e-5
_PRODUCTS = ("scale", "elementwise_mul", "elementwise_div")


def why_not_tanh(node: Node) -> str | None:
    """Why OpenVINO would compute another function from this tanh on; None where it would not."""
    outer = _product(node.input("X"))
    if outer is None or abs(outer[1] - _OUTER) > _REACH:
        return None
    numbers = [(outer[1], _OUTER)]
    total = outer[0].producer
    if total is not None and total.op == "elementwise_add":
        inner = (_product(value) for value in total.all_inputs())
        numbers += [(found[1], _INNER) for found in inner if found is not None]
    for number, expected in numbers:
        if _EXACT < abs(number - expected) <= _REACH:
            return f"OpenVINO would take its input's factor {number:.6g} for {expected:.6g}, gelu's"
    return None


def _product(value: Value) -> tuple[Value, float] | None:
    """What is multiplied by a number to give a value, and the number."""
    node = value.producer
    if node is None or node.op not in _PRODUCTS:
        return None
    if node.op == "scale":
        return node.input("X"), _real(node.attrs.get("scale", 1.0))
    for slot, other in (("Y", "X"), ("X", "Y")):
        data = node.input(slot).data
        if data is not None and data.size == 1 and (slot == "Y" or node.op == "elementwise_mul"):
            number = float(data.reshape(-1)[0])
            if node.op == "elementwise_div":
                number = 1 / number if number else math.inf
            return node.input(other), number
    return None


def _real(number: object) -> float:
    return float(number) if isinstance(number, (int, float)) else math.nan
