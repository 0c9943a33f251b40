"""Preparation of features and linear models, of the domain ai.onnx.ml."""

from __future__ import annotations

import numpy as np

from lite.ir.program import AttrValue
from lite.ir.types import Array, DType
from lite.model_parser.onnx.block_writer import BlockWriter
from lite.model_parser.onnx.ml_scores import labels_of, transform_of, write_label, write_transformed
from lite.model_parser.onnx.node import OnnxNode
from lite.model_parser.onnx.translations import onnx_op


@onnx_op("ai.onnx.ml.Scaler")
def scaler(node: OnnxNode, writer: BlockWriter) -> None:
    """(X - offset) · scale, each one number or one a feature."""
    x = _real(node, writer)
    shifted = writer.binary("elementwise_sub", x, _numbers(node, writer, "offset", 0.0))
    writer.binary("elementwise_mul", shifted, _numbers(node, writer, "scale", 1.0), out=node.output())


@onnx_op("ai.onnx.ml.Binarizer")
def binarizer(node: OnnxNode, writer: BlockWriter) -> None:
    """1 above the threshold, else 0."""
    x = node.input(0)
    limit = writer.weight(np.asarray(node.real("threshold", 0.0), writer.dtype(x).numpy), node.output())
    writer.cast(writer.binary("greater_than", x, limit), writer.dtype(x), node.output())


@onnx_op("ai.onnx.ml.Normalizer")
def normalizer(node: OnnxNode, writer: BlockWriter) -> None:
    """Each row divided by its largest element, or by its L1 or L2 norm; rows of zeros stay.

    Like ONNX Runtime, MAX takes the largest element, not the largest absolute value.
    """
    x, norm = _real(node, writer), node.string("norm", "MAX")
    attrs: dict[str, AttrValue] = {"dim": [-1], "keep_dim": True}
    if norm == "MAX":
        size = writer.unary("reduce_max", x, attrs)
    elif norm == "L1":
        size = writer.unary("reduce_sum", writer.unary("abs", x), attrs)
    elif norm == "L2":
        size = writer.unary("sqrt", writer.unary("reduce_sum", writer.unary("square", x), attrs))
    else:
        raise node.error(f"norm: expected MAX, L1 or L2, got {norm!r}")
    zero, one = (_constant(writer, np.asarray(number, np.float32), node) for number in (0, 1))
    is_zero = writer.binary("equal", size, zero)
    divisor = writer.new_name(size)
    writer.emit("where", {"Condition": is_zero, "X": one, "Y": size}, {"Out": divisor})
    writer.binary("elementwise_div", x, divisor, out=node.output())


@onnx_op("ai.onnx.ml.Imputer")
def imputer(node: OnnxNode, writer: BlockWriter) -> None:
    """Elements that equal a number, which may be NaN, replaced by one number or one a feature."""
    x = node.input(0)
    dtype = writer.dtype(x)
    kind = "float" if dtype.is_float else "int64"
    replaced = (
        node.real("replaced_value_float", 0.0) if dtype.is_float else node.integer("replaced_value_int64", 0)
    )
    values = node.reals(f"imputed_value_{kind}s") if dtype.is_float else node.integers("imputed_value_int64s")
    if not values:
        raise node.error(f"imputed_value_{kind}s is missing, and X is {dtype}")
    if dtype.is_float and np.isnan(replaced):
        found = writer.unary("isnan_v2", x)
    else:
        found = writer.binary("equal", x, _constant(writer, np.asarray(replaced, dtype.numpy), node))
    others = _constant(writer, np.asarray(values, dtype.numpy), node)
    writer.emit("where", {"Condition": found, "X": others, "Y": x}, {"Out": node.output()})


@onnx_op("ai.onnx.ml.ArrayFeatureExtractor")
def array_feature_extractor(node: OnnxNode, writer: BlockWriter) -> None:
    """Columns of X by index; a vector counts as one row."""
    x = node.input(0)
    index = writer.unary("reshape2", node.input(1), {"shape": [-1]})
    if writer.known_rank(x) == 1:
        x = writer.unary("unsqueeze2", x, {"axes": [0]})
    writer.emit("take", {"X": x, "Index": index}, {"Out": node.output()}, {"axis": -1})


@onnx_op("ai.onnx.ml.FeatureVectorizer")
def feature_vectorizer(node: OnnxNode, writer: BlockWriter) -> None:
    """The features of all inputs side by side, as float32."""
    parts = [writer.cast(node.input(n), DType.FLOAT32) for n in range(len(node.inputs))]
    writer.emit("concat", {"X": parts}, {"Out": node.output()}, {"axis": 1})


@onnx_op("ai.onnx.ml.LinearRegressor")
def linear_regressor(node: OnnxNode, writer: BlockWriter) -> None:
    """X · coefficientsᵀ + intercepts, transformed where there are several targets."""
    transform = transform_of(node)
    targets = node.integer("targets", 1)
    scores = _scores(node, writer, targets)
    write_transformed(writer, scores, "NONE" if targets == 1 else transform, node.output())


@onnx_op("ai.onnx.ml.LinearClassifier")
def linear_classifier(node: OnnxNode, writer: BlockWriter) -> None:
    """The label of the highest score, and the scores after the transformation."""
    transform = transform_of(node)
    labels = labels_of(node, "classlabels_ints")
    rows = len(node.reals("coefficients") or ())
    inputs = writer.shape(node.input(0)) or ()
    if inputs and isinstance(inputs[-1], int) and rows != len(labels) * inputs[-1]:
        raise node.error(f"coefficients: expected {len(labels)} rows, one a label, got {rows} numbers")
    scores = _scores(node, writer, len(labels))
    write_label(node, writer, writer.unary("arg_max", scores, {"axis": -1}), labels)
    if node.optional_output(1) is not None:
        write_transformed(writer, scores, transform, node.output(1))


def _scores(node: OnnxNode, writer: BlockWriter, rows: int) -> str:
    coefficients = np.asarray(node.reals("coefficients") or [], np.float32)
    if rows < 1 or coefficients.size % rows:
        raise node.error(f"coefficients: expected {rows} rows, got {coefficients.size} numbers")
    transposed = np.ascontiguousarray(coefficients.reshape(rows, -1).T)
    product = writer.binary("matmul_v2", _real(node, writer), _constant(writer, transposed, node))
    intercepts = node.reals("intercepts")
    if not intercepts:
        return product
    added = _constant(writer, np.asarray(intercepts, np.float32), node)
    return writer.binary("elementwise_add", product, added)


def _real(node: OnnxNode, writer: BlockWriter) -> str:
    """The first input as float32."""
    return writer.cast(node.input(0), DType.FLOAT32)


def _numbers(node: OnnxNode, writer: BlockWriter, name: str, default: float) -> str:
    return _constant(writer, np.asarray(node.reals(name) or [default], np.float32), node)


def _constant(writer: BlockWriter, array: Array, node: OnnxNode) -> str:
    return writer.weight(array, node.output())
