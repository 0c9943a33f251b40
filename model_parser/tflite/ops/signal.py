"""Fourier transforms, and parts of complex numbers."""

from __future__ import annotations

import numpy as np

from lite.errors import ModelParseError
from lite.ir.program import AttrValue
from lite.model_parser.tflite.graph_writer import GraphWriter
from lite.model_parser.tflite.node import TfliteNode
from lite.model_parser.tflite.pairs import pairs, part_attributes
from lite.model_parser.tflite.translations import tflite_op


@tflite_op("RFFT2D")
def rfft2d(node: TfliteNode, writer: GraphWriter) -> None:
    """`dft` along the last axis, of which half is kept, and then along the one before it.

    Both are first cut or padded with zeros to constant lengths.
    """
    source, lengths = node.input(0), node.integers(1)
    if source.rank < 2 or len(lengths) != 2 or min(lengths) < 1:
        raise ModelParseError(f"expected matrices and two positive lengths, got {source.shape} and {lengths}")
    name = writer.unary("unsqueeze2", writer.real(source), {"axes": [-1]})
    for axis, is_half in ((1, True), (0, False)):
        if not is_half and source.shape[-2] == lengths[0] == 1:
            continue  # the transform of one element is the element
        length = writer.weight("length", np.array([lengths[axis]], np.int64))
        attrs: dict[str, AttrValue] = {"axis": source.rank - 2 + axis, "onesided": is_half}
        spectrum = writer.new_name(node.output().name)
        writer.emit("dft", {"X": name, "Length": length}, {"Out": spectrum}, attrs)
        name = spectrum
    writer.pairs[node.output().name] = name


@tflite_op("REAL", "IMAG")
def part(node: TfliteNode, writer: GraphWriter) -> None:
    """`slice` of one element of each pair."""
    source = node.input(0)
    attrs = part_attributes(source, int(node.op == "IMAG"))
    writer.write(node, "slice", {"Input": pairs(writer, source)}, attrs)


@tflite_op("COMPLEX_ABS")
def magnitude(node: TfliteNode, writer: GraphWriter) -> None:
    """The square root of the sum of the squares of each pair."""
    squares = writer.unary("square", pairs(writer, node.input(0)))
    writer.write(node, "sqrt", {"X": writer.unary("reduce_sum", squares, {"dim": [-1]})})
