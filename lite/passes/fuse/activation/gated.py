"""Products ``x · gate(x) · number``, in any order and association."""

from __future__ import annotations

from collections.abc import Iterator

from lite.dataclass import dataclass
from lite.ir.graph import Node, Value
from lite.passes.fuse.elementwise.affine import affine, multiples
from lite.passes.match import attributes, is_plain_float


@dataclass(frozen=True)
class Gated:
    """The node that ends a product: ``factor · x · gate``."""

    node: Node
    factor: float


def products_with(gate: Value, x: Value) -> Iterator[Gated]:
    """Each node after `gate` that multiplied it by `x` once, and otherwise by numbers only.

    Only the next node reads each value before that node.
    """
    value, factor, multiplied = gate, 1.0, False
    while (node := value.only_user) is not None and is_plain_float(value, *node.all_outputs()):
        found = affine(node)
        if found is not None and found.is_product and found.x is value:
            factor *= found.factor
        elif node.op == "elementwise_mul" and not multiplied:
            other = node.input("Y") if node.input("X") is value else node.input("X")
            multiple = next((number for source, number in multiples(other) if source is x), None)
            attrs = attributes(node)
            if multiple is None or attrs["bias"] != 0 or not is_plain_float(x):
                return
            factor *= multiple * attrs.real("scale")
            multiplied = True
        else:
            return
        value = node.output("Out")
        if multiplied:
            yield Gated(node, factor)
