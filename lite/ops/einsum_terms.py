"""The equation of einsum."""

from __future__ import annotations

import string
from collections.abc import Sequence

from lite.errors import GraphError


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
