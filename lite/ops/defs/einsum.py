"""einsum: products and sums of tensors by the names of their axes."""

from __future__ import annotations

from collections.abc import Sequence

from lite.errors import GraphError
from lite.ir.program import AttrType
from lite.ir.types import Dim, Shape
from lite.ops.rules import broadcast_right
from lite.ops.schema import op, required
from lite.ops.view import Meta, OpView


def terms(equation: str) -> tuple[list[str], str]:
    """The letters of each operand and of the result, with "." for an ellipsis.

    A result that is not written has the letters that stand once, in alphabetical order, behind the
    ellipsis.  Raises `GraphError` for other characters and for letters that no operand has.
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


def _einsum(op: OpView) -> Meta:
    metas = op.all("Operands")
    operands, result = terms(op.text("equation"))
    if len(operands) != len(metas):
        raise op.error("attribute equation", f"{len(metas)} operands", op.text("equation"))
    sizes: dict[str, Dim] = {}
    rest: Shape = ()
    for letters, meta in zip(operands, metas, strict=True):
        dims = _named(op, letters, meta)
        for letter, dim in zip(letters.replace(".", ""), dims[0], strict=True):
            known = sizes.get(letter, 1)
            if isinstance(known, int) and isinstance(dim, int) and known != dim and 1 not in (known, dim):
                raise op.error(f"axis {letter}", f"size {known} in every operand", meta)
            sizes[letter] = dim if known == 1 or not isinstance(known, int) else known
        rest = broadcast_right(op, rest, dims[1])
    shape: list[Dim] = []
    for letter in result:
        shape += rest if letter == "." else [sizes[letter]]
    return Meta(metas[0].dtype, tuple(shape))


def _named(op: OpView, letters: str, meta: Meta) -> tuple[Sequence[Dim], Shape]:
    """The sizes of the named axes in the order of the letters, and those of the ellipsis."""
    before, dots, behind = letters.partition(".")
    free = meta.rank - len(before) - len(behind)
    if free < 0 or (free and not dots):
        raise op.error("slot Operands", f"{len(before) + len(behind)} axes for {letters!r}", meta)
    named = (*meta.dims[: len(before)], *meta.dims[meta.rank - len(behind) :])
    return named, meta.dims[len(before) : len(before) + free]


op(
    "einsum",
    "Operands*:number",
    "Out",
    _einsum,
    attrs={"equation": required(AttrType.STRING)},
)
