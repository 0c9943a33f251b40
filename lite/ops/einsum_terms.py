"""The equation of einsum."""

from __future__ import annotations

from lite.errors import GraphError


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
