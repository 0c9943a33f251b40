"""Nodes that multiply by a number and add a number, in all spellings."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from lite.dataclass import dataclass
from lite.ir.graph import Node, Value
from lite.passes.match import attributes, is_plain_float, scalar

_STEPS = 4
"""The number of products in sequence that are followed; scales_fuse_pass merges longer sequences."""


@dataclass(frozen=True)
class Affine:
    """``factor · x + shift``."""

    x: Value
    factor: float
    shift: float = 0.0

    @property
    def is_product(self) -> bool:
        """Whether the shift is 0."""
        return self.shift == 0


def affine(node: Node) -> Affine | None:
    """Factor and shift of a node that computes ``factor · x + shift`` of one input; None for other nodes.

    Such nodes are scale without an activation, and the sum, difference, product or quotient of a tensor and
    a constant of one element that changes neither shape nor dtype.  Nodes of integers and of quantised
    values are not: they round between the steps.
    """
    found = _scale(node) if node.op == "scale" else _elementwise(node)
    if found is None or not is_plain_float(found.x, node.output("Out")):
        return None
    return found if fits(found.x, found.factor, found.shift) else None


def fits(value: Value, *numbers: float) -> bool:
    """Whether the numbers are finite in the value's type, and not so small that they become 0."""
    if value.dtype is None:
        return False
    with np.errstate(over="ignore", under="ignore"):
        stored = np.array(numbers, np.float64).astype(value.dtype.numpy).astype(np.float64)
    return bool(np.isfinite(stored).all()) and all(
        s != 0 or n == 0 for s, n in zip(stored, numbers, strict=True)
    )


def affine_producer(value: Value) -> Affine | None:
    """`affine` of the value's producer, if the value has one reader."""
    return None if value.producer is None or value.only_user is None else affine(value.producer)


def factor_producer(value: Value) -> Node | None:
    """The scale that multiplies by a number alone to make `value`, if the value has one reader."""
    found, node = affine_producer(value), value.producer
    if found is None or not found.is_product or node is None or node.op != "scale":
        return None
    return node


def scaled_by(factor: Node, source: Value, *, before: Node) -> Value:
    """Multiply `source`, in a node before another one, as a `factor_producer` multiplies."""
    scaled = before.graph.new_value(factor.output("Out").name, like=source)
    before.graph.add_node("scale", {"X": [source]}, {"Out": [scaled]}, dict(factor.attrs), before=before)
    return scaled


def multiples(value: Value) -> Iterator[tuple[Value, float]]:
    """Each value of which `value` is a multiple, a few steps back, with the factor; first itself, with 1."""
    factor = 1.0
    yield value, factor
    for _ in range(_STEPS):
        found = None if value.producer is None else affine(value.producer)
        if found is None or not found.is_product:
            return
        value, factor = found.x, factor * found.factor
        yield value, factor


def _scale(node: Node) -> Affine | None:
    attrs = attributes(node)
    if set(node.inputs) != {"X"} or attrs["activation"]:
        return None
    scale, bias, scale1, bias1 = (attrs.real(name) for name in ("scale", "bias", "scale1", "bias1"))
    shift = bias if attrs["bias_after_scale"] else scale * bias
    return Affine(node.input("X"), scale * scale1, shift * scale1 + bias1)


def _elementwise(node: Node) -> Affine | None:
    rule = _RULES.get(node.op)
    if rule is None:
        return None
    x, y = node.input("X"), node.input("Y")
    tensor, constant = (x, y) if y.is_constant else (y, x)
    number = scalar(constant)
    if number is None or tensor.dtype != constant.dtype or not _keeps_shape(tensor, constant):
        return None
    # The result has the LoD of X.
    if constant is x and tensor.lod_level:
        return None
    return rule(node, tensor, number)


def _keeps_shape(tensor: Value, constant: Value) -> bool:
    rank = 0 if tensor.shape is None else len(tensor.shape)
    return constant.data is not None and constant.data.ndim <= rank


def _add(_: Node, tensor: Value, number: float) -> Affine:
    return Affine(tensor, 1.0, number)


def _subtract(node: Node, tensor: Value, number: float) -> Affine:
    return Affine(tensor, 1.0, -number) if node.input("X") is tensor else Affine(tensor, -1.0, number)


def _multiply(node: Node, tensor: Value, number: float) -> Affine:
    attrs = attributes(node)
    return Affine(tensor, number * attrs.real("scale"), attrs.real("bias"))


def _divide(node: Node, tensor: Value, number: float) -> Affine | None:
    return Affine(tensor, 1 / number) if number and node.input("X") is tensor else None


_RULES: dict[str, Callable[[Node, Value, float], Affine | None]] = {
    "elementwise_add": _add,
    "elementwise_div": _divide,
    "elementwise_mul": _multiply,
    "elementwise_sub": _subtract,
}
