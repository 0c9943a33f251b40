"""Ensembles of decision trees of the domain ai.onnx.ml, opset 1 to 3."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lite.ir.program import AttrValue
from lite.ir.types import Array, DType
from lite.model_parser.onnx.block_writer import BlockWriter
from lite.model_parser.onnx.ml_scores import labels_of, transform_of, write_label, write_transformed
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

_MODES = {f"BRANCH_{name}": number for number, name in enumerate(COMPARISONS[:-1])}
_LEAF = "LEAF"

_AGGREGATES: dict[str, Aggregate] = {"SUM": "SUM", "AVERAGE": "SUM", "MIN": "MIN", "MAX": "MAX"}

Numbers = dict[tuple[int, int], int]
"""The position of each node, by the ids of its tree and of itself."""


@onnx_op("ai.onnx.ml.TreeEnsembleRegressor")
def tree_ensemble_regressor(node: OnnxNode, writer: BlockWriter) -> None:
    """The aggregate of the weights of the leaves that a row ends in.

    A base value is added where a leaf has a weight of the target.  Several targets are transformed.
    """
    transform, targets = transform_of(node), node.integer("n_targets", 1)
    x, base = _real(node, writer), _base(node, writer)
    scores, voted = _scores(node, writer, x, "target", targets, needs_votes=base is not None)
    if base is not None:
        base = base if voted is None else writer.binary("elementwise_mul", voted, base)
        scores = writer.binary("elementwise_add", scores, base)
    scores = writer.cast(scores, DType.FLOAT32)
    write_transformed(writer, scores, "NONE" if targets == 1 else transform, node.output())


@onnx_op("ai.onnx.ml.TreeEnsembleClassifier")
def tree_ensemble_classifier(node: OnnxNode, writer: BlockWriter) -> None:
    """The label of the highest score, and the scores after the transformation.

    Of two classes, as in ONNX Runtime, the second wins above 0.5 if no weight is negative, else above 0.  If
    all weights are of class 0, they are the second's score, and the first's follows from it.  Of more
    classes, those without a weight in the leaves are no candidates, unless there are base values.
    """
    labels, transform = labels_of(node, "classlabels_int64s"), transform_of(node)
    x, base = _real(node, writer), _base(node, writer)
    ids = set(_integers(node, "class_ids"))
    weights = _reals(node, "class_weights", writer.dtype(x).numpy)
    is_positive = not weights.size or weights.min() >= 0
    is_single = len(labels) == 2 and len(ids) == 1
    if is_single and ids != {0}:
        raise node.error("class_ids: of two classes, weights of the second only are not supported")
    columns, needs_votes = 1 if is_single else len(labels), len(labels) > 2 and base is None
    scores, voted = _scores(node, writer, x, "class", columns, needs_votes=needs_votes)
    if base is not None:
        scores = writer.binary("elementwise_add", scores, base)
    if is_single:
        if transform == "SOFTMAX":
            transform = "NONE"
        is_probability = is_positive and transform == "NONE"
        first = writer.unary("scale", scores, {"scale": -1.0, "bias": float(is_probability)})
        pair = writer.new_name(scores)
        writer.emit("concat", {"X": [first, scores]}, {"Out": pair}, {"axis": 1})
        scores = pair
    candidates = scores if voted is None else _where_voted(writer, voted, scores)
    _emit_label(node, writer, candidates, labels, 0.5 if is_positive else 0.0)
    if node.optional_output(1) is not None:
        write_transformed(writer, writer.cast(scores, DType.FLOAT32), transform, node.output(1))


def _emit_label(
    node: OnnxNode, writer: BlockWriter, scores: str, labels: list[int] | list[str], threshold: float
) -> None:
    if len(labels) > 2:
        best = writer.unary("arg_max", scores, {"axis": -1})
    else:
        second = writer.new_name(scores)
        attrs: dict[str, AttrValue] = {"axes": [1], "starts": [1], "ends": [2], "decrease_axis": [1]}
        writer.emit("slice", {"Input": scores}, {"Out": second}, attrs)
        limit = writer.weight(np.asarray(threshold, writer.dtype(scores).numpy), node.output())
        best = writer.cast(writer.binary("greater_than", second, limit), DType.INT64)
    write_label(node, writer, best, labels)


def _scores(
    node: OnnxNode, writer: BlockWriter, x: str, kind: str, columns: int, *, needs_votes: bool
) -> tuple[str, str | None]:
    """The aggregates of the leaves' weights, ``[rows, columns]``, and where a leaf has one, as 1 and 0.

    The second is None where `needs_votes` is false, and where one leaf of each row has all weights.
    """
    dtype = writer.dtype(x).numpy
    trees, numbers = _trees(node, dtype)
    name = node.string("aggregate_function", "SUM")
    if name not in _AGGREGATES:
        raise node.error(f"aggregate_function: expected {', '.join(_AGGREGATES)}, got {name}")
    weights = _weights(node, numbers, kind, columns, dtype)
    votes = _votes(node, numbers, kind, columns, dtype)
    if name == "AVERAGE":
        weights = weights / dtype.type(len(trees.roots))
    if name in ("MIN", "MAX"):
        is_leaf = trees.successors[:, 0] == np.arange(len(votes))
        if not votes[is_leaf].all():
            raise node.error(f"{kind}_ids: {name} of leaves without a weight is not supported")
    leaves = writer.new_name(x) if needs_votes and not _always_voted(trees, numbers, votes) else None
    scores = write_ensemble(node, writer, trees, x, weights, _AGGREGATES[name], leaves)
    if leaves is None:
        return scores, None
    taken = writer.new_name(scores)
    table = writer.weight(votes, node.output())
    writer.emit("take", {"X": table, "Index": leaves}, {"Out": taken}, {"axis": 0})
    return scores, writer.unary("reduce_max", taken, {"dim": [1]})


def _trees(node: OnnxNode, dtype: np.dtype[np.generic]) -> tuple[Trees, Numbers]:
    keys = list(zip(_integers(node, "nodes_treeids"), _integers(node, "nodes_nodeids"), strict=False))
    numbers = {key: n for n, key in enumerate(keys)}
    modes, limits = node.strings("nodes_modes") or [], _reals(node, "nodes_values", dtype)
    features = np.asarray(_integers(node, "nodes_featureids"), np.int64)
    after = [_integers(node, f"nodes_{which}nodeids") for which in ("true", "false")]
    missing = _integers(node, "nodes_missing_value_tracks_true") or [0] * len(keys)
    lengths = {len(keys), len(modes), len(limits), len(features), len(missing), *map(len, after)}
    if len(lengths) != 1 or not keys or len(numbers) != len(keys):
        raise node.error(f"nodes_*: expected lists of one length and different nodes, got lengths {lengths}")
    unknown = set(modes) - {*_MODES, _LEAF}
    if unknown:
        raise node.error(f"nodes_modes: expected {_LEAF}, {', '.join(_MODES)}, got {', '.join(unknown)}")
    is_leaf = np.asarray([mode == _LEAF for mode in modes])
    successors = np.stack([_successors(keys, numbers, is_leaf, ids) for ids in after], axis=1)
    if successors.min() < 0:
        raise node.error("nodes_truenodeids, nodes_falsenodeids: a node that does not exist")
    inner = np.flatnonzero(~is_leaf)
    roots = np.setdiff1d(np.arange(len(keys)), successors[inner])
    if sorted(keys[n][0] for n in roots) != sorted({tree for tree, _ in keys}) or np.any(features[inner] < 0):
        raise node.error("nodes_*: expected one root in each tree, and features from 0")
    trees = Trees(
        np.where(is_leaf, 0, features),
        limits,
        successors,
        np.asarray([_MODES.get(mode, 0) for mode in modes]) + NAN_TO_FIRST * np.asarray(missing, bool),
        roots,
        levels_of(node, successors, roots),
    )
    return trees, numbers


def _successors(
    keys: Sequence[tuple[int, int]], numbers: Numbers, is_leaf: Array, ids: Sequence[int]
) -> Array:
    """The positions of the nodes with these ids in the trees of `keys`, -1 for none; a leaf's own one."""
    places = [numbers.get((tree, to), -1) for (tree, _), to in zip(keys, ids, strict=True)]
    return np.where(is_leaf, np.arange(len(keys)), np.asarray(places, np.int64))


