"""Powers in all spellings."""

from __future__ import annotations

from lite.ir.graph import Node, Value
from lite.passes.match import attributes, is_plain_float, scalar

_EXPONENTS = {"reciprocal": -1.0, "rsqrt": -0.5, "sqrt": 0.5, "square": 2.0}

_DEPTH = 3


def power_of(value: Value, x: Value, depth: int = _DEPTH) -> float | None:
    """The exponent p if `value` is the p-th power of `x`, computed by at most `depth` ops; else None.

    By pow, elementwise_pow with a constant of one element, square, sqrt, rsqrt, reciprocal and products.
    """
    if value is x:
        return 1.0
    node = value.producer
    if node is None or not depth or not is_plain_float(x, value):
        return None
    if node.op == "elementwise_mul":
        return _product(node, x, depth - 1)
    exponent = _exponent(node)
    inner = None if exponent is None else power_of(node.input("X"), x, depth - 1)
    if exponent is None or inner is None:
        return None
    # The root of an even power is not the power of a negative number.
    return inner * exponent if inner == 1 or exponent.is_integer() else None


def _exponent(node: Node) -> float | None:
    if node.op == "elementwise_pow":
        y = node.input("Y")
        return scalar(y) if y.data is not None and y.data.ndim <= 1 and node.input("X").shape else None
    if set(node.inputs) != {"X"}:
        return None
    return attributes(node).real("factor") if node.op == "pow" else _EXPONENTS.get(node.op)


def _product(node: Node, x: Value, depth: int) -> float | None:
    attrs = attributes(node)
    if attrs["scale"] != 1 or attrs["bias"] != 0:
        return None
    first, second = (power_of(node.input(slot), x, depth) for slot in ("X", "Y"))
    return None if first is None or second is None else first + second
