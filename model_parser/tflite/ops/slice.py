"""Ops that cut ranges and add borders."""

from __future__ import annotations

from lite.errors import ModelParseError
from lite.ir.program import AttrValue
from lite.model_parser.tflite.graph_writer import TO_NCHW, GraphWriter
from lite.model_parser.tflite.node import TfliteNode
from lite.model_parser.tflite.translations import tflite_op

_END = 2**31 - 1


@tflite_op("SLICE")
def slice_(node: TfliteNode, writer: GraphWriter) -> None:
    """`slice` from constant positions; a size of -1 reaches to the end."""
    begin, sizes = node.integers(1), node.integers(2)
    if not len(begin) == len(sizes) == node.input(0).rank:
        raise ModelParseError(f"expected a position and a size for each axis, got {begin} and {sizes}")
    ends = [_END if size < 0 else start + size for start, size in zip(begin, sizes, strict=True)]
    attrs: dict[str, AttrValue] = {"axes": list(range(len(begin))), "starts": begin, "ends": ends}
    writer.move(node, "slice", attrs, input_slot="Input")


@tflite_op("STRIDED_SLICE")
def strided_slice(node: TfliteNode, writer: GraphWriter) -> None:
    """`strided_slice` of constant ranges; `shrink_axis_mask` removes axes."""
    unsupported = [name for name in ("ellipsis_mask", "new_axis_mask", "offset") if node.integer(name)]
    if unsupported:
        raise ModelParseError(f"the options {', '.join(unsupported)} are not supported")
    starts, ends, steps = (node.integers(position) for position in (1, 2, 3))
    if not len(starts) == len(ends) == len(steps) <= node.input(0).rank or 0 in steps:
        raise ModelParseError(f"expected ranges with strides that are not 0, got {starts}, {ends}, {steps}")
    masks = [node.integer(name) for name in ("begin_mask", "end_mask", "shrink_axis_mask")]
    decreased = [axis for axis in range(len(starts)) if masks[2] >> axis & 1]
    for axis, step in enumerate(steps):
        if axis in decreased:
            ends[axis] = starts[axis] + 1 if starts[axis] != -1 else _END
            steps[axis] = 1
            continue
        if masks[0] >> axis & 1:
            starts[axis] = 0 if step > 0 else _END
        if masks[1] >> axis & 1:
            ends[axis] = _END if step > 0 else -_END - 1
    attrs: dict[str, AttrValue] = {"axes": list(range(len(starts))), "starts": starts, "ends": ends}
    attrs |= {"strides": steps, "decrease_axis": decreased}
    writer.move(node, "strided_slice", attrs, input_slot="Input")


@tflite_op("PAD", "PADV2")
def pad(node: TfliteNode, writer: GraphWriter) -> None:
    """`pad_nd` with a constant; in the quantised domain 0 is the zero point."""
    value = writer.real(node.input(2)) if node.op == "PADV2" else None
    paddings, source = _paddings(node), node.input(0)
    is_image = writer.has_image(source)
    if is_image:
        paddings = [paddings[axis + first] for first in (0, 4) for axis in TO_NCHW]
    inputs = {"X": writer.image(source) if is_image else writer.real(source), "Value": value}
    writer.write(node, "pad_nd", inputs, {"paddings": paddings}, is_image=is_image)


@tflite_op("MIRROR_PAD")
def mirror_pad(node: TfliteNode, writer: GraphWriter) -> None:
    """`pad_nd` that reflects without the border."""
    if node.integer("mode"):
        raise ModelParseError("symmetric padding is not supported; only reflection is")
    writer.move(node, "pad_nd", {"paddings": _paddings(node), "mode": "reflect"})


def _paddings(node: TfliteNode) -> list[int]:
    """The numbers of elements before each axis, then those after each."""
    numbers = node.integers(1)
    if len(numbers) != 2 * node.input(0).rank:
        raise ModelParseError(f"expected two paddings for each axis, got {numbers}")
    return [*numbers[::2], *numbers[1::2]]