def _weights(node: OnnxNode, places: Numbers, kind: str, columns: int, dtype: np.dtype[np.generic]) -> Array:
    """The weights of each node and each target or class."""
    table = np.zeros((len(places), columns), dtype)
    keys = zip(_integers(node, f"{kind}_treeids"), _integers(node, f"{kind}_nodeids"), strict=False)
    numbers = _reals(node, f"{kind}_weights", dtype)
    for key, column, weight in zip(keys, _integers(node, f"{kind}_ids"), numbers, strict=False):
        if key not in places or not 0 <= column < columns:
            raise node.error(f"{kind}_ids: no node {key}, or no column {column} of {columns}")
        table[places[key], column] += weight
    return table


def _votes(node: OnnxNode, places: Numbers, kind: str, columns: int, dtype: np.dtype[np.generic]) -> Array:
    """Whether each node has a weight of each target or class, as 0 and 1."""
    table = np.zeros((len(places), columns), dtype)
    keys = zip(_integers(node, f"{kind}_treeids"), _integers(node, f"{kind}_nodeids"), strict=False)
    for key, column in zip(keys, _integers(node, f"{kind}_ids"), strict=False):
        table[places[key], column] = 1
    return table


def _always_voted(trees: Trees, numbers: Numbers, votes: Array) -> bool:
    """Whether each column has a weight in every leaf of some tree."""
    is_leaf = trees.successors[:, 0] == np.arange(len(votes))
    tree_of = np.asarray([tree for tree, _ in numbers])
    order = np.argsort(tree_of[is_leaf], kind="stable")
    _, starts = np.unique(tree_of[is_leaf][order], return_index=True)
    always = np.minimum.reduceat(votes[is_leaf][order], starts, axis=0)
    return bool(np.all(always.max(axis=0)))


