"""Ops that compute each row of an image from a few rows of their inputs, and the rows that they need."""

from __future__ import annotations

import math
from collections.abc import Mapping

from lite.dataclass import dataclass
from lite.ir.graph import Node, Value
from lite.ir.program import AttrValue
from lite.ir.types import Layout
from lite.ops import get_schema
from lite.ops.image_attributes import ConvAttributes, PoolAttributes
from lite.ops.schema import Trait
from lite.ops.window import Window
from lite.plugin.emitter import EmitOp

_CONVOLUTIONS = {"conv2d": "Input", "depthwise_conv2d": "Input", "quantized_conv2d": "Input"}
_QUANTISED = ("affine_quantize", "affine_dequantize")
_ROWS = {Layout.NCHW: 2, Layout.NHWC: 1}


@dataclass(frozen=True)
class Span:
    """The rows from `first` up to, but not including, `end`."""

    first: int
    end: int

    def __len__(self) -> int:
        return self.end - self.first

    def hull(self, other: Span) -> Span:
        """The smallest span that has the rows of both."""
        return Span(min(self.first, other.first), max(self.end, other.end))


@dataclass(frozen=True)
class RowOp:
    """A node of which single rows can be computed.

    `inputs` has for each input that is no constant the axis of its rows, as it is stored; `axis` is that of
    the only output.  `window` slides along the rows of `source`; without one, a row needs the same rows of
    all inputs.
    """

    node: Node
    axis: int
    inputs: Mapping[Value, int]
    source: Value | None = None
    window: Window | None = None

    def needs(self, span: Span) -> Mapping[Value, Span] | None:
        """The rows of the inputs that these rows of the output need; None where that is padding alone."""
        spans = dict.fromkeys(self.inputs, span)
        if self.window is not None and self.source is not None:
            first, end = self._touched(span)
            height = _size(self.source, self.inputs[self.source])
            spans[self.source] = Span(max(first, 0), min(end, height))
            if len(spans[self.source]) < 1:
                return None
        return spans

    def attributes(self, span: Span) -> dict[str, AttrValue]:
        """The attributes of the node that computes these rows from the rows that they need."""
        attrs = dict(self.node.attrs)
        if self.window is None or self.source is None:
            return attrs
        first, end = self._touched(span)
        height = _size(self.source, self.inputs[self.source])
        columns = _windows(self.node, self.source)[1]
        sides = [max(-first, 0), max(end - height, 0), columns.before, columns.after]
        return {**attrs, "padding_algorithm": "EXPLICIT", "paddings": sides}

    def _touched(self, span: Span) -> tuple[int, int]:
        assert self.window is not None
        first = span.first * self.window.stride - self.window.before
        return first, (span.end - 1) * self.window.stride - self.window.before + self.window.extent


def row_op(node: Node, axes: Mapping[Value, int]) -> RowOp | None:
    """A node as an op on rows, if it is one.

    `axes` has the axes of rows of values whose producers are known; other images are stored in the order
    that the node states.
    """
    used = [value for value in node.all_outputs() if value.is_used]
    data = [value for value in node.all_inputs() if not value.is_constant]
    if len(used) != 1 or not data or len(set(data)) != len(data) or node.blocks:
        return None
    [out] = used
    if next(iter(node.outputs.values())) != [out] or not all(_is_one_image(value) for value in (out, *data)):
        return None
    found = _windowed(node, out, data) or _converted(node, data) or _pointwise(node, out, data, axes)
    if found is None or any(axes.get(value, axis) != axis for value, axis in found.inputs.items()):
        return None
    return found


def _windowed(node: Node, out: Value, data: list[Value]) -> RowOp | None:
    if node.op not in _CONVOLUTIONS and node.op != "pool2d":
        return None
    source = node.input(_CONVOLUTIONS.get(node.op, "X"))
    if source.is_constant or (not EmitOp(node).in_nhwc and node.attrs.get("data_format") != "NHWC"):
        return None
    if any(value is not source and value.shape != out.shape for value in data):
        return None
    windows = _windows(node, source)
    if node.op == "pool2d":
        attrs = EmitOp(node).read(PoolAttributes)
        if attrs.adaptive or attrs.global_pooling or attrs.ceil_mode:
            return None
        # Without `exclusive`, the divisor depends on the padding of both sides.
        if not (attrs.is_max or attrs.exclusive) and any(each.before or each.after for each in windows):
            return None
    rows = windows[0]
    if rows.before < 0 or rows.after < 0:
        return None
    return RowOp(node, 1, dict.fromkeys(data, 1), source, rows)


def _converted(node: Node, data: list[Value]) -> RowOp | None:
    """A change of layout: the rows are the same, on another axis."""
    if node.op != "layout":
        return None
    ends = {str(layout): axis for layout, axis in _ROWS.items()}
    before, after = ends.get(str(node.attrs.get("from"))), ends.get(str(node.attrs.get("to")))
    return None if before is None or after is None else RowOp(node, after, {data[0]: before})


def _pointwise(node: Node, out: Value, data: list[Value], axes: Mapping[Value, int]) -> RowOp | None:
    traits = get_schema(node.op).traits
    if Trait.ELEMENTWISE not in traits and node.op not in _QUANTISED:
        return None
    constants = [value for value in node.all_inputs() if value.is_constant]
    if any(value.shape != out.shape for value in data) or any(math.prod(_dims(c)) != 1 for c in constants):
        return None
    axis = next((axes[value] for value in data if value in axes), 2)
    return RowOp(node, axis, dict.fromkeys(data, axis))


def _windows(node: Node, source: Value) -> list[Window]:
    _, height, width, _ = _dims(source)
    op = EmitOp(node)
    if node.op == "pool2d":
        return op.read(PoolAttributes).windows((height, width))
    first = 1 if op.in_nhwc else 2
    kernel = _dims(node.input("Filter"))[first : first + 2]
    return op.read(ConvAttributes).windows((height, width), kernel)


def _is_one_image(value: Value) -> bool:
    dims = value.shape or ()
    return len(dims) == 4 and all(isinstance(dim, int) for dim in dims) and dims[0] == 1


def _dims(value: Value) -> tuple[int, ...]:
    return tuple(dim for dim in value.shape or () if isinstance(dim, int))


def _size(value: Value, axis: int) -> int:
    return _dims(value)[axis]
