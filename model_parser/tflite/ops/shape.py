"""Ops that change shapes: reshape, transpose, join and split; sizes and constants of a shape."""

from __future__ import annotations

import numpy as np

from lite.errors import ModelParseError
from lite.ir.program import AttrValue
from lite.model_parser.tflite.graph_writer import TO_NCHW, GraphWriter
from lite.model_parser.tflite.list_items import replaced_item
from lite.model_parser.tflite.node import TfliteNode
from lite.model_parser.tflite.pairs import move_pairs
from lite.model_parser.tflite.translations import tflite_op


@tflite_op("RESHAPE")
def reshape(node: TfliteNode, writer: GraphWriter) -> None:
    """`reshape2` to the shape in an input, which may be computed, or in the options."""
    shape = node.optional(1)
    if node.input(0).name in writer.pairs:
        sizes = node.option_list() if shape is None else node.integers(1)
        move_pairs(node, writer, "reshape2", {"shape": [*sizes, 2]})
    elif shape is None:
        writer.move(node, "reshape2", {"shape": node.option_list()})
    elif shape.elements is None:
        writer.move(node, "reshape2", others={"Shape": writer.name(shape)})
    else:
        writer.move(node, "reshape2", {"shape": node.integers(1)})


@tflite_op("TRANSPOSE")
def transpose(node: TfliteNode, writer: GraphWriter) -> None:
    """`transpose2` in a constant order."""
    writer.move(node, "transpose2", {"axis": node.integers(1)})


@tflite_op("SQUEEZE")
def squeeze(node: TfliteNode, writer: GraphWriter) -> None:
    """`squeeze2`."""
    source = node.input(0)
    attrs: dict[str, AttrValue] = {"axes": [source.axis(axis) for axis in node.option_list()]}
    if source.name in writer.pairs:
        move_pairs(node, writer, "squeeze2", attrs)
    else:
        writer.move(node, "squeeze2", attrs)


@tflite_op("EXPAND_DIMS")
def expand_dims(node: TfliteNode, writer: GraphWriter) -> None:
    """`unsqueeze2` at a constant axis."""
    (axis,) = node.integers(1)
    writer.move(node, "unsqueeze2", {"axes": [axis]})


@tflite_op("TILE")
def tile(node: TfliteNode, writer: GraphWriter) -> None:
    """`tile` by numbers that may be computed."""
    times = node.input(1)
    if times.elements is None:
        writer.move(node, "tile", others={"RepeatTimes": writer.name(times)})
    else:
        writer.move(node, "tile", {"repeat_times": node.integers(1)})


@tflite_op("BROADCAST_TO")
def broadcast_to(node: TfliteNode, writer: GraphWriter) -> None:
    """`broadcast_to` a shape that may be computed."""
    shape = node.input(1)
    if shape.elements is None:
        writer.move(node, "broadcast_to", others={"Shape": writer.name(shape)})
    else:
        writer.move(node, "broadcast_to", {"shape": node.integers(1)})


@tflite_op("BROADCAST_ARGS")
def broadcast_args(node: TfliteNode, writer: GraphWriter) -> None:
    """The shape that two shapes broadcast to: the size of the second where that of the first is 1."""
    given = [node.input(position).shape for position in range(2)]
    known = [shape[0] for shape in given if len(shape) == 1 and isinstance(shape[0], int)]
    if len(known) != 2:
        raise ModelParseError(f"expected two lists of known length, got shapes {given}")
    names = []
    for position, count in enumerate(known):
        name, missing = writer.name(node.input(position)), max(known) - count
        paddings: dict[str, AttrValue] = {"paddings": [missing, 0], "value": 1.0}
        names.append(writer.unary("pad_nd", name, paddings) if missing else name)
    one = writer.weight("one", np.ones(1, node.input(0).dtype.numpy))
    condition = writer.binary("equal", names[0], one)
    writer.write(node, "where", {"Condition": condition, "X": names[1], "Y": names[0]})


@tflite_op("REVERSE_V2")
def reverse(node: TfliteNode, writer: GraphWriter) -> None:
    """`flip` of constant axes."""
    writer.move(node, "flip", {"axis": node.integers(1)})


@tflite_op("REVERSE_SEQUENCE")
def reverse_sequence(node: TfliteNode, writer: GraphWriter) -> None:
    """`reverse_sequence`: the first elements along one axis, as many as a number for each of another one."""
    source = node.input(0)
    attrs: dict[str, AttrValue] = {
        "time_axis": source.axis(node.integer("seq_dim")),
        "batch_axis": source.axis(node.integer("batch_dim")),
    }
    writer.move(node, "reverse_sequence", attrs, others={"SequenceLens": writer.name(node.input(1))})


