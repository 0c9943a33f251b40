"""Ops on the main diagonals of matrices."""

from __future__ import annotations

import numpy as np

from lite.errors import ModelParseError
from lite.model_parser.tflite.graph_writer import GraphWriter
from lite.model_parser.tflite.node import TfliteNode
from lite.model_parser.tflite.translations import tflite_op


@tflite_op("MATRIX_DIAG")
def matrix_diag(node: TfliteNode, writer: GraphWriter) -> None:
    """`where` on a constant diagonal: each vector [n] becomes the diagonal of a matrix [n, n] of zeros.

    Quantised elements are between integers 0, as in the interpreter.
    """
    source = node.input(0)
    size = source.shape[-1] if source.rank else None
    if not isinstance(size, int):
        raise ModelParseError(f"expected vectors of a known size, got {list(source.shape)}")
    inputs = {
        "Condition": writer.weight("diagonal", np.eye(size, dtype=np.bool_)),
        "X": writer.unary("unsqueeze2", writer.name(source), {"axes": [-1]}),
        "Y": writer.weight("zero", np.zeros(1, source.dtype.numpy)),
    }
    writer.write(node, "where", inputs, is_stored=True)


@tflite_op("MATRIX_SET_DIAG")
def matrix_set_diag(node: TfliteNode, writer: GraphWriter) -> None:
    """`where` on a constant diagonal: matrices [n, m] with the diagonals [min(n, m)]."""
    source, diagonal = node.input(0), node.input(1)
    sizes = [size for size in source.shape[-2:] if isinstance(size, int)]
    if len(sizes) != 2:
        raise ModelParseError(f"expected matrices of known sizes, got {list(source.shape)}")
    rows, columns = sizes
    (matrices, elements), is_stored = writer.moved(node, [source, diagonal])
    inputs = {
        "Condition": writer.weight("diagonal", np.eye(rows, columns, dtype=np.bool_)),
        "X": writer.unary("unsqueeze2", elements, {"axes": [-1 if rows <= columns else -2]}),
        "Y": matrices,
    }
    writer.write(node, "where", inputs, is_stored=is_stored)
