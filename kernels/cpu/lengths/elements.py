"""Lengths, in bytes, of operands of any element type."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from lite.kernels.cpu.element_types import BYTES
from lite.kernels.cpu.lengths.index import FAILURES
from lite.plugin.kernel import Array


def combine(
    x: None, y: None, out: None, x_places: Array, y_places: Array, operation: int, x_kind: int, y_kind: int,
    out_kind: int, count: int,
) -> Sequence[int]:  # fmt: skip
    """`compiled.elements.combine`."""
    return (
        _reach(x_places) * BYTES[x_kind], _reach(y_places) * BYTES[y_kind], count * BYTES[out_kind], count,
        count,
    )  # fmt: skip


def convert(x: None, out: None, x_kind: int, out_kind: int, count: int) -> Sequence[int]:
    """`compiled.elements.convert`."""
    return count * BYTES[x_kind], count * BYTES[out_kind]


def converted(x_bytes: int, out_bytes: int) -> Callable[..., Sequence[int]]:
    """The lengths of a loop from one tensor to another, by the bytes of an element of each."""

    def lengths(x: None, out: None, count: int) -> Sequence[int]:
        return count * x_bytes, count * out_bytes

    return lengths


def combined(x: None, y: None, out: None, count: int) -> Sequence[int]:
    """The loops of two tensors of `compiled.logical`."""
    return count, count, count


def reduce(
    x: None, out: None, places: Array, terms: int, operation: int, x_kind: int, out_kind: int, count: int
) -> Sequence[int]:
    """`compiled.elements.reduce`."""
    return _reach(places) * BYTES[x_kind], count * BYTES[out_kind], count * terms


def running_sums(
    x: None, out: None, axis: int, columns: int, is_exclusive: int, is_reverse: int, kind: int, count: int
) -> Sequence[int]:
    """`compiled.elements.running_sums`."""
    return (-(-count // columns) * axis * columns * BYTES[kind],) * 2


def choose(
    condition: None, x: None, y: None, out: None, places: Array, x_places: Array, y_places: Array, size: int,
    count: int,
) -> Sequence[int]:  # fmt: skip
    """`compiled.elements.choose`."""
    return (
        _reach(places), _reach(x_places) * size, _reach(y_places) * size, count * size, count, count, count,
    )  # fmt: skip


def select(
    mask: None, first: None, second: None, out: None, failures: None, kind: int, size: int, count: int
) -> Sequence[int]:
    """`compiled.elements.select`."""
    return BYTES[kind], size, size, size, FAILURES


def take(
    x: None, index: None, out: None, failures: None, kind: int, size: int, indices: int, lowest: int,
    width: int, count: int,
) -> Sequence[int]:  # fmt: skip
    """`compiled.elements.take`."""
    outer = -(-count // max(indices, 1))
    return outer * size * width, min(indices, count) * BYTES[kind], count * width, FAILURES


def take_along(
    x: None, index: None, out: None, failures: None, kind: int, size: int, indices: int, inner: int,
    width: int, count: int,
) -> Sequence[int]:  # fmt: skip
    """`compiled.elements.take_along`."""
    outer = -(-count // max(indices * inner, 1))
    return outer * size * inner * width, count * BYTES[kind], count * width, FAILURES


def _reach(places: Array) -> int:
    """The elements of an operand that places read."""
    return int(places.max()) + 1 if places.size else 0
