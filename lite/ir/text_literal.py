"""Reads attributes and the elements of constants from the text of a graph."""

from __future__ import annotations

from typing import NoReturn

import numpy as np

from lite.ir.program import AttrValue, Scalar
from lite.ir.text_scan import Scanner, Token
from lite.ir.types import Array, DType

_WORDS: dict[str, bool | float] = {
    "true": True,
    "false": False,
    "inf": float("inf"),
    "nan": float("nan"),
}

_EXACT = {dtype for dtype in DType if dtype.is_integer} | {DType.BOOL, DType.STRING}


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


def elements(scanner: Scanner, dtype: DType, shape: tuple[int, ...]) -> Array:
    """An array from the list of its elements in row-major order."""
    start = scanner.token
    if not scanner.at("["):
        scanner.fail("expected the elements of the constant, its key or random(seed)")
    items = attribute(scanner)
    count = int(np.prod(shape))
    if not isinstance(items, list) or len(items) != count:
        scanner.fail(f"expected {count} elements", start)
    try:
        flat = np.array(items, dtype=np.float64 if dtype.is_float else dtype.numpy)
    except (TypeError, ValueError, OverflowError) as error:
        _not_elements(scanner, dtype, start, str(error))
    array = flat.astype(dtype.numpy).reshape(shape)
    if dtype in _EXACT and array.reshape(-1).tolist() != items:
        _not_elements(scanner, dtype, start, f"{array.reshape(-1).tolist()} would be others")
    return array


def random_array(dtype: DType, shape: tuple[int, ...], seed: int) -> Array:
    """The array of ``random(seed)``."""
    generator = np.random.default_rng(seed)
    if dtype.is_integer:
        low = 0 if dtype.label.startswith("u") else -100
        return generator.integers(low, 100, shape).astype(dtype.numpy)
    if dtype is DType.BOOL:
        return generator.integers(0, 2, shape).astype(bool)
    return np.asarray(generator.standard_normal(shape)).astype(dtype.numpy)


def integer(scanner: Scanner, what: str) -> int:
    """A whole number."""
    token = scanner.take("number", what=what)
    if not token.text.lstrip("-").isdigit():
        scanner.fail("expected a whole number", token)
    return int(token.text)


def _single(scanner: Scanner) -> Scalar | str:
    token = scanner.take("number", "string", "word", what="the value of an attribute")
    if token.kind == "string":
        return scanner.unquote(token)
    if token.kind == "number":
        return int(token.text) if token.text.lstrip("-").isdigit() else float(token.text)
    if token.text in _WORDS:
        return _WORDS[token.text]
    if token.text != "complex":
        scanner.fail("expected true, false, a number, a string or a list of them", token)
    scanner.expect("(")
    real = _part(scanner)
    scanner.expect(",")
    imaginary = _part(scanner)
    scanner.expect(")")
    return complex(real, imaginary)


def _part(scanner: Scanner) -> float:
    token = scanner.token
    found = _single(scanner)
    if isinstance(found, int | float):
        return float(found)
    scanner.fail("expected a number", token)


def _not_elements(scanner: Scanner, dtype: DType, start: Token, why: str) -> NoReturn:
    scanner.fail(f"these are not elements of {dtype}: {why}", start)
