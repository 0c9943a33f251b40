"""Scores of the models of ai.onnx.ml: their transformation, and the label of the best one."""

from __future__ import annotations

import numpy as np

from lite.ir.program import AttrValue
from lite.model_parser.onnx.block_writer import BlockWriter
from lite.model_parser.onnx.node import OnnxNode

_SMALL = 1e-7
"""SOFTMAX_ZERO takes scores closer to zero as absent."""


def transform_of(node: OnnxNode) -> str:
    """The attribute post_transform; raises `ModelParseError` for one that is not known."""
    known = ("NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO")
    transform = node.string("post_transform", "NONE")
    if transform not in known:
        raise node.error(f"post_transform: expected {', '.join(known)}, got {transform!r}")
    return transform


def write_transformed(writer: BlockWriter, scores: str, transform: str, out: str) -> None:
    """The scores ``[rows, columns]`` after a transformation."""
    if transform == "SOFTMAX_ZERO":
        _softmax_zero(writer, scores, out)
        return
    ops = {"NONE": "assign", "SOFTMAX": "softmax", "LOGISTIC": "sigmoid"}
    attrs: dict[str, AttrValue] = {"axis": -1} if transform == "SOFTMAX" else {}
    writer.unary(ops[transform], scores, attrs, out)


def _softmax_zero(writer: BlockWriter, scores: str, out: str) -> None:
    """Softmax in which scores of about zero are not counted, and keep their value times exp(-max) / sum."""
    row: dict[str, AttrValue] = {"dim": [-1], "keep_dim": True}
    highest = writer.unary("reduce_max", scores, row)
    limit = writer.weight(np.asarray(_SMALL, np.float32), scores)
    counts = writer.binary("greater_than", writer.unary("abs", scores), limit)
    powers = writer.unary("exp", writer.binary("elementwise_sub", scores, highest))
    zeros = writer.unary("fill_any_like", scores, {"value": 0.0})
    counted, parts = writer.new_name(scores), writer.new_name(scores)
    writer.emit("where", {"Condition": counts, "X": powers, "Y": zeros}, {"Out": counted})
    factor = writer.unary("exp", writer.unary("scale", highest, {"scale": -1.0}))
    small = writer.binary("elementwise_mul", scores, factor)
    writer.emit("where", {"Condition": counts, "X": powers, "Y": small}, {"Out": parts})
    total = writer.unary("reduce_sum", counted, row)
    writer.binary("elementwise_div", parts, total, out=out)


def labels_of(node: OnnxNode, integers: str) -> list[int] | list[str]:
    """The labels of a classifier, integers or texts; raises `ModelParseError` for fewer than two."""
    labels = node.integers(integers) or node.strings("classlabels_strings") or []
    if len(labels) < 2:
        raise node.error(f"{integers}, classlabels_strings: expected two or more labels, got {labels}")
    return labels


def write_label(node: OnnxNode, writer: BlockWriter, best: str, labels: list[int] | list[str]) -> None:
    """The labels of the positions `best`, the first output of the node."""
    array = np.asarray(labels, object if isinstance(labels[0], str) else np.int64)
    table = writer.weight(array, node.output())
    writer.emit("take", {"X": table, "Index": best}, {"Out": node.output()}, {"axis": 0})
