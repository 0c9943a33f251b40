"""Ensembles of decision trees, of the domain ai.onnx.ml: all trees go down one level at a time."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence

import numpy as np

from lite.dataclass import dataclass
from lite.ir.program import AttrValue
from lite.ir.types import Array, DType
from lite.model_parser.onnx.block_writer import BlockWriter
from lite.model_parser.onnx.ml_scores import labels_of, transform_of, write_label, write_transformed
from lite.model_parser.onnx.node import OnnxNode
from lite.model_parser.onnx.translations import onnx_op

_COMPARISONS = {
    "BRANCH_LEQ": "less_equal",
    "BRANCH_LT": "less_than",
    "BRANCH_GTE": "greater_equal",
    "BRANCH_GT": "greater_than",
    "BRANCH_EQ": "equal",
    "BRANCH_NEQ": "not_equal",
}
_LEAF = "LEAF"
_DEEPEST = 64
"""The most levels: each becomes a few ops."""


@dataclass(frozen=True)
class _Trees:
    """The nodes of all trees by position; a leaf is its own successor.

    `comparisons` tells for each op which nodes compare by it; `numbers` are by tree and node.
    """

    features: Array
    values: Array
    successors: tuple[Array, Array]
    missing: Array
    comparisons: Mapping[str, Array]
    roots: Array
    levels: int
    numbers: Mapping[tuple[int, int], int]


@onnx_op("ai.onnx.ml.TreeEnsembleRegressor")
def tree_ensemble_regressor(node: OnnxNode, writer: BlockWriter) -> None:
    """The sums, or averages, of the weights of the leaves that a row ends in.

    A base value is added where a leaf has a weight of the target.  The results are transformed where
    there are several targets.
    """
    transform, targets = transform_of(node), node.integer("n_targets", 1)
    aggregate = node.string("aggregate_function", "SUM")
    if aggregate not in ("SUM", "AVERAGE"):
        raise node.error(f"aggregate_function: expected SUM or AVERAGE, got {aggregate}")
    trees = _trees(node)
    weights = _weights(node, trees, "target", targets)
    if aggregate == "AVERAGE":
        weights = weights / np.float32(len(trees.roots))
    leaves = _leaves(node, writer, trees)
    scores, base = _sums(node, writer, leaves, weights), _base(node, writer)
    if base is not None:
        voted = _voted(node, writer, trees, leaves, _votes(node, trees, "target", targets))
        base = base if voted is None else writer.binary("elementwise_mul", voted, base)
        scores = writer.binary("elementwise_add", scores, base)
    write_transformed(writer, scores, "NONE" if targets == 1 else transform, node.output())


@onnx_op("ai.onnx.ml.TreeEnsembleClassifier")
def tree_ensemble_classifier(node: OnnxNode, writer: BlockWriter) -> None:
    """The label of the highest score, and the scores after the transformation.

    Of two classes, as in ONNX Runtime, the second wins above 0.5 if no weight is negative, else above 0.  If
    all weights are of class 0, they are the second's score, and the first's follows from it.  Of more
    classes, those without a weight in the leaves are no candidates, unless there are base values.
    """
    labels, transform = labels_of(node, "classlabels_int64s"), transform_of(node)
    ids, is_positive = set(_integers(node, "class_ids")), min(node.reals("class_weights") or [0.0]) >= 0
    is_single = len(labels) == 2 and len(ids) == 1
    if is_single and ids != {0}:
        raise node.error("class_ids: of two classes, weights of the second only are not supported")
    trees = _trees(node)
    leaves, columns = _leaves(node, writer, trees), 1 if is_single else len(labels)
    scores, base = _sums(node, writer, leaves, _weights(node, trees, "class", columns)), _base(node, writer)
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
    candidates = scores
    if len(labels) > 2 and base is None:
        voted = _voted(node, writer, trees, leaves, _votes(node, trees, "class", columns))
        candidates = scores if voted is None else _where_voted(writer, voted, scores)
    _emit_label(node, writer, candidates, labels, 0.5 if is_positive else 0.0)
    if node.optional_output(1) is not None:
        write_transformed(writer, scores, transform, node.output(1))


def _emit_label(
    node: OnnxNode, writer: BlockWriter, scores: str, labels: list[int] | list[str], threshold: float
) -> None:
    if len(labels) > 2:
        best = writer.unary("arg_max", scores, {"axis": -1})
    else:
        second = writer.new_name(scores)
        attrs: dict[str, AttrValue] = {"axes": [1], "starts": [1], "ends": [2], "decrease_axis": [1]}
        writer.emit("slice", {"Input": scores}, {"Out": second}, attrs)
        limit = writer.weight(np.asarray(threshold, np.float32), node.output())
        best = writer.cast(writer.binary("greater_than", second, limit), DType.INT64)
    write_label(node, writer, best, labels)


def _trees(node: OnnxNode) -> _Trees:
    keys = list(zip(_integers(node, "nodes_treeids"), _integers(node, "nodes_nodeids"), strict=False))
    numbers = {key: n for n, key in enumerate(keys)}
    modes = node.strings("nodes_modes") or []
    values = np.asarray(node.reals("nodes_values") or [], np.float32)
    features = np.asarray(_integers(node, "nodes_featureids"), np.int64)
    after = [_integers(node, f"nodes_{which}nodeids") for which in ("true", "false")]
    lengths = {len(keys), len(modes), len(values), len(features), *map(len, after)}
    if len(lengths) != 1 or not keys or len(numbers) != len(keys):
        raise node.error(f"nodes_*: expected lists of one length and different nodes, got lengths {lengths}")
    used = sorted({mode for mode in modes if mode != _LEAF}) or ["BRANCH_LEQ"]
    if not _COMPARISONS.keys() >= set(used):
        raise node.error(f"nodes_modes: expected {', '.join(_COMPARISONS)}, got {', '.join(used)}")
    is_leaf = [mode == _LEAF for mode in modes]
    successors = tuple(
        np.asarray(
            [n if leaf else numbers.get((key[0], to), -1) for n, (key, leaf, to) in _rows(keys, is_leaf, ids)]
        )
        for ids in after
    )
    if min(int(part.min()) for part in successors) < 0:
        raise node.error("nodes_truenodeids, nodes_falsenodeids: a node that does not exist")
    missing = _integers(node, "nodes_missing_value_tracks_true") or [0] * len(keys)
    inner = [n for n, leaf in enumerate(is_leaf) if not leaf]
    reached = {int(part[n]) for part in successors for n in inner}
    roots = np.asarray([n for n in range(len(keys)) if n not in reached], np.int64)
    if sorted(keys[n][0] for n in roots) != sorted({tree for tree, _ in keys}) or np.any(features[inner] < 0):
        raise node.error("nodes_*: expected one root in each tree, and features from 0")
    return _Trees(
        np.where(is_leaf, 0, features),
        values,
        (successors[0], successors[1]),
        np.asarray(missing, bool),
        {_COMPARISONS[mode]: np.asarray([each == mode for each in modes]) for mode in used},
        roots,
        _levels(node, successors, roots),
        numbers,
    )


def _rows(
    keys: Sequence[tuple[int, int]], leaves: Sequence[bool], ids: Sequence[int]
) -> list[tuple[int, tuple[tuple[int, int], bool, int]]]:
    return list(enumerate(zip(keys, leaves, ids, strict=True)))


def _levels(node: OnnxNode, successors: Sequence[Array], roots: Array) -> int:
    """The number of steps after which every row is at a leaf; at least one."""
    places = np.unique(roots)
    for level in range(_DEEPEST):
        following = np.unique(np.concatenate([part[places] for part in successors]))
        if np.array_equal(following, places):
            return max(level, 1)
        places = following
    raise node.error(f"nodes_*: expected trees of at most {_DEEPEST} levels, got a deeper one or a circle")


def _weights(node: OnnxNode, trees: _Trees, kind: str, columns: int) -> Array:
    """The weights of each node and each target or class."""
    table = np.zeros((len(trees.values), columns), np.float32)
    keys = zip(_integers(node, f"{kind}_treeids"), _integers(node, f"{kind}_nodeids"), strict=False)
    numbers = node.reals(f"{kind}_weights") or []
    for key, column, weight in zip(keys, _integers(node, f"{kind}_ids"), numbers, strict=False):
        if key not in trees.numbers or not 0 <= column < columns:
            raise node.error(f"{kind}_ids: no node {key}, or no column {column} of {columns}")
        table[trees.numbers[key], column] += np.float32(weight)
    return table


def _votes(node: OnnxNode, trees: _Trees, kind: str, columns: int) -> Array:
    """Whether each node has a weight of each target or class, as 0 and 1."""
    table = np.zeros((len(trees.values), columns), np.float32)
    keys = zip(_integers(node, f"{kind}_treeids"), _integers(node, f"{kind}_nodeids"), strict=False)
    for key, column in zip(keys, _integers(node, f"{kind}_ids"), strict=False):
        table[trees.numbers[key], column] = 1
    return table


def _voted(node: OnnxNode, writer: BlockWriter, trees: _Trees, leaves: str, votes: Array) -> str | None:
    """Where a leaf of a row has a weight of a column, 1, else 0; None where one always has."""
    is_leaf = trees.successors[0] == np.arange(len(trees.values))
    tree_of = np.asarray([tree for tree, _ in trees.numbers])
    always = [votes[is_leaf & (tree_of == tree)].min(axis=0) for tree in np.unique(tree_of)]
    if np.all(np.max(always, axis=0)):
        return None
    found = writer.new_name(leaves)
    table = writer.weight(votes, node.output())
    writer.emit("take", {"X": table, "Index": leaves}, {"Out": found}, {"axis": 0})
    return writer.unary("reduce_max", found, {"dim": [1]})


def _where_voted(writer: BlockWriter, voted: str, scores: str) -> str:
    """The scores, and the least float where there was no vote."""
    least = writer.unary("fill_any_like", scores, {"value": float(np.finfo(np.float32).min)})
    out = writer.new_name(scores)
    condition = writer.cast(voted, DType.BOOL)
    writer.emit("where", {"Condition": condition, "X": scores, "Y": least}, {"Out": out})
    return out


def _base(node: OnnxNode, writer: BlockWriter) -> str | None:
    values = node.reals("base_values")
    return writer.weight(np.asarray(values, np.float32), node.output()) if values else None


def _sums(node: OnnxNode, writer: BlockWriter, leaves: str, weights: Array) -> str:
    found = writer.new_name(leaves)
    table = writer.weight(weights, node.output())
    writer.emit("take", {"X": table, "Index": leaves}, {"Out": found}, {"axis": 0})
    return writer.unary("reduce_sum", found, {"dim": [1]})


def _leaves(node: OnnxNode, writer: BlockWriter, trees: _Trees) -> str:
    """The leaf of each row in each tree, ``[rows, trees]``."""

    def constant(array: Array) -> str:
        return writer.weight(array, node.output())

    def taken(table: str, index: str, axis: int) -> str:
        out = writer.new_name(table)
        writer.emit("take", {"X": table, "Index": index}, {"Out": out}, {"axis": axis})
        return out

    def compared(read: str, value: str, place: str) -> str:
        results = []
        for op, is_used in trees.comparisons.items():
            result = writer.binary(op, read, value)
            if len(trees.comparisons) > 1:
                result = writer.binary("logical_and", result, taken(constant(is_used), place, 0))
            results.append(result)
        return functools.reduce(lambda a, b: writer.binary("logical_or", a, b), results)

    x = writer.cast(node.input(0), DType.FLOAT32)
    features, values = constant(trees.features), constant(trees.values)
    successors = [constant(part) for part in trees.successors]
    missing = constant(trees.missing) if trees.missing.any() else None
    place = constant(trees.roots)
    for level in range(trees.levels):
        feature = taken(features, place, 0)
        if level:
            read = writer.new_name(x)
            writer.emit("take_along_axis", {"Input": x, "Index": feature}, {"Result": read}, {"Axis": 1})
        else:
            read = taken(x, feature, 1)
        goes = compared(read, taken(values, place, 0), place)
        if missing is not None:
            absent = writer.binary("logical_and", writer.unary("isnan_v2", read), taken(missing, place, 0))
            goes = writer.binary("logical_or", goes, absent)
        following = writer.new_name(x)
        yes, no = (taken(part, place, 0) for part in successors)
        writer.emit("where", {"Condition": goes, "X": yes, "Y": no}, {"Out": following})
        place = following
    return place


def _integers(node: OnnxNode, name: str) -> list[int]:
    return list(node.integers(name) or [])
