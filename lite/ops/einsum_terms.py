"""The equation of einsum."""

from __future__ import annotations

import string
from collections.abc import Sequence
from typing import NamedTuple

from lite.errors import GraphError


class ProductAxes(NamedTuple):
    """The letters of the axes of a product: ``[batch, rows, depth]`` by ``[batch, depth, channels]``."""

    batch: str
    rows: str
    depth: str
    channels: str

    @property
    def x(self) -> str:
        """The letters of the first tensor in this order."""
        return self.batch + self.rows + self.depth

    def y(self, *, is_transposed: bool) -> str:
        """The letters of the second tensor in this order, or with its last two parts exchanged."""
        return self.batch + (self.channels + self.depth if is_transposed else self.depth + self.channels)

    @property
    def result(self) -> str:
        """The letters of the result in this order."""
        return self.batch + self.rows + self.channels


def product_axes(x: str, y: str, result: str) -> ProductAxes | None:
    """The axes of a product of two tensors, in their order in the result; None for other equations.

    Others take a diagonal, or sum along an axis of one operand.
    """
    batch = "".join(letter for letter in result if letter in x and letter in y)
    rows = "".join(letter for letter in result if letter in x and letter not in y)
    channels = "".join(letter for letter in result if letter in y and letter not in x)
    depth = "".join(letter for letter in x if letter in y and letter not in result)
    axes = ProductAxes(batch, rows, depth, channels)
    orders = ((axes.x, x), (axes.y(is_transposed=True), y), (axes.result, result))
    return axes if all(sorted(order) == sorted(letters) for order, letters in orders) else None


def expanded(equation: str, ranks: Sequence[int]) -> tuple[list[str], str]:
    """`terms`, with unused letters for the axes of an ellipsis, which operands align at the last one.

    `ranks` are the numbers of axes of the operands; a rank below the number of letters is not checked.
    """
    operands, result = terms(equation)
    spans = [rank - len(each) + 1 if "." in each else 0 for each, rank in zip(operands, ranks, strict=True)]
    unused = [letter for letter in string.ascii_letters if letter not in equation]
    names = "".join(unused[: max(spans, default=0)])
    cut = [each.replace(".", names[len(names) - span :]) for each, span in zip(operands, spans, strict=True)]
    return cut, result.replace(".", names)


def terms(equation: str) -> tuple[list[str], str]:
    """The letters of each operand and of the result, with "." for an ellipsis.

    An equation without "->" has the ellipsis and the letters that occur once, in alphabetical order, as
    result.  Raises `GraphError` for other characters and for letters of the result that no operand has.
    """
    left, arrow, right = equation.replace(" ", "").replace("...", ".").partition("->")
    operands = left.split(",")
    every = "".join(operands)
    if not arrow:
        right = ("." if "." in every else "") + "".join(
            sorted(letter for letter in set(every) - {"."} if every.count(letter) == 1)
        )
    for term in (*operands, right):
        if term.count(".") > 1 or not all(letter.isalpha() or letter == "." for letter in term):
            raise GraphError(f"einsum: attribute equation: expected letters and ..., got {equation!r}")
    if not set(right) <= set(every) or any(right.count(letter) > 1 for letter in right):
        raise GraphError(
            f"einsum: attribute equation: expected each letter of the result in an operand, and once, "
            f"got {equation!r}"
        )
    return operands, right
