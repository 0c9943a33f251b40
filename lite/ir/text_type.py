"""Reads types, shapes and places from the text of a graph."""

from __future__ import annotations

from lite.errors import GraphError
from lite.ir.graph import Quant, Value
from lite.ir.program import VarKind
from lite.ir.text_literal import attribute, integer
from lite.ir.text_scan import Scanner
from lite.ir.types import UNKNOWN, Dim, DType, Layout, Place, Shape

_KINDS = {kind.name.lower(): kind for kind in VarKind}


def read_type(scanner: Scanner, value: Value) -> None:
    """Give a value the type that follows in the text."""
    if scanner.token.text in _KINDS and not scanner.ahead("["):
        value.kind = _KINDS[scanner.name("a kind")]
    value.dtype = None if scanner.skip(UNKNOWN) else dtype(scanner)
    value.shape = shape(scanner)
    if scanner.skip("lod"):
        value.lod_level = integer(scanner, "a level")
    if scanner.skip("quant"):
        value.quant = _quant(scanner)
    if scanner.skip("@"):
        value.place = place(scanner)


def dtype(scanner: Scanner) -> DType:
    """An element type."""
    token = scanner.take("word", what="an element type")
    try:
        return DType.from_name(token.text)
    except GraphError as error:
        scanner.fail(str(error), token)


def shape(scanner: Scanner) -> Shape | None:
    """A shape; None for ``[*]``."""
    scanner.expect("[")
    if scanner.skip("*"):
        scanner.expect("]")
        return None
    dims: list[Dim] = []
    while not scanner.skip("]"):
        if dims:
            scanner.expect(",")
        dims.append(_dim(scanner))
    return tuple(dims)


def place(scanner: Scanner) -> Place:
    """A place, behind its ``@``."""
    target = scanner.name("a target")
    scanner.expect("/")
    kind = None if scanner.skip("any") else dtype(scanner)
    scanner.expect("/")
    token = scanner.take("word", what="a layout")
    layouts = {str(layout): layout for layout in Layout}
    if token.text not in layouts:
        scanner.fail(f"expected one of {', '.join(layouts)}", token)
    return Place(target, kind, layouts[token.text])


def _dim(scanner: Scanner) -> Dim:
    if scanner.skip(UNKNOWN):
        return UNKNOWN
    if scanner.token.kind == "number":
        return integer(scanner, "a size")
    return scanner.name("a size, a symbol or ?")


def _quant(scanner: Scanner) -> Quant:
    scanner.expect("(")
    scales = _numbers(scanner)
    scanner.expect(",")
    zeros = _numbers(scanner)
    scanner.expect(",")
    axis = integer(scanner, "an axis")
    scanner.expect(",")
    storage = dtype(scanner)
    scanner.expect(")")
    return Quant(tuple(float(scale) for scale in scales), tuple(int(zero) for zero in zeros), axis, storage)


def _numbers(scanner: Scanner) -> list[float]:
    start = scanner.token
    found = attribute(scanner)
    if not isinstance(found, list):
        scanner.fail("expected a list of numbers", start)
    numbers = [item for item in found if isinstance(item, int | float)]
    if len(numbers) != len(found):
        scanner.fail("expected a list of numbers", start)
    return numbers
