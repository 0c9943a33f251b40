"""ONNX Concat and Split."""

from __future__ import annotations

import numpy as np

from lite.ir.program import AttrValue
from lite.model_parser.onnx.block_writer import BlockWriter
from lite.model_parser.onnx.node import OnnxNode
from lite.model_parser.onnx.registry import onnx_op
from lite.model_parser.onnx.whole_numbers import whole_numbers


@onnx_op("Concat")
def concat(node: OnnxNode, writer: BlockWriter) -> None:
    """concat."""
    if not node.has("axis"):
        raise node.error("attribute axis is missing")
    names = [node.input(n) for n in range(len(node.inputs))]
    writer.emit("concat", {"X": names}, {"Out": node.output()}, {"axis": node.integer("axis", 0)})


@onnx_op("Split")
def split(node: OnnxNode, writer: BlockWriter) -> None:
    """Sizes are an attribute or an input; without them the parts are equal, but for a smaller last one."""
    outputs = [name or writer.new(node.input(0)) for name in node.outputs]
    count = node.integer("num_outputs", len(outputs))
    if count != len(outputs):
        raise node.error(f"num_outputs: expected {len(outputs)} like the outputs, got {count}")
    source, axis = node.input(0), node.integer("axis", 0)
    attrs: dict[str, AttrValue] = {"axis": axis}
    inputs: dict[str, str | list[str]] = {"X": source}
    sizes = whole_numbers(node, writer, "split", 1)
    if sizes is not None and sizes.known is not None:
        if len(sizes.known) != count:
            raise node.error(f"split: expected {count} sizes, one for each output, got {sizes.known}")
        attrs["sections"] = [*sizes.known]
    elif sizes is not None:
        inputs["SectionsTensorList"] = _elements(writer, sizes.name, count)
    elif node.opset < 18 or _divides(writer, source, axis, count):
        attrs["num"] = count
    else:
        inputs["SectionsTensorList"] = _uneven(writer, source, axis, count)
    writer.emit("split", inputs, {"Out": outputs}, attrs)


def _elements(writer: BlockWriter, name: str, count: int) -> list[str]:
    parts = [writer.new(name) for _ in range(count)]
    writer.emit("split", {"X": name}, {"Out": parts}, {"axis": 0, "num": count})
    return parts


def _divides(writer: BlockWriter, name: str, axis: int, count: int) -> bool:
    shape = writer.shape(name)
    size = shape[axis] if shape is not None and -len(shape) <= axis < len(shape) else None
    return count == 1 or (isinstance(size, int) and size % count == 0)


def _uneven(writer: BlockWriter, name: str, axis: int, count: int) -> list[str]:
    """The size of every part but the last, rounded up, and -1 for what is left."""
    dims, size = writer.new(name), writer.new(name)
    writer.emit("shape", {"Input": name}, {"Out": dims})
    place = writer.weight(np.array([axis]), name)
    rank = writer.new(name)
    writer.emit("shape", {"Input": dims}, {"Out": rank})
    place = writer.binary("elementwise_mod", place, writer.unary("cast", rank, {"out_dtype": 3}))
    writer.emit("gather", {"X": dims, "Index": place}, {"Out": size})
    above = writer.unary("scale", size, {"scale": 1.0, "bias": float(count - 1)})
    divisor = writer.weight(np.array([count], np.int32), name)
    part = writer.binary("elementwise_floordiv", above, divisor)
    return [*[part] * (count - 1), writer.weight(np.array([-1], np.int32), name)]
