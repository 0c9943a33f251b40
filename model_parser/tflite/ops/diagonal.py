"""Ops on the main diagonals of matrices."""

from __future__ import annotations

import numpy as np

from lite.errors import ModelParseError
from lite.model_parser.tflite.graph_writer import GraphWriter
from lite.model_parser.tflite.node import TfliteNode
from lite.model_parser.tflite.sizes import sizes
from lite.model_parser.tflite.tensors import Tensor
from lite.model_parser.tflite.translations import tflite_op


@tflite_op("MATRIX_DIAG")
def matrix_diag(node: TfliteNode, writer: GraphWriter) -> None:
    """`where` on a diagonal: each vector [n] becomes the diagonal of a matrix [n, n] of zeros.

    Quantised elements are between integers 0, as in the interpreter.
    """
    source = node.input(0)
    if not source.rank:
        raise ModelParseError("expected vectors, got a number")
    inputs = {
        "Condition": _diagonal(writer, source),
        "X": writer.unary("unsqueeze2", writer.name(source), {"axes": [-1]}),
        "Y": writer.weight("zero", np.zeros(1, source.dtype.numpy)),
    }
    writer.write(node, "where", inputs, is_stored=True)


def _diagonal(writer: GraphWriter, vectors: Tensor) -> str:
    """``bool[n, n]`` for vectors [n]: a constant, or for an unknown size two equal positions."""
    size = vectors.shape[-1]
    if isinstance(size, int):
        return writer.weight("diagonal", np.eye(size, dtype=np.bool_))
    bounds = {name: writer.weight(name, np.array([n], np.int32)) for name, n in (("Start", 0), ("Step", 1))}
    positions = writer.new_name("positions")
    bounds["End"] = sizes(writer, vectors, vectors.rank - 1)
    writer.emit("range", bounds, {"Out": positions}, {"allow_empty": True})
    return writer.binary("equal", positions, writer.unary("unsqueeze2", positions, {"axes": [-1]}))


@tflite_op("MATRIX_SET_DIAG")
def matrix_set_diag(node: TfliteNode, writer: GraphWriter) -> None:
    """`where` on a constant diagonal: matrices [n, m] with the diagonals [min(n, m)]."""
    source, diagonal = node.input(0), node.input(1)
    known = [size for size in source.shape[-2:] if isinstance(size, int)]
    if len(known) != 2:
        raise ModelParseError(f"expected matrices of known sizes, got {list(source.shape)}")
    rows, columns = known
    (matrices, elements), is_stored = writer.moved(node, [source, diagonal])
    inputs = {
        "Condition": writer.weight("diagonal", np.eye(rows, columns, dtype=np.bool_)),
        "X": writer.unary("unsqueeze2", elements, {"axes": [-1 if rows <= columns else -2]}),
        "Y": matrices,
    }
    writer.write(node, "where", inputs, is_stored=is_stored)
