"""Powers, however they are spelled."""

from __future__ import annotations

from lite.ir.graph import Value
from lite.passes.match import attributes, is_plain_float, scalar


def power_of(value: Value, x: Value) -> float | None:
    """The exponent p where `value` is the p-th power of `x`; None for other values.

    By pow, elementwise_pow with a constant of one element, square, sqrt, rsqrt, reciprocal and products.
    """
    base, exponent = _root(value)
    if base is x:
        return exponent
    node = value.producer
    if node is None or node.op != "elementwise_mul" or not is_plain_float(*node.all_inputs()):
        return None
    attrs = attributes(node)
    powers = [_root(factor) for factor in (node.input("X"), node.input("Y"))]
    if attrs["scale"] != 1 or attrs["bias"] != 0 or any(found is not x for found, _ in powers):
        nested = [(x, 1.0) if factor is x else _square(factor) for factor in (node.input("X"), node.input("Y"))]
        if attrs["scale"] != 1 or attrs["bias"] != 0 or any(found is not x for found, _ in nested):
            return None
        powers = nested
    return sum(exponent for _, exponent in powers)
