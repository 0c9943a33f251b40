"""Ensembles of decision trees as ops: all trees go down one level at a time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from lite.dataclass import dataclass
from lite.ir.types import Array
from lite.model_parser.onnx.block_writer import BlockWriter
from lite.model_parser.onnx.node import OnnxNode

_DEEPEST = 64
"""The most levels: each becomes a few ops."""

MEMBER = "member"
"""The comparison of a node that asks whether a feature is one of some values."""


@dataclass(frozen=True)
class Trees:
    """The nodes of all trees by position; a leaf is its own successor.

    `comparisons` has for each op that compares (a feature with the node's value), and for `MEMBER`, the nodes
    that use it, as a mask; `members` the values of these nodes, in rows of one length filled with NaN.  A
    feature that is NaN goes to the first successor where `missing` says so.
    """

    features: Array
    values: Array
    successors: tuple[Array, Array]
    missing: Array
    comparisons: Mapping[str, Array]
    roots: Array
    levels: int
    members: Array | None = None


def levels_of(node: OnnxNode, successors: Sequence[Array], roots: Array) -> int:
    """The number of steps after which every row is at a leaf; at least one."""
    places = np.unique(roots)
    for level in range(_DEEPEST):
        following = np.unique(np.concatenate([part[places] for part in successors]))
        if np.array_equal(following, places):
            return max(level, 1)
        places = following
    raise node.error(f"nodes_*: expected trees of at most {_DEEPEST} levels, got a deeper one or a circle")


def values_at(node: OnnxNode, writer: BlockWriter, leaves: str, table: Array) -> str:
    """The rows of `table` (nodes x columns) at leaves int64[rows, trees]: ``[rows, trees, columns]``."""
    return _taken(writer, writer.weight(table, node.output()), leaves, 0)


def sums_at(node: OnnxNode, writer: BlockWriter, leaves: str, weights: Array) -> str:
    """Sums over the trees of the rows of `weights` (nodes x columns) at leaves: ``[rows, columns]``."""
    return writer.unary("reduce_sum", values_at(node, writer, leaves, weights), {"dim": [1]})


def leaves_of(node: OnnxNode, writer: BlockWriter, trees: Trees, x: str) -> str:
    """The leaf of each tree that each row of `x` reaches, int64[rows, trees]."""

    def constant(array: Array) -> str:
        return writer.weight(array, node.output())

    features = constant(trees.features)
    successors = [constant(part) for part in trees.successors]
    missing = constant(trees.missing) if trees.missing.any() else None
    choose = _Comparison(node, writer, trees)
    place = constant(trees.roots)
    for level in range(trees.levels):
        feature = _taken(writer, features, place, 0)
        if level:
            read = writer.new_name(x)
            writer.emit("take_along_axis", {"Input": x, "Index": feature}, {"Result": read}, {"Axis": 1})
        else:
            read = _taken(writer, x, feature, 1)
        goes = choose(read, place)
        if missing is not None:
            tracks = _taken(writer, missing, place, 0)
            absent = writer.binary("logical_and", writer.unary("isnan_v2", read), tracks)
            goes = writer.binary("logical_or", goes, absent)
        following = writer.new_name(x)
        yes, no = (_taken(writer, part, place, 0) for part in successors)
        writer.emit("where", {"Condition": goes, "X": yes, "Y": no}, {"Out": following})
        place = following
    return place


class _Comparison:
    """Whether features go to the first successors of their nodes."""

    def __init__(self, node: OnnxNode, writer: BlockWriter, trees: Trees) -> None:
        self._writer = writer
        self._values = writer.weight(trees.values, node.output())
        members = np.zeros((1, 0), np.float32) if trees.members is None else trees.members
        self._members = writer.weight(members, node.output())
        masks = trees.comparisons or {"less_equal": np.ones(len(trees.values), bool)}
        only = len(masks) == 1
        self._masks = {op: None if only else writer.weight(mask, node.output()) for op, mask in masks.items()}

    def __call__(self, read: str, place: str) -> str:
        writer = self._writer
        result: str | None = None
        for op, mask in self._masks.items():
            if op == MEMBER:
                column = writer.unary("unsqueeze2", read, {"axes": [-1]})
                equal = writer.binary("equal", column, _taken(writer, self._members, place, 0))
                goes = writer.unary("reduce_any", equal, {"dim": [-1], "keep_dim": False})
            else:
                goes = writer.binary(op, read, _taken(writer, self._values, place, 0))
            if mask is not None:
                goes = writer.binary("logical_and", goes, _taken(writer, mask, place, 0))
            result = goes if result is None else writer.binary("logical_or", result, goes)
        assert result is not None
        return result


def _taken(writer: BlockWriter, table: str, index: str, axis: int) -> str:
    out = writer.new_name(table)
    writer.emit("take", {"X": table, "Index": index}, {"Out": out}, {"axis": axis})
    return out
