"""Parts and joins of tensors: Slice, Split, Concat, Pad and CenterCropPad."""

from __future__ import annotations

import numpy as np

from lite.ir.program import AttrValue
from lite.ir.types import DType
from lite.model_parser.onnx.block_writer import BlockWriter
from lite.model_parser.onnx.custom_ops import CustomOp, register_custom_ops
from lite.model_parser.onnx.integer_operand import IntegerOperand, integer_operand, integers_of
from lite.model_parser.onnx.node import OnnxNode
from lite.model_parser.onnx.translations import onnx_op

register_custom_ops({"CenterCropPad": CustomOp("center_crop_pad", "X Shape")})

_LIMIT = 2**31 - 1
"""The greatest bound of a slice in Paddle, an int32; any greater one means the end, too."""


_MOST_AXES = 64
"""The most axes of an array in numpy; a file may declare any number of bounds."""


@onnx_op("Slice")
def slice_(node: OnnxNode, writer: BlockWriter) -> None:
    """`slice` or `strided_slice`; `dynamic_slice` where the axes or steps are not constant.

    The bounds are attributes before opset 10, then inputs.
    """
    starts = integer_operand(node, writer, "starts", 1)
    ends = integer_operand(node, writer, "ends", 2)
    if starts is None or ends is None:
        raise node.error("starts and ends are required")
    if (starts.count or 0) > _MOST_AXES:
        raise node.error(
            f"starts: expected at most {_MOST_AXES} numbers, one for each axis, got {starts.count}"
        )
    axes = integer_operand(node, writer, "axes", 3) or _first_axes(starts.count)
    steps = integer_operand(node, writer, "steps", 4) or IntegerOperand([1] * (starts.count or 0))
    strides = steps.values if starts.count is not None else [1] if node.optional(4) is None else None
    if axes is None or axes.values is None or strides is None or _passes_front(strides, starts, ends):
        _dynamic_slice(node, writer)
        return
    operands = [("starts", starts, "StartsTensor"), ("ends", ends, "EndsTensor")]
    op = "slice"
    if any(stride != 1 for stride in strides):
        operands.append(("strides", steps, "StridesTensor"))
        op = "strided_slice"
    attrs: dict[str, AttrValue] = {"axes": [*axes.values]}
    inputs = {"Input": node.input(0)}
    for attr, operand, slot in operands:
        inputs |= operand.slot(slot)
        attrs |= _clamped(operand).attr(attr)
    writer.emit(op, inputs, {"Out": node.output()}, attrs)


def _first_axes(count: int | None) -> IntegerOperand | None:
    return None if count is None else IntegerOperand(list(range(count)))


def _passes_front(strides: list[int], starts: IntegerOperand, ends: IntegerOperand) -> bool:
    """Whether a backward slice may end at -1, or start before the first element.

    An end of -1 is ONNX's last element, but Paddle's position before the front; from before the first
    element, ONNX takes it, but Paddle nothing.
    """
    if all(stride >= 0 for stride in strides):
        return False
    return starts.values is None or min(starts.values) < -1 or ends.values is None or -1 in ends.values


def _clamped(operand: IntegerOperand) -> IntegerOperand:
    values = operand.values and [max(-_LIMIT, min(_LIMIT, value)) for value in operand.values]
    return IntegerOperand(values, operand.name, operand.count)


def _dynamic_slice(node: OnnxNode, writer: BlockWriter) -> None:
    inputs = {
        slot: node.optional(position)
        for position, slot in enumerate(("Input", "Starts", "Ends", "Axes", "Steps"))
    }
    if not node.inputs[1:]:
        raise node.error("starts, ends: these bounds with a negative step are not supported in attributes")
    writer.emit("dynamic_slice", inputs, {"Out": node.output()})


@onnx_op("Concat")
def concat(node: OnnxNode, writer: BlockWriter) -> None:
    """`concat`."""
    if not node.has("axis"):
        raise node.error("attribute axis is missing")
    names = [node.input(n) for n in range(len(node.inputs))]
    writer.emit("concat", {"X": names}, {"Out": node.output()}, {"axis": node.integer("axis", 0)})


