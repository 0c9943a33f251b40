"""Support vector machines, of the domain ai.onnx.ml."""

from __future__ import annotations

import itertools

import numpy as np

from lite.ir.program import AttrValue
from lite.ir.types import Array, DType
from lite.model_parser.onnx.block_writer import BlockWriter
from lite.model_parser.onnx.ml_scores import labels_of, transform_of, write_label, write_transformed
from lite.model_parser.onnx.node import OnnxNode
from lite.model_parser.onnx.translations import onnx_op

_KERNELS = ("LINEAR", "POLY", "RBF", "SIGMOID")

_LEAST = 1e-7
"""The least probability that a class wins against another one."""


@onnx_op("ai.onnx.ml.SVMRegressor")
def svm_regressor(node: OnnxNode, writer: BlockWriter) -> None:
    """The sum of the coefficients, each times the kernel of X and a vector; its sign with one_class.

    Without vectors the coefficients are one vector.
    """
    count, coefficients = node.integer("n_supports", 0), _numbers(node, "coefficients")
    if count > 0:
        kernels = _kernels(node, writer, _numbers(node, "support_vectors"), count)
        scores = _product(node, writer, kernels, _sized(node, "coefficients", coefficients, count)[:, None])
    else:
        scores = _product(node, writer, _features(node, writer), coefficients[:, None])
    scores = _plus(node, writer, scores, _numbers(node, "rho")[:1])
    if not node.integer("one_class", 0):
        writer.unary("assign", scores, out=node.output())
        return
    is_inside = writer.cast(writer.binary("greater_than", scores, _weight(node, writer, 0)), DType.FLOAT32)
    writer.unary("scale", is_inside, {"scale": 2.0, "bias": -1.0}, node.output())


@onnx_op("ai.onnx.ml.SVMClassifier")
def svm_classifier(node: OnnxNode, writer: BlockWriter) -> None:
    """The label with most votes of pairs of classes, and the scores of the pairs or of the classes.

    Without vectors the coefficients are a row for each class.
    """
    labels, transform = labels_of(node, "classlabels_ints"), transform_of(node)
    sizes = node.integers("vectors_per_class") or []
    if sum(sizes):
        _classify_by_pairs(node, writer, labels, transform, sizes)
    else:
        _classify_by_rows(node, writer, labels, transform)


def _classify_by_rows(
    node: OnnxNode, writer: BlockWriter, labels: list[int] | list[str], transform: str
) -> None:
    """Of two classes, the second has the label where a score is above 0, or 0.5 without negative weights."""
    coefficients = _numbers(node, "coefficients")
    if not coefficients.size or coefficients.size % len(labels):
        raise node.error(f"coefficients: expected {len(labels)} rows, got {coefficients.size} numbers")
    weights = np.ascontiguousarray(coefficients.reshape(len(labels), -1).T)
    scores = _product(node, writer, _features(node, writer), weights)
    scores = _plus(node, writer, scores, _numbers(node, "rho")[:1])
    best = writer.unary("arg_max", scores, {"axis": -1})
    if len(labels) == 2:
        is_positive = bool((coefficients >= 0).all())
        highest = writer.unary("reduce_max", scores, {"dim": [-1], "keep_dim": False})
        limit = _weight(node, writer, 0.5 if is_positive else 0)
        above = writer.binary("greater_equal" if is_positive else "greater_than", highest, limit)
        best = writer.binary("elementwise_max", best, writer.cast(above, writer.dtype(best)))
    write_label(node, writer, best, labels)
    if node.optional_output(1) is not None:
        write_transformed(writer, scores, transform, node.output(1))


def _classify_by_pairs(
    node: OnnxNode, writer: BlockWriter, labels: list[int] | list[str], transform: str, sizes: list[int]
) -> None:
    if len(sizes) != len(labels):
        raise node.error(f"vectors_per_class: expected {len(labels)} numbers, one a label, got {len(sizes)}")
    pairs = [*itertools.combinations(range(len(labels)), 2)]
    rho = _sized(node, "rho", _numbers(node, "rho"), len(pairs))
    kernels = _kernels(node, writer, _numbers(node, "support_vectors"), sum(sizes))
    scores = _product(node, writer, kernels, _weights_of_pairs(node, pairs, sizes))
    scores = _plus(node, writer, scores, rho)
    wins = np.zeros((len(pairs), len(labels)), np.float32)
    for row, (first, second) in zip(wins, pairs, strict=True):
        row[first], row[second] = 1, -1
    has_won = writer.cast(writer.binary("greater_than", scores, _weight(node, writer, 0)), DType.FLOAT32)
    # A pair that the first class has not won is a vote for the second one.
    votes = _plus(node, writer, _product(node, writer, has_won, wins), (wins < 0).sum(0))
    write_label(node, writer, writer.unary("arg_max", votes, {"axis": -1}), labels)
    if node.optional_output(1) is None:
        return
    if node.reals("prob_a"):
        classes = _probabilities(node, writer, scores, len(pairs))
        write_transformed(writer, classes, transform, node.output(1))
    elif len(pairs) > 1:
        write_transformed(writer, scores, transform, node.output(1))
    else:
        _write_two(writer, scores, transform, node.output(1))


