"""Ops that cut ranges and add borders."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from lite.errors import ModelParseError
from lite.ir.program import AttrValue
from lite.ir.types import Dim, DType
from lite.model_parser.tflite.graph_writer import TO_NCHW, GraphWriter, Names
from lite.model_parser.tflite.node import TfliteNode
from lite.model_parser.tflite.translations import tflite_op

_END = 2**31 - 1

Number = int | str
"""A constant, or a variable ``int64[1]``."""


@tflite_op("SLICE")
def slice_(node: TfliteNode, writer: GraphWriter) -> None:
    """`slice` from given positions; a size of -1 reaches to the end."""
    begin, sizes = _numbers_of(node, 1, writer), _numbers_of(node, 2, writer)
    if not len(begin) == len(sizes) == node.input(0).rank:
        raise ModelParseError(f"expected a position and a size for each axis, got {begin} and {sizes}")
    ends = [_end(writer, start, size) for start, size in zip(begin, sizes, strict=True)]
    _cut(node, writer, "slice", begin, ends, {})


@tflite_op("STRIDED_SLICE")
def strided_slice(node: TfliteNode, writer: GraphWriter) -> None:
    """`strided_slice` of ranges with constant strides; `shrink_axis_mask` removes axes."""
    unsupported = [name for name in ("ellipsis_mask", "new_axis_mask", "offset") if node.integer(name)]
    if unsupported:
        raise ModelParseError(f"the options {', '.join(unsupported)} are not supported")
    starts, ends = _numbers_of(node, 1, writer), _numbers_of(node, 2, writer)
    steps = node.integers(3)
    if not len(starts) == len(ends) == len(steps) <= node.input(0).rank or 0 in steps:
        raise ModelParseError(f"expected ranges with strides that are not 0, got {starts}, {ends}, {steps}")
    masks = [node.integer(name) for name in ("begin_mask", "end_mask", "shrink_axis_mask")]
    decreased = [axis for axis in range(len(starts)) if masks[2] >> axis & 1]
    for axis, step in enumerate(steps):
        if axis in decreased:
            ends[axis] = _next(writer, starts[axis])
            steps[axis] = 1
            continue
        if masks[0] >> axis & 1:
            starts[axis] = 0 if step > 0 else _END
        if masks[1] >> axis & 1:
            ends[axis] = _END if step > 0 else -_END - 1
    _cut(node, writer, "strided_slice", starts, ends, {"strides": steps, "decrease_axis": decreased})


def _cut(
    node: TfliteNode, writer: GraphWriter, op: str, starts: Sequence[Number], ends: Sequence[Number],
    attrs: Mapping[str, AttrValue],
) -> None:  # fmt: skip
    """Write an op that cuts a range of each of the first axes."""
    others: dict[str, Names] = {}
    given: dict[str, AttrValue] = {"axes": list(range(len(starts))), **attrs}
    for name, numbers in (("starts", starts), ("ends", ends)):
        constant = [number for number in numbers if isinstance(number, int)]
        if len(constant) == len(numbers):
            given[name] = constant
        else:
            others[f"{name.title()}TensorList"] = [_variable(writer, number) for number in numbers]
    writer.move(node, op, given, input_slot="Input", others=others)


def _numbers_of(node: TfliteNode, position: int, writer: GraphWriter) -> list[Number]:
    """The elements of an input: integers if it is constant, else the names of variables ``int64[1]``."""
    tensor = node.input(position)
    if tensor.elements is not None:
        return [*node.integers(position)]
    count = tensor.shape[0] if tensor.rank == 1 else None
    if not isinstance(count, int) or count < 0:
        raise ModelParseError(f"input {position}: expected a known number of elements, got {tensor.shape}")
    attrs: dict[str, AttrValue] = {"out_dtype": DType.INT64.code}
    whole = writer.unary("cast", writer.name(tensor), attrs)
    names = [writer.new_name(f"{tensor.name}.{n}") for n in range(count)]
    for n, name in enumerate(names):
        writer.emit("slice", {"Input": whole}, {"Out": name}, {"axes": [0], "starts": [n], "ends": [n + 1]})
    return [*names]


def _variable(writer: GraphWriter, number: Number) -> str:
    return number if isinstance(number, str) else writer.weight("number", np.array([number], np.int64))


def _end(writer: GraphWriter, start: Number, size: Number) -> Number:
    """The end of a range of `size` elements, or beyond any axis for a size below 0."""
    if isinstance(size, int) and size < 0:
        return _END
    end = _sum(writer, start, size)
    return end if isinstance(size, int) else _sum(writer, end, _far_where(writer, "less_than", size))


def _next(writer: GraphWriter, start: Number) -> Number:
    """The position after `start`; beyond any axis after the last one, -1."""
    end = _sum(writer, start, 1)
    if isinstance(end, int):
        return end or _END
    return _sum(writer, end, _far_where(writer, "equal", end))


def _sum(writer: GraphWriter, first: Number, second: Number) -> Number:
    if isinstance(first, int) and isinstance(second, int):
        return first + second
    return writer.binary("elementwise_add", _variable(writer, first), _variable(writer, second))


def _far_where(writer: GraphWriter, comparison: str, number: str) -> str:
    """`_END` where a comparison of a number with 0 holds, else 0."""
    holds = writer.binary(comparison, number, _variable(writer, 0))
    attrs: dict[str, AttrValue] = {"out_dtype": DType.INT64.code}
    return writer.binary("elementwise_mul", writer.unary("cast", holds, attrs), _variable(writer, _END))


@tflite_op("PAD", "PADV2")
def pad(node: TfliteNode, writer: GraphWriter) -> None:
    """`pad_nd` with a constant; in the quantised domain 0 is the zero point."""
    value = writer.real(node.input(2)) if node.op == "PADV2" else None
    source, given = node.input(0), node.input(1)
    if given.elements is None:
        pairs = writer.unary("transpose2", writer.name(given), {"axis": [1, 0]})
        inputs = {"X": writer.real(source), "Value": value}
        inputs["Paddings"] = writer.unary("reshape2", pairs, {"shape": [-1]})
        writer.write(node, "pad_nd", inputs)
        return
    paddings = _paddings(node)
    is_image = writer.has_image(source)
    if is_image:
        paddings = [paddings[axis + first] for first in (0, 4) for axis in TO_NCHW]
    inputs = {"X": writer.image(source) if is_image else writer.real(source), "Value": value}
    writer.write(node, "pad_nd", inputs, {"paddings": paddings}, is_image=is_image)


@tflite_op("MIRROR_PAD")
def mirror_pad(node: TfliteNode, writer: GraphWriter) -> None:
    """`pad_nd` that reflects without the border; for symmetric padding, which repeats it, `concat`."""
    paddings = _paddings(node)
    if not node.integer("mode"):
        writer.move(node, "pad_nd", {"paddings": paddings, "mode": "reflect"})
        return
    (name,), is_stored = writer.moved(node, [node.input(0)])
    for axis, size in enumerate(node.input(0).shape):
        name = _symmetric(writer, name, axis, size, paddings[axis :: node.input(0).rank])
    writer.write(node, "assign", {"X": name}, is_stored=is_stored)


def _symmetric(writer: GraphWriter, name: str, axis: int, size: Dim, widths: Sequence[int]) -> str:
    """A variable with its first and last elements along an axis in front and at the end in reverse."""
    if min(widths) < 0 or (isinstance(size, int) and max(widths) > size):
        raise ModelParseError(f"symmetric padding: expected 0 to {size} on axis {axis}, got {list(widths)}")
    before, after = widths
    parts = [name]
    if before:
        parts.insert(0, _reversed(writer, name, axis, before - 1, -_END))
    if after:
        parts.append(_reversed(writer, name, axis, -1, -after - 1))
    if len(parts) == 1:
        return name
    out = writer.new_name(name)
    writer.emit("concat", {"X": parts}, {"Out": out}, {"axis": axis})
    return out


def _reversed(writer: GraphWriter, name: str, axis: int, start: int, end: int) -> str:
    """The elements along an axis from `start` back to before `end`."""
    out = writer.new_name(name)
    attrs: dict[str, AttrValue] = {"axes": [axis], "starts": [start], "ends": [end], "strides": [-1]}
    writer.emit("strided_slice", {"Input": name}, {"Out": out}, attrs)
    return out


def _paddings(node: TfliteNode) -> list[int]:
    """The numbers of elements before each axis, then those after each."""
    numbers = node.integers(1)
    if len(numbers) != 2 * node.input(0).rank:
        raise ModelParseError(f"expected two paddings for each axis, got {numbers}")
    return [*numbers[::2], *numbers[1::2]]
