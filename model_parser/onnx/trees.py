"""Ensembles of decision trees as op tree_ensemble."""

from __future__ import annotations

from typing import Literal

import numpy as np

from lite.dataclass import dataclass
from lite.ir.types import Array
from lite.model_parser.onnx.block_writer import BlockWriter
from lite.model_parser.onnx.node import OnnxNode

_DEEPEST = 4096
"""The most levels of a tree."""

COMPARISONS = ("LEQ", "LT", "GTE", "GT", "EQ", "NEQ", "MEMBER")
"""By the mode of a node: how a feature compares with the node's limit; the last, with its members."""

NAN_TO_FIRST = 8
"""Added to the mode of a node where NaN goes to the first successor."""

Aggregate = Literal["SUM", "MIN", "MAX"]


@dataclass(frozen=True)
class Trees:
    """The nodes of all trees by position; a leaf is both of its successors.

    `successors` is ``[nodes, 2]``.  `members` are the values of nodes that compare with several, in rows of
    one length filled with NaN.
    """

    features: Array
    limits: Array
    successors: Array
    modes: Array
    roots: Array
    levels: int
    members: Array | None = None


def levels_of(node: OnnxNode, successors: Array, roots: Array) -> int:
    """The number of steps after which every row is at a leaf; at least one."""
    places = np.unique(roots)
    for level in range(_DEEPEST + 1):
        following = np.unique(successors[places])
        if np.array_equal(following, places):
            return max(level, 1)
        places = following
    raise node.error(f"nodes_*: expected trees of at most {_DEEPEST} levels, got a deeper one or a circle")


def write_ensemble(
    node: OnnxNode,
    writer: BlockWriter,
    trees: Trees,
    x: str,
    weights: Array,
    aggregate: Aggregate = "SUM",
    leaves: str | None = None,
) -> str:
    """The aggregate of the rows of `weights`, ``[nodes, columns]``, at the leaves of each row of `x`.

    The leaves, int64[rows, trees], become `leaves`.
    """
    tables = {
        "Features": trees.features,
        "Limits": trees.limits,
        "Successors": trees.successors,
        "Modes": trees.modes,
        "Roots": trees.roots,
        "Weights": weights,
    }
    if trees.members is not None:
        tables["Members"] = trees.members
    inputs = {slot: writer.weight(array, node.output()) for slot, array in tables.items()}
    out = writer.new_name(x)
    attrs = {"levels": trees.levels, "aggregate": aggregate}
    writer.emit("tree_ensemble", {"X": x, **inputs}, {"Out": out, "Leaves": leaves}, attrs)
    return out
