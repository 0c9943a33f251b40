"""ONNX Pad."""

from __future__ import annotations

import numpy as np

from lite.ir.program import AttrValue
from lite.model_parser.onnx.block_writer import BlockWriter
from lite.model_parser.onnx.node import OnnxNode
from lite.model_parser.onnx.registry import onnx_op
from lite.model_parser.onnx.whole_numbers import WholeNumbers, numbers_of, whole_numbers

_PAD2D = ("constant", "reflect", "edge")


@onnx_op("Pad")
def pad(node: OnnxNode, writer: BlockWriter) -> None:
    """pad2d for the borders of images, else pad_nd; pads are an attribute up to opset 10."""
    source, mode = node.input(0), node.text("mode", "constant")
    if mode not in (*_PAD2D, "wrap"):
        raise node.error(f"mode: expected constant, reflect, edge or wrap, got {mode!r}")
    pads = whole_numbers(node, writer, "pads", 1)
    if pads is None:
        raise node.error("pads are missing")
    axes = numbers_of(writer, node.input(3)) if node.optional(3) else WholeNumbers([], count=0)
    value = _value(node, writer)
    borders = _image_borders(writer.rank(source), pads, axes)
    if borders is not None and mode in _PAD2D and value is not None and writer.dtype(source).is_float:
        image: dict[str, AttrValue] = {"paddings": [*borders], "mode": mode, "pad_value": value}
        writer.unary("pad2d", source, image, node.output())
        return
    attrs: dict[str, AttrValue] = {"mode": mode, **pads.attr("paddings"), **axes.attr("axes")}
    inputs = {"X": source, **pads.slot("Paddings"), **axes.slot("Axes")}
    if node.opset < 11:
        attrs["value"] = node.real("value", 0.0)
    else:
        inputs |= {"Value": node.optional(2) or ""}
    writer.emit("pad_nd", inputs, {"Out": node.output()}, attrs)


def _value(node: OnnxNode, writer: BlockWriter) -> float | None:
    """What a border is filled with, or None where the model computes it."""
    if node.opset < 11:
        return node.real("value", 0.0)
    name = node.optional(2)
    if name is None:
        return 0.0
    array = writer.constant(name)
    return None if array is None else float(np.asarray(array).reshape(-1)[0]) if array.size else 0.0


def _image_borders(rank: int | None, pads: WholeNumbers, axes: WholeNumbers) -> list[int] | None:
    """Top, bottom, left, right, where only the last two of four axes grow; else None."""
    if rank != 4 or pads.known is None or axes.known is None or min(pads.known, default=0) < 0:
        return None
    count = len(pads.known) // 2
    sides = dict.fromkeys(range(4), (0, 0))
    for n, axis in enumerate(axes.known or range(count)):
        sides[axis % 4] = (pads.known[n], pads.known[n + count])
    return [*sides[2], *sides[3]] if sides[0] == sides[1] == (0, 0) else None
