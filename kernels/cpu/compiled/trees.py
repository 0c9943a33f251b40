"""Decision trees: the leaves that rows reach, and the sums of their weights."""

from __future__ import annotations

from typing import Any

from lite.kernels.cpu.compiled.jit.decorators import inlined, inner
from lite.kernels.cpu.compiled.jit.entry import entry
from lite.kernels.cpu.lengths.trees import MIXED, NAN_TO_FIRST, ROWS


@inlined
def _next(x: Any, start: int, node: int, nodes: Any, limits: Any, mode: int) -> Any:
    """The successor of a node for the row of `x` at `start`; `MIXED` stands for the mode of the node."""
    word, limit = nodes[2 * node], limits[node]
    value = x[start + (word >> 4)]
    if mode == MIXED:
        mode = word & 7
    if mode == 0:
        goes = value <= limit
    elif mode == 1:
        goes = value < limit
    elif mode == 2:
        goes = value >= limit
    elif mode == 3:
        goes = value > limit
    elif mode == 4:
        goes = value == limit
    else:
        goes = value != limit
    goes |= (value != value) & ((word & NAN_TO_FIRST) != 0)
    return (nodes[2 * node + 1] >> (int(goes) << 5)) & 0xFFFFFFFF


@inlined
def _leaves(
    x: Any, starts: Any, roots: Any, nodes: Any, limits: Any, levels: int, mode: int
) -> tuple[int, int, int, int]:
    """The leaves of four pairs of a row and a tree, whose steps do not wait for each other."""
    a, b, c, d = roots
    for _ in range(levels):
        e = _next(x, starts[0], a, nodes, limits, mode)
        f = _next(x, starts[1], b, nodes, limits, mode)
        g = _next(x, starts[2], c, nodes, limits, mode)
        h = _next(x, starts[3], d, nodes, limits, mode)
        is_done = (a == e) & (b == f) & (c == g) & (d == h)
        a, b, c, d = e, f, g, h
        if is_done:
            break
    return a, b, c, d


@inner
def _leaves_by_mode(
    x: Any, starts: Any, roots: Any, nodes: Any, limits: Any, levels: int, mode: int
) -> tuple[int, int, int, int]:
    """`_leaves`, compiled for each of the usual modes."""
    if mode == 0:
        return _leaves(x, starts, roots, nodes, limits, levels, 0)
    if mode == 1:
        return _leaves(x, starts, roots, nodes, limits, levels, 1)
    return _leaves(x, starts, roots, nodes, limits, levels, MIXED)


@inlined
def _add(
    weights: Any, leaf: int, out: Any, leaves: Any, row: int, tree: int, trees: int, columns: int, keeps: int
) -> None:
    """Add the weights of a leaf to the sums of a row, and with `keeps`, note the leaf."""
    if keeps:
        leaves[row * trees + tree] = leaf
    for column in range(columns):
        out[row * columns + column] += weights[leaf * columns + column]


@inner
def _sum_rows(
    x: Any, nodes: Any, limits: Any, roots: Any, weights: Any, out: Any, leaves: Any, features: int,
    trees: int, columns: int, levels: int, mode: int, keeps: int, begin: int, end: int,
) -> None:  # fmt: skip
    """For blocks of rows, tree by tree, so that a tree stays in the cache: four rows of a tree at a time.

    Of the rows that are left, four trees of a row.
    """
    for first in range(begin, end, ROWS):
        last = min(first + ROWS, end)
        whole = last - (last - first) % 4
        for n in range(first * columns, last * columns):
            out[n] = 0.0
        for tree in range(trees):
            same = (roots[tree], roots[tree], roots[tree], roots[tree])
            for row in range(first, whole, 4):
                at = row * features
                starts = (at, at + features, at + 2 * features, at + 3 * features)
                found = _leaves_by_mode(x, starts, same, nodes, limits, levels, mode)
                for n in range(4):
                    _add(weights, found[n], out, leaves, row + n, tree, trees, columns, keeps)
        for row in range(whole, last):
            at = row * features
            for tree in range(0, trees, 4):
                last_tree = trees - 1
                some = (
                    roots[tree],
                    roots[min(tree + 1, last_tree)],
                    roots[min(tree + 2, last_tree)],
                    roots[min(tree + 3, last_tree)],
                )
                found = _leaves_by_mode(x, (at, at, at, at), some, nodes, limits, levels, mode)
                for n in range(min(4, trees - tree)):
                    _add(weights, found[n], out, leaves, row, tree + n, trees, columns, keeps)


@entry("r", "n", "r", "n", "r", "w", "m", "i", "i", "i", "i", "i", "i", "i")
def sum_single(
    x: Any, nodes: Any, limits: Any, roots: Any, weights: Any, out: Any, leaves: Any, features: int,
    trees: int, columns: int, levels: int, mode: int, keeps: int, size: int, begin: int, end: int,
) -> None:  # fmt: skip
    """The sums ``out[rows, columns]`` of the weights of the leaves of rows `begin` to `end`, of float32.

    Each of `size` nodes has two words: its feature, `NAN_TO_FIRST` and its mode; and its first and second
    successor, 32 bits each, the first in the higher ones.  `mode` is that of all nodes that are no leaves, or
    `MIXED`.  With `keeps`, the leaves are written to ``leaves[rows, trees]``.
    """
    _sum_rows(
        x, nodes, limits, roots, weights, out, leaves, features, trees, columns, levels, mode, keeps,
        begin, end,
    )  # fmt: skip


@entry("e", "n", "e", "n", "e", "d", "m", "i", "i", "i", "i", "i", "i", "i")
def sum_double(
    x: Any, nodes: Any, limits: Any, roots: Any, weights: Any, out: Any, leaves: Any, features: int,
    trees: int, columns: int, levels: int, mode: int, keeps: int, size: int, begin: int, end: int,
) -> None:  # fmt: skip
    """`sum_single` of float64."""
    _sum_rows(
        x, nodes, limits, roots, weights, out, leaves, features, trees, columns, levels, mode, keeps,
        begin, end,
    )  # fmt: skip