def _where_voted(writer: BlockWriter, voted: str, scores: str) -> str:
    """The scores, and the least float where there was no vote."""
    least = writer.unary("fill_any_like", scores, {"value": float(np.finfo(np.float32).min)})
    out = writer.new_name(scores)
    condition = writer.cast(voted, DType.BOOL)
    writer.emit("where", {"Condition": condition, "X": scores, "Y": least}, {"Out": out})
    return out


def _real(node: OnnxNode, writer: BlockWriter) -> str:
    """The input in the type that the trees compute in: float64, or float32 for every other type."""
    x = node.input(0)
    return x if writer.dtype(x) is DType.FLOAT64 else writer.cast(x, DType.FLOAT32)


def _base(node: OnnxNode, writer: BlockWriter) -> str | None:
    dtype = writer.dtype(node.input(0))
    values = _reals(node, "base_values", dtype.numpy if dtype is DType.FLOAT64 else np.dtype(np.float32))
    return writer.weight(values, node.output()) if values.size else None


def _reals(node: OnnxNode, name: str, dtype: np.dtype[np.generic]) -> Array:
    """A list of numbers, which float64 models have as a tensor."""
    tensor = node.tensor(f"{name}_as_tensor")
    return np.asarray(node.reals(name) or [] if tensor is None else tensor.ravel(), dtype)


def _integers(node: OnnxNode, name: str) -> list[int]:
    return list(node.integers(name) or [])
