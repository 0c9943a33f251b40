"""Reads the terms of a graph's text: attributes, elements of constants, types, shapes and places."""

from __future__ import annotations

from typing import NoReturn

import numpy as np

from lite.errors import GraphError
from lite.ir.graph import Quant, Rounding, Value
from lite.ir.program import AttrValue, Scalar, VarKind
from lite.ir.text_scan import Scanner, Token
from lite.ir.types import UNKNOWN, Array, Dim, DType, Layout, Place, Shape

_LITERALS: dict[str, bool | float] = {
    "true": True,
    "false": False,
    "inf": float("inf"),
    "nan": float("nan"),
}
_EXACT = {dtype for dtype in DType if dtype.is_integer} | {DType.BOOL, DType.STRING}
"""Types whose elements must be written without rounding."""
_KINDS = {kind.name.lower(): kind for kind in VarKind}


def attribute(scanner: Scanner) -> AttrValue:
    """The value of an attribute."""
    if not scanner.skip("["):
        return _single(scanner)
    items: list[Scalar | str] = []
    while not scanner.skip("]"):
        if items:
            scanner.expect(",")
        items.append(_single(scanner))
    return items  # type: ignore[return-value]


def integer(scanner: Scanner, what: str) -> int:
    """An integer; `what` names it in messages."""
    token = scanner.take("number", what=what)
    if not token.text.lstrip("-").isdigit():
        scanner.fail("expected an integer", token)
    return int(token.text)


def _single(scanner: Scanner) -> Scalar | str:
    token = scanner.take("number", "string", "word", what="the value of an attribute")
    if token.kind == "string":
        return scanner.unquote(token)
    if token.kind == "number":
        return int(token.text) if token.text.lstrip("-").isdigit() else float(token.text)
    if token.text in _LITERALS:
        return _LITERALS[token.text]
    if token.text != "complex":
        scanner.fail("expected true, false, a number, a string or a list of them", token)
    scanner.expect("(")
    real = _real(scanner)
    scanner.expect(",")
    imaginary = _real(scanner)
    scanner.expect(")")
    return complex(real, imaginary)


def _real(scanner: Scanner) -> float:
    token = scanner.token
    number = _single(scanner)
    if isinstance(number, int | float):
        return float(number)
    scanner.fail("expected a number", token)


def elements(scanner: Scanner, kind: DType, sizes: tuple[int, ...]) -> Array:
    """The array of a constant from the list of its elements in row-major order."""
    start = scanner.token
    if not scanner.at("["):
        scanner.fail("expected the elements of the constant, its key or random(seed)")
    items = attribute(scanner)
    count = int(np.prod(sizes))
    if not isinstance(items, list) or len(items) != count:
        scanner.fail(f"expected {count} elements", start)
    try:
        flat = np.array(items, dtype=np.float64 if kind.is_float else kind.numpy)
    except (TypeError, ValueError, OverflowError) as error:
        _not_elements(scanner, kind, start, str(error))
    array = flat.astype(kind.numpy).reshape(sizes)
    if kind in _EXACT and array.reshape(-1).tolist() != items:
        _not_elements(scanner, kind, start, f"they would become {array.reshape(-1).tolist()}")
    return array


def _not_elements(scanner: Scanner, kind: DType, start: Token, why: str) -> NoReturn:
    scanner.fail(f"these are not elements of {kind}: {why}", start)


def random_array(kind: DType, sizes: tuple[int, ...], seed: int) -> Array:
    """The array of ``random(seed)``."""
    generator = np.random.default_rng(seed)
    if kind.is_integer:
        low = 0 if kind.label.startswith("u") else -100
        return generator.integers(low, 100, sizes).astype(kind.numpy)
    if kind is DType.BOOL:
        return generator.integers(0, 2, sizes).astype(bool)
    return np.asarray(generator.standard_normal(sizes)).astype(kind.numpy)


def read_type(scanner: Scanner, value: Value) -> None:
    """Read a type and give it to a value."""
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


def _dim(scanner: Scanner) -> Dim:
    if scanner.skip(UNKNOWN):
        return UNKNOWN
    if scanner.token.kind == "number":
        return integer(scanner, "a size")
    return scanner.name("a size, a symbol or ?")


def place(scanner: Scanner) -> Place:
    """A place, without the ``@`` before it."""
    target = scanner.name("a target")
    scanner.expect("/")
    kind = None if scanner.skip("any") else dtype(scanner)
    scanner.expect("/")
    token = scanner.take("word", what="a layout")
    layouts = {str(layout): layout for layout in Layout}
    if token.text not in layouts:
        scanner.fail(f"expected one of {', '.join(layouts)}", token)
    return Place(target, kind, layouts[token.text])


def _quant(scanner: Scanner) -> Quant:
    scanner.expect("(")
    scales = _numbers(scanner)
    scanner.expect(",")
    zeros = _numbers(scanner)
    scanner.expect(",")
    axis = integer(scanner, "an axis")
    scanner.expect(",")
    storage = dtype(scanner)
    rounding = _rounding(scanner) if scanner.skip(",") else Rounding.AFFINE
    scanner.expect(")")
    zero_points = tuple(int(zero) for zero in zeros)
    return Quant(tuple(float(scale) for scale in scales), zero_points, axis, storage, rounding)


def _rounding(scanner: Scanner) -> Rounding:
    token = scanner.take("word", what="a rounding")
    known = {rounding.value: rounding for rounding in Rounding}
    if token.text not in known:
        scanner.fail(f"expected one of {', '.join(known)}", token)
    return known[token.text]


def _numbers(scanner: Scanner) -> list[float]:
    start = scanner.token
    items = attribute(scanner)
    if not isinstance(items, list):
        scanner.fail("expected a list of numbers", start)
    numbers = [item for item in items if isinstance(item, int | float)]
    if len(numbers) != len(items):
        scanner.fail("expected a list of numbers", start)
    return numbers