@onnx_op("Split")
def split(node: OnnxNode, writer: BlockWriter) -> None:
    """`split` by sizes, or into equal parts, of which the last may be smaller.

    The sizes are an attribute before opset 13, then an input.
    """
    outputs = [name or writer.new_name(node.input(0)) for name in node.outputs]
    count = node.integer("num_outputs", len(outputs))
    if count != len(outputs):
        raise node.error(f"num_outputs: expected {len(outputs)}, the number of outputs, got {count}")
    source, axis = node.input(0), node.integer("axis", 0)
    attrs: dict[str, AttrValue] = {"axis": axis}
    inputs: dict[str, str | list[str]] = {"X": source}
    sizes = integer_operand(node, writer, "split", 1)
    if sizes is not None and sizes.values is not None:
        if len(sizes.values) != count:
            raise node.error(f"split: expected {count} sizes, one for each output, got {sizes.values}")
        attrs["sections"] = [*sizes.values]
    elif sizes is not None:
        inputs["SectionsTensorList"] = _elements(writer, sizes.name, count)
    elif node.opset < 18 or _divides(writer, source, axis, count):
        attrs["num"] = count
    else:
        inputs["SectionsTensorList"] = _computed_sizes(writer, source, axis, count)
    writer.emit("split", inputs, {"Out": outputs}, attrs)


def _elements(writer: BlockWriter, name: str, count: int) -> list[str]:
    parts = [writer.new_name(name) for _ in range(count)]
    writer.emit("split", {"X": name}, {"Out": parts}, {"axis": 0, "num": count})
    return parts


def _divides(writer: BlockWriter, name: str, axis: int, count: int) -> bool:
    shape = writer.shape(name)
    size = shape[axis] if shape is not None and -len(shape) <= axis < len(shape) else None
    return count == 1 or (isinstance(size, int) and size % count == 0)


def _computed_sizes(writer: BlockWriter, name: str, axis: int, count: int) -> list[str]:
    """Ops that compute the sizes: the quotient, rounded up, and for the last part -1, the rest."""
    dims = writer.shape_of(name)
    size = writer.new_name(name)
    position = writer.weight(np.array([axis]), name)
    rank = writer.new_name(name)
    writer.emit("shape", {"Input": dims}, {"Out": rank})
    position = writer.binary("elementwise_mod", position, writer.cast(rank, DType.INT64))
    writer.emit("gather", {"X": dims, "Index": position}, {"Out": size})
    dividend = writer.unary("scale", size, {"scale": 1.0, "bias": float(count - 1)})
    divisor = writer.weight(np.array([count], np.int32), name)
    part = writer.binary("elementwise_floordiv", dividend, divisor)
    return [*[part] * (count - 1), writer.weight(np.array([-1], np.int32), name)]


@onnx_op("Pad")
def pad(node: OnnxNode, writer: BlockWriter) -> None:
    """`pad_nd`; pads are an attribute before opset 11."""
    mode = node.string("mode", "constant")
    if mode not in ("constant", "reflect", "edge", "wrap"):
        raise node.error(f"mode: expected constant, reflect, edge or wrap, got {mode!r}")
    pads = integer_operand(node, writer, "pads", 1)
    if pads is None:
        raise node.error("pads are missing")
    axes = integers_of(writer, node.input(3)) if node.optional(3) else IntegerOperand([], count=0)
    attrs: dict[str, AttrValue] = {"mode": mode, **pads.attr("paddings"), **axes.attr("axes")}
    inputs = {"X": node.input(0), **pads.slot("Paddings"), **axes.slot("Axes")}
    value = _pad_value(node, writer)
    if value is None:
        inputs["Value"] = node.input(2)
    else:
        attrs["value"] = value
    writer.emit("pad_nd", inputs, {"Out": node.output()}, attrs)


def _pad_value(node: OnnxNode, writer: BlockWriter) -> float | None:
    """The value of constant borders; None where it is computed, or a float32 cannot hold it."""
    if node.opset < 11:
        return node.real("value", 0.0)
    name = node.optional(2)
    if name is None:
        return 0.0
    array = writer.constant(name)
    if array is None or array.dtype.kind not in "fiu":
        return None
    number = float(np.asarray(array).reshape(-1)[0]) if array.size else 0.0
    return number if not np.isfinite(number) or float(np.float32(number)) == number else None
