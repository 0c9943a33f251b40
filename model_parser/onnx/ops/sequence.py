"""Sequences as tensor arrays, optionals, and ReverseSequence."""

from __future__ import annotations

from lite.ir.program import AttrValue
from lite.ir.types import DType
from lite.model_parser.onnx.block_writer import BlockWriter
from lite.model_parser.onnx.node import OnnxNode
from lite.model_parser.onnx.translations import onnx_op
from lite.model_parser.onnx.while_loop import While


@onnx_op("SequenceEmpty")
def empty(node: OnnxNode, writer: BlockWriter) -> None:
    """`make_array` without elements."""
    attrs = {"dtype": node.dtype("dtype").code} if node.has("dtype") else {}
    writer.emit("make_array", {}, {"Out": node.output()}, {**attrs})


@onnx_op("SequenceConstruct")
def construct(node: OnnxNode, writer: BlockWriter) -> None:
    """`make_array`."""
    writer.emit("make_array", {"X": list(node.inputs)}, {"Out": node.output()})


@onnx_op("SequenceInsert")
def insert(node: OnnxNode, writer: BlockWriter) -> None:
    """`insert_to_array`."""
    inputs = {"X": node.input(0), "Item": node.input(1), "Position": node.optional(2)}
    writer.emit("insert_to_array", inputs, {"Out": node.output()})


@onnx_op("SequenceErase")
def erase(node: OnnxNode, writer: BlockWriter) -> None:
    """`erase_from_array`."""
    inputs = {"X": node.input(0), "Position": node.optional(1)}
    writer.emit("erase_from_array", inputs, {"Out": node.output()})


@onnx_op("SequenceAt")
def at(node: OnnxNode, writer: BlockWriter) -> None:
    """`array_element`."""
    writer.emit("array_element", {"X": node.input(0), "Position": node.input(1)}, {"Out": node.output()})


@onnx_op("SequenceLength")
def length(node: OnnxNode, writer: BlockWriter) -> None:
    """`lod_array_length`, squeezed: its result is int64[1]."""
    count = writer.unary("lod_array_length", node.input(0))
    writer.unary("squeeze2", count, {"axes": [0]}, node.output())


@onnx_op("SplitToSequence")
def split(node: OnnxNode, writer: BlockWriter) -> None:
    """`split_to_array`."""
    attrs = {"axis": node.integer("axis", 0), "keepdims": node.integer("keepdims", 1)}
    inputs = {"X": node.input(0), "Split": node.optional(1)}
    writer.emit("split_to_array", inputs, {"Out": node.output()}, {**attrs})


@onnx_op("ConcatFromSequence")
def concat(node: OnnxNode, writer: BlockWriter) -> None:
    """`tensor_array_to_tensor`."""
    if not node.has("axis"):
        raise node.error("attribute axis is missing")
    attrs = {"axis": node.integer("axis", 0), "use_stack": bool(node.integer("new_axis", 0))}
    writer.unary("tensor_array_to_tensor", node.input(0), {**attrs}, node.output())


@onnx_op("SequenceMap")
def sequence_map(node: OnnxNode, writer: BlockWriter) -> None:
    """A `while` op over the elements of the sequences; inputs that are tensors stay the same."""
    loop = While(node, writer, [])
    body = loop.body
    if len(body.inputs) != len(node.inputs) or len(body.outputs) != len(node.outputs):
        raise node.error(
            f"the body has {len(body.inputs)} arguments and {len(body.outputs)} results, "
            f"expected {len(node.inputs)} and {len(node.outputs)}"
        )
    count = writer.unary("lod_array_length", node.input(0))
    limit = writer.cast(count, DType.INT64)
    condition = writer.binary("less_than", loop.counter, limit)
    for source, name in zip(node.inputs, body.inputs, strict=True):
        if writer.is_array(source):
            slots = {"X": source, "Position": loop.counter}
            loop.inner.emit("array_element", slots, {"Out": name})
        else:
            loop.inner.unary("assign", source, out=name)
    body.write_nodes()
    arrays = [loop.collect(result) for result in body.outputs]
    loop.run(condition, [], [], limit)
    for position, array in enumerate(arrays):
        if node.optional_output(position):
            writer.unary("assign", array, out=node.output(position))


@onnx_op("Optional")
def optional(node: OnnxNode, writer: BlockWriter) -> None:
    """`assign` of the value; an optional without value is recorded in `writer.absent` and writes no op."""
    value = node.optional(0)
    if value is None or value in writer.absent:
        writer.absent.add(node.output())
    else:
        writer.unary("assign", value, out=node.output())


@onnx_op("OptionalHasElement")
def has_element(node: OnnxNode, writer: BlockWriter) -> None:
    """A constant: the presence of the value is known when the model is read."""
    value = node.optional(0)
    is_present = value is not None and value not in writer.absent
    attrs: dict[str, AttrValue] = {"shape": [], "dtype": DType.BOOL.code, "value": float(is_present)}
    writer.emit("fill_constant", {}, {"Out": node.output()}, attrs)


@onnx_op("OptionalGetElement")
def get_element(node: OnnxNode, writer: BlockWriter) -> None:
    """`assign` of the value."""
    if node.input(0) in writer.absent:
        raise node.error(f"input {node.input(0)!r} has no element")
    writer.unary("assign", node.input(0), out=node.output())


@onnx_op("ReverseSequence")
def reverse_sequence(node: OnnxNode, writer: BlockWriter) -> None:
    """`reverse_sequence`."""
    inputs = {"X": node.input(0), "SequenceLens": node.input(1)}
    attrs = {"batch_axis": node.integer("batch_axis", 1), "time_axis": node.integer("time_axis", 0)}
    writer.emit("reverse_sequence", inputs, {"Out": node.output()}, attrs)