@tflite_op("CONCATENATION")
def concatenation(node: TfliteNode, writer: GraphWriter) -> None:
    """`concat`, or `scatter` where the tensors are those of a list with one item replaced."""
    write = replaced_item(node, writer)
    if write is not None:
        names, is_stored = writer.moved(node, [write.items, write.item])
        inputs = {"X": names[0], "Ids": writer.name(write.position), "Updates": names[1]}
        writer.write(node, "scatter", inputs, {"overwrite": True}, is_stored=is_stored)
        return
    tensors = [node.input(position) for position in range(len(node.inputs))]
    axis = node.output().axis(node.integer("axis"))
    names, is_image = writer.operands(tensors)
    if is_image:
        writer.write(node, "concat", {"X": names}, {"axis": TO_NCHW.index(axis)}, is_image=True)
        return
    names, is_stored = writer.moved(node, tensors)
    writer.write(node, "concat", {"X": names}, {"axis": axis}, is_stored=is_stored)


@tflite_op("PACK")
def pack(node: TfliteNode, writer: GraphWriter) -> None:
    """`stack`."""
    tensors = [node.input(position) for position in range(len(node.inputs))]
    names, is_stored = writer.moved(node, tensors)
    attrs: dict[str, AttrValue] = {"axis": node.integer("axis")}
    writer.write(node, "stack", {"X": names}, attrs, slot="Y", is_stored=is_stored)


@tflite_op("UNPACK")
def unpack(node: TfliteNode, writer: GraphWriter) -> None:
    """`unstack`."""
    attrs: dict[str, AttrValue] = {"axis": node.integer("axis"), "num": len(node.outputs)}
    _write_parts(node, writer, 0, "unstack", "Y", attrs)


@tflite_op("SPLIT")
def split(node: TfliteNode, writer: GraphWriter) -> None:
    """`split` into parts of one size; the axis is the first input."""
    (axis,) = node.integers(0)
    attrs: dict[str, AttrValue] = {"axis": node.input(1).axis(axis), "num": len(node.outputs)}
    _write_parts(node, writer, 1, "split", "Out", attrs)


@tflite_op("SPLIT_V")
def split_v(node: TfliteNode, writer: GraphWriter) -> None:
    """`split` into parts of constant sizes."""
    (axis,) = node.integers(2)
    attrs: dict[str, AttrValue] = {"axis": node.input(0).axis(axis), "sections": node.integers(1)}
    _write_parts(node, writer, 0, "split", "Out", attrs)


def _write_parts(
    node: TfliteNode, writer: GraphWriter, position: int, op: str, slot: str, attrs: dict[str, AttrValue]
) -> None:
    """Add an op that writes all outputs of the node."""
    (source,), is_stored = writer.moved(node, [node.input(position)])
    if is_stored:
        writer.emit(op, {"X": source}, {slot: [output.name for output in node.outputs]}, attrs)
        for output in node.outputs:
            writer.declare(output)
        return
    parts = [writer.new_name(output.name) for output in node.outputs]
    writer.emit(op, {"X": source}, {slot: parts}, attrs)
    for number, part in enumerate(parts):
        writer.write(node, "assign", {"X": part}, position=number)


@tflite_op("SHAPE")
def shape(node: TfliteNode, writer: GraphWriter) -> None:
    """`shape` in the type of the output."""
    sizes = writer.new_name(node.output().name)
    writer.emit("shape", {"Input": writer.name(node.input(0))}, {"Out": sizes})
    writer.write(node, "cast", {"X": sizes}, {"out_dtype": node.output().dtype.code})


@tflite_op("RANK")
def rank(node: TfliteNode, writer: GraphWriter) -> None:
    """A constant."""
    number = writer.weight(f"{node.output().name}.rank", np.array(node.input(0).rank, np.int32))
    writer.write(node, "assign", {"X": number})


@tflite_op("ZEROS_LIKE")
def zeros_like(node: TfliteNode, writer: GraphWriter) -> None:
    """`fill_any_like`."""
    writer.write(node, "fill_any_like", {"X": writer.real(node.input(0))}, {"value": 0.0})


@tflite_op("FILL")
def fill(node: TfliteNode, writer: GraphWriter) -> None:
    """`fill_constant` of a value and a shape that may be computed; a quantised value is copied."""
    inputs = {"ShapeTensor": writer.name(node.input(0)), "ValueTensor": writer.name(node.input(1))}
    writer.write(node, "fill_constant", inputs, {"dtype": node.output().dtype.code}, is_stored=True)


@tflite_op("RANGE")
def range_(node: TfliteNode, writer: GraphWriter) -> None:
    """`range`."""
    slots = ("Start", "End", "Step")
    inputs = {slot: writer.name(node.input(position)) for position, slot in enumerate(slots)}
    writer.write(node, "range", inputs, {"allow_empty": True})
