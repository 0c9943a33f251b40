"""Products of two tensors over named axes, as products of matrices."""

from __future__ import annotations

from typing import NamedTuple


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
