"""TreeEnsemble of the domain ai.onnx.ml, opset 5, which replaces the regressor and the classifier."""

from __future__ import annotations

import numpy as np

from lite.ir.program import AttrValue
from lite.ir.types import Array
from lite.model_parser.onnx.block_writer import BlockWriter
from lite.model_parser.onnx.node import OnnxNode
from lite.model_parser.onnx.translations import onnx_op
from lite.model_parser.onnx.trees import (
    COMPARISONS,
    NAN_TO_FIRST,
    Aggregate,
    Trees,
    levels_of,
    write_ensemble,
)

_AVERAGE, _SUM = 0, 1
_AGGREGATES: tuple[Aggregate, ...] = ("SUM", "SUM", "MIN", "MAX")
"""By the number in aggregate_function."""

_TRANSFORMS = ("assign", "softmax", "sigmoid")
"""By the number in post_transform."""


@onnx_op("ai.onnx.ml.TreeEnsemble")
def tree_ensemble(node: OnnxNode, writer: BlockWriter) -> None:
    """The aggregate of the weights of the leaves that a row ends in."""
    aggregate, transform = node.integer("aggregate_function", _SUM), node.integer("post_transform", 0)
    if not 0 <= aggregate < len(_AGGREGATES):
        raise node.error(
            f"aggregate_function: expected 0 (average), 1 (sum), 2 (min), 3 (max), got {aggregate}"
        )
    if not 0 <= transform < len(_TRANSFORMS):
        raise node.error(f"post_transform: expected 0 (none), 1 (softmax) or 2 (logistic), got {transform}")
    x = node.input(0)
    dtype = writer.dtype(x).numpy
    trees, leaves = _trees(node, dtype)
    weights, targets = node.tensor("leaf_weights"), _integers(node, "leaf_targetids")
    columns = node.integer("n_targets", 1)
    if weights is None or not len(weights) == len(targets) == leaves:
        raise node.error(f"leaf_weights, leaf_targetids: expected {leaves} of each")
    if min(targets) < 0 or max(targets) >= columns:
        raise node.error(f"leaf_targetids: expected 0 to {columns - 1}")
    if columns > 1 and _AGGREGATES[aggregate] != "SUM":
        raise node.error("n_targets: the least or largest weight of several targets is not supported")
    table = np.zeros((len(trees.features), columns), dtype)
    table[np.arange(len(table) - leaves, len(table)), targets] = weights
    if aggregate == _AVERAGE:
        table /= len(trees.roots)
    sums = write_ensemble(node, writer, trees, x, table, _AGGREGATES[aggregate])
    attrs: dict[str, AttrValue] = {"axis": -1} if _TRANSFORMS[transform] == "softmax" else {}
    writer.unary(_TRANSFORMS[transform], sums, attrs, node.output())


def _trees(node: OnnxNode, dtype: np.dtype[np.generic]) -> tuple[Trees, int]:
    """The trees, with the leaves after the inner nodes, and the number of leaves."""
    modes, splits = node.tensor("nodes_modes"), node.tensor("nodes_splits")
    features = _integers(node, "nodes_featureids")
    count, leaves = len(features), len(_integers(node, "leaf_targetids"))
    successors = [_successors(node, which, count) for which in ("true", "false")]
    if modes is None or splits is None or not len(modes) == len(splits) == count or count == 0:
        raise node.error("nodes_*: expected lists of one length, with one node or more")
    roots = np.asarray(_integers(node, "tree_roots"), np.int64)
    total = count + leaves
    for what, places, end in (
        ("tree_roots", roots, count),
        ("nodes_trueleafs, nodes_truenodeids", successors[0], total),
        ("nodes_falseleafs, nodes_falsenodeids", successors[1], total),
        ("nodes_modes", modes, len(COMPARISONS)),
        ("nodes_featureids", np.asarray(features), np.iinfo(np.int64).max),
    ):
        if places.size and not 0 <= places.min() <= places.max() < end:
            raise node.error(f"{what}: expected numbers from 0 to {end - 1}")
    itself = np.arange(count, total)
    following = np.stack([np.concatenate([part, itself]) for part in successors], axis=1)
    # A root whose successors are one leaf is a tree of that leaf alone, which needs no care here.
    tracks = np.asarray(_integers(node, "nodes_missing_value_tracks_true") or [0] * count, bool)
    if len(tracks) != count:
        raise node.error(f"nodes_missing_value_tracks_true: expected {count}, got {len(tracks)}")
    trees = Trees(
        _padded(np.asarray(features, np.int64), leaves),
        _padded(splits.astype(dtype), leaves),
        following,
        _padded(modes.astype(np.int64) + NAN_TO_FIRST * tracks, leaves),
        roots,
        levels_of(node, following, roots),
        _members(node, modes, leaves, dtype),
    )
    return trees, leaves


def _successors(node: OnnxNode, which: str, count: int) -> Array:
    """The positions of the nodes that follow on one side, of which leaves come after all inner nodes."""
    places = np.asarray(_integers(node, f"nodes_{which}nodeids"), np.int64)
    is_leaf = np.asarray(_integers(node, f"nodes_{which}leafs"), bool)
    if not len(places) == len(is_leaf) == count:
        raise node.error(f"nodes_{which}nodeids, nodes_{which}leafs: expected {count} of each")
    if places.size and places.min() < 0:
        raise node.error(f"nodes_{which}nodeids: expected numbers from 0")
    if np.any(places[~is_leaf] >= count):
        raise node.error(f"nodes_{which}nodeids: a node that does not exist")
    return np.where(is_leaf, places + count, places)


def _members(node: OnnxNode, modes: Array, leaves: int, dtype: np.dtype[np.generic]) -> Array | None:
    """The values of the nodes that ask for members, in rows that are filled with NaN."""
    values = node.tensor("membership_values")
    askers = np.flatnonzero(modes == COMPARISONS.index("MEMBER"))
    if values is None:
        values = np.zeros(0, dtype)
    ends = np.flatnonzero(np.isnan(values))
    if len(ends) != len(askers):
        raise node.error(
            f"membership_values: expected a NaN at the end of the values of each of {len(askers)} nodes, "
            f"got {len(ends)}"
        )
    if not len(askers):
        return None
    parts = np.split(values, ends + 1)[: len(askers)]
    table = np.full((len(modes) + leaves, max(map(len, parts))), np.nan, dtype)
    for asker, part in zip(askers, parts, strict=True):
        table[asker, : len(part)] = part
    return table


def _padded(array: Array, leaves: int) -> Array:
    return np.concatenate([array, np.zeros(leaves, array.dtype)])


def _integers(node: OnnxNode, name: str) -> list[int]:
    return node.integers(name) or []
