"""tree_ensemble with constant trees."""

from __future__ import annotations

import numpy as np

from lite.ir.types import DType
from lite.kernels.cpu.native.function import FREE, Function
from lite.plugin.kernel import Array, KernelFunction, PrepareContext, kernel
from lite.plugin.kernel.launches import only_launches
from lite.plugin.kernel.run_context import PER_ELEMENT

_SUMS = {DType.FLOAT32: Function("trees.sum_single"), DType.FLOAT64: Function("trees.sum_double")}
_TABLES = ("Features", "Limits", "Successors", "Modes", "Roots", "Weights")

_MEMBER = 6
"""The mode of nodes that ask for members, which are left to the host."""


def tree_ensemble(ctx: PrepareContext) -> KernelFunction | None:
    """The sums of the weights of the leaves that each row reaches, and the leaves.

    None, for the host, for an empty X, other aggregates than SUM, nodes that ask for members, and for tables
    that are computed or name nodes or features that do not exist.
    """
    found = {slot: ctx.constant(slot) for slot in _TABLES}
    tables = {slot: array for slot, array in found.items() if array is not None}
    if len(tables) != len(_TABLES) or ctx.attrs.text("aggregate") != "SUM":
        return None
    [x] = ctx.inputs["X"]
    rows, features = x.sizes
    if rows == 0 or not _are_sound(tables, features):
        return None
    nodes = ctx.shared("nodes", lambda: _packed(tables))
    roots, weights, levels = tables["Roots"], tables["Weights"], ctx.attrs.integer("levels")
    columns, trees, keeps = weights.shape[1], len(roots), bool(ctx.outputs.get("Leaves"))
    sums = _SUMS[x.dtype].bind(
        FREE, nodes, tables["Limits"], roots, weights, FREE, FREE if keeps else None, features, trees,
        columns, levels, _mode(tables), int(keeps), len(nodes), count=rows,
        cost=4 * PER_ELEMENT * rows * trees * levels,
    )  # fmt: skip
    dtype = x.dtype.numpy

    def run(X: Array, *, out: tuple[Array | None, ...] | None = None) -> tuple[Array, Array | None]:
        buffers = (*(out or ()), None, None)
        total = np.empty((rows, columns), dtype) if buffers[0] is None else buffers[0]
        if not keeps:
            sums(X, total)
            return total, None
        leaves = np.empty((rows, trees), np.int64) if buffers[1] is None else buffers[1]
        sums(X, total, leaves)
        return total, leaves

    return only_launches(run)


def _are_sound(tables: dict[str, Array], features: int) -> bool:
    """Whether the compiled function may index by the tables."""
    count = len(tables["Features"])
    if not 0 < count < 1 << 31 or any(len(tables[slot]) != count for slot in _TABLES if slot != "Roots"):
        return False
    if tables["Successors"].shape != (count, 2) or not np.all(tables["Modes"] & 7 < _MEMBER):
        return False
    ends = (("Modes", 16), ("Features", features), ("Successors", count), ("Roots", count))
    return all(
        array.size and 0 <= array.min() <= array.max() < end for slot, end in ends for array in [tables[slot]]
    )


def _packed(tables: dict[str, Array]) -> Array:
    """Two words a node, as `compiled.trees` reads them."""
    successors = tables["Successors"]
    first = tables["Features"] << 4 | tables["Modes"]
    return np.stack([first, successors[:, 0] << 32 | successors[:, 1]], axis=1)


def _mode(tables: dict[str, Array]) -> int:
    """The comparison of all nodes that are no leaves, or `MIXED`."""
    from lite.kernels.cpu.lengths.trees import MIXED

    own = np.arange(len(tables["Features"]))[:, None]
    modes = tables["Modes"][np.any(tables["Successors"] != own, axis=1)] & 7
    return int(modes[0]) if modes.size and np.all(modes == modes[0]) else MIXED


for _dtype in _SUMS:
    kernel("tree_ensemble", "cpu", dtype=_dtype, slots=("X",), packs=(*_TABLES, "Members"), fallback="host")(
        tree_ensemble
    )