def _weights_of_pairs(node: OnnxNode, pairs: list[tuple[int, int]], sizes: list[int]) -> Array:
    """The weight of each vector in the score of each pair, ``[vectors, pairs]``."""
    count, classes = sum(sizes), len(sizes)
    given = _sized(node, "coefficients", _numbers(node, "coefficients"), (classes - 1) * count)
    coefficients, bounds = given.reshape(classes - 1, count), np.cumsum([0, *sizes])
    weights = np.zeros((count, len(pairs)), np.float32)
    for column, (first, second) in enumerate(pairs):
        for own, other in ((first, second - 1), (second, first)):
            rows = slice(bounds[own], bounds[own + 1])
            weights[rows, column] = coefficients[other, rows]
    return weights


def _probabilities(node: OnnxNode, writer: BlockWriter, scores: str, count: int) -> str:
    """The probabilities of the classes, from those of pairs by Platt's sigmoid."""
    a, b = (_sized(node, name, _numbers(node, name), count) for name in ("prob_a", "prob_b"))
    scaled = writer.binary("elementwise_mul", scores, writer.weight(-a, node.output()))
    won = writer.unary("sigmoid", _plus(node, writer, scaled, -b))
    kept = writer.unary("clip", won, {"min": _LEAST, "max": 1 - _LEAST})
    return writer.unary("pairwise_coupling", kept)


def _write_two(writer: BlockWriter, scores: str, transform: str, out: str) -> None:
    """The scores of two classes from the one of their pair, which only LOGISTIC transforms."""
    attrs: dict[str, AttrValue] = {"scale": -1.0, "bias": 0.0 if transform in ("NONE", "LOGISTIC") else 1.0}
    first, joined = writer.unary("scale", scores, attrs), writer.new_name(scores)
    writer.emit("concat", {"X": [first, scores]}, {"Out": joined}, {"axis": -1})
    writer.unary("sigmoid" if transform == "LOGISTIC" else "assign", joined, out=out)


def _kernels(node: OnnxNode, writer: BlockWriter, vectors: Array, count: int) -> str:
    """The kernel of each row and each of `count` vectors, ``[rows, vectors]``."""
    kind = node.string("kernel_type", "LINEAR")
    if kind not in _KERNELS:
        raise node.error(f"kernel_type: expected {', '.join(_KERNELS)}, got {kind!r}")
    if not vectors.size or vectors.size % count:
        raise node.error(f"support_vectors: expected {count} of one size, got {vectors.size} numbers")
    rows, x = vectors.reshape(count, -1), _features(node, writer)
    gamma, shift, degree = (node.reals("kernel_params") or [0.0, 0.0, 3.0])[:3]
    if kind == "RBF":
        # |x − v|² one by one: |x|² − 2x·v + |v|² would lose the digits of close vectors.
        apart = writer.binary(
            "elementwise_sub",
            writer.unary("unsqueeze2", x, {"axes": [1]}),
            writer.weight(rows, node.output()),
        )
        squares = writer.unary("square", apart)
        distances = writer.unary("reduce_sum", squares, {"dim": [-1], "keep_dim": False})
        return writer.unary("exp", writer.unary("scale", distances, {"scale": -gamma}))
    dots = _product(node, writer, x, np.ascontiguousarray(rows.T))
    if kind == "LINEAR":
        return dots
    shifted = writer.unary("scale", dots, {"scale": gamma, "bias": shift})
    if kind == "SIGMOID":
        return writer.unary("tanh", shifted)
    return writer.binary("elementwise_pow", shifted, _weight(node, writer, degree))


def _features(node: OnnxNode, writer: BlockWriter) -> str:
    return writer.cast(node.input(0), DType.FLOAT32)


def _numbers(node: OnnxNode, name: str) -> Array:
    return np.asarray(node.reals(name) or [], np.float32)


def _sized(node: OnnxNode, name: str, numbers: Array, count: int) -> Array:
    if numbers.size != count:
        raise node.error(f"{name}: expected {count} numbers, got {numbers.size}")
    return numbers


def _weight(node: OnnxNode, writer: BlockWriter, number: float) -> str:
    return writer.weight(np.asarray(number, np.float32), node.output())


def _product(node: OnnxNode, writer: BlockWriter, x: str, matrix: Array) -> str:
    return writer.binary("matmul_v2", x, writer.weight(matrix, node.output()))


def _plus(node: OnnxNode, writer: BlockWriter, x: str, row: Array) -> str:
    return writer.binary("elementwise_add", x, writer.weight(np.asarray(row, np.float32), node.output()))
