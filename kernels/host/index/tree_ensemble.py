"""tree_ensemble: all rows go down all trees one level at a time."""

from __future__ import annotations

import numpy as np

from lite.plugin.kernel import Array, kernel

_COMPARISONS = (np.less_equal, np.less, np.greater_equal, np.greater, np.equal, np.not_equal)
"""Of a feature and the limit of a node, by the node's mode."""

_MEMBER = 6
"""The mode of nodes that ask whether a feature is one of their members."""

_NAN_TO_FIRST = 8
"""Added to the mode of a node where NaN goes to its first successor."""


@kernel("tree_ensemble")
def tree_ensemble(
    X: Array,
    Features: Array,
    Limits: Array,
    Successors: Array,
    Modes: Array,
    Roots: Array,
    Weights: Array,
    Members: Array | None = None,
    *,
    levels: int,
    aggregate: str,
) -> tuple[Array, Array]:
    """ONNX TreeEnsemble, without its transformation.

    X[rows, features], and one element or row a node in Features, Limits, Successors (the first where the
    comparison holds, and the second; a leaf's are itself), Modes, Weights[nodes, columns] and Members, whose
    rows NaN fills → Out[rows, columns], and the nodes reached, Leaves[rows, trees], after `levels` steps.

    A mode is the number of a comparison, 0 to 6: <=, <, >=, >, ==, != and the membership; with 8 added, NaN
    goes to the first successor.
    """
    row = np.arange(len(X))[:, None]
    place = np.broadcast_to(Roots, (len(X), len(Roots)))
    used = np.unique(Modes & ~_NAN_TO_FIRST)
    for _ in range(levels):
        read, mode = X[row, Features[place]], Modes[place]
        goes = np.zeros(place.shape, bool)
        for kind in used.tolist():
            if kind == _MEMBER:
                holds = np.any(read[..., None] == Members[place], axis=-1)  # type: ignore[index]
            else:
                holds = _COMPARISONS[kind](read, Limits[place])
            goes |= holds & (mode & ~_NAN_TO_FIRST == kind)
        goes |= np.isnan(read) & (mode & _NAN_TO_FIRST != 0)
        place = np.where(goes, Successors[place, 0], Successors[place, 1])
    return _aggregated(Weights, place, aggregate), place


def _aggregated(weights: Array, leaves: Array, aggregate: str) -> Array:
    """The sums, or least or largest numbers, of the rows of `weights` at the leaves of each row's trees."""
    combine = {"SUM": np.add, "MIN": np.minimum, "MAX": np.maximum}[aggregate]
    start = {"SUM": 0.0, "MIN": np.inf, "MAX": -np.inf}[aggregate]
    out = np.full((len(leaves), weights.shape[1]), start, weights.dtype)
    for tree in leaves.T:
        combine(out, weights[tree], out=out)
    return out
