"""Lengths for decision trees."""

from __future__ import annotations

from collections.abc import Sequence

MIXED = 7
"""Stands for the modes of nodes that do not all compare in the same way."""

NAN_TO_FIRST = 8
"""The bit of a node's first word that sends NaN to the first successor."""

ROWS = 64
"""Rows that go down a tree one after the other."""


def sums(
    x: None, nodes: None, limits: None, roots: None, weights: None, out: None, leaves: None, features: int,
    trees: int, columns: int, levels: int, mode: int, keeps: int, size: int, count: int,
) -> Sequence[int]:  # fmt: skip
    """`compiled.trees.sum_single` and `sum_double`."""
    reached = keeps * count * trees
    return count * features, 2 * size, size, trees, size * columns, count * columns, reached
