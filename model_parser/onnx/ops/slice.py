"""ONNX Slice."""

from __future__ import annotations

from lite.ir.program import AttrValue
from lite.model_parser.onnx.block_writer import BlockWriter
from lite.model_parser.onnx.node import OnnxNode
from lite.model_parser.onnx.registry import onnx_op
from lite.model_parser.onnx.whole_numbers import WholeNumbers, whole_numbers

_LIMIT = 2**31 - 1
"""Ours are 32 bits; further than any size they all mean the end."""


@onnx_op("Slice")
def slice_(node: OnnxNode, writer: BlockWriter) -> None:
    """Attributes up to opset 9, then inputs; what is not constant stays an input."""
    starts = whole_numbers(node, writer, "starts", 1)
    ends = whole_numbers(node, writer, "ends", 2)
    if starts is None or ends is None:
        raise node.error("starts and ends are required")
    axes = whole_numbers(node, writer, "axes", 3) or _first(starts.count)
    steps = whole_numbers(node, writer, "steps", 4) or WholeNumbers([1] * (starts.count or 0))
    known_steps = steps.known if starts.count is not None else [1] if node.optional(4) is None else None
    if axes is None or axes.known is None or known_steps is None or _backward(known_steps, ends):
        _dynamic(node, writer)
        return
    numbers = [("starts", starts, "StartsTensor"), ("ends", ends, "EndsTensor")]
    op = "slice"
    if any(step != 1 for step in known_steps):
        numbers.append(("strides", steps, "StridesTensor"))
        op = "strided_slice"
    attrs: dict[str, AttrValue] = {"axes": [*axes.known]}
    inputs = {"Input": node.input(0)}
    for attr, part, slot in numbers:
        inputs |= part.slot(slot)
        attrs |= _clamped(part).attr(attr)
    writer.emit(op, inputs, {"Out": node.output()}, attrs)


def _first(count: int | None) -> WholeNumbers | None:
    return None if count is None else WholeNumbers(list(range(count)))


def _backward(steps: list[int], ends: WholeNumbers) -> bool:
    """Whether an end of -1, before which a backward step finds nothing, would mean the front to ours."""
    return any(step < 0 for step in steps) and (ends.known is None or -1 in ends.known)


def _clamped(numbers: WholeNumbers) -> WholeNumbers:
    known = numbers.known and [max(-_LIMIT, min(_LIMIT, number)) for number in numbers.known]
    return WholeNumbers(known, numbers.name, numbers.count)


def _dynamic(node: OnnxNode, writer: BlockWriter) -> None:
    inputs = {
        slot: node.optional(position)
        for position, slot in enumerate(("Input", "Starts", "Ends", "Axes", "Steps"))
    }
    if not node.inputs[1:]:
        raise node.error("starts, ends: an end of -1 with a negative step is not supported in attributes")
    writer.emit("dynamic_slice", inputs, {"Out": node.output()})
