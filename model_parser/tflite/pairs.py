"""Complex tensors, as variables of pairs (real, imaginary) in one more axis."""

from __future__ import annotations

from collections.abc import Mapping

from lite.errors import ModelParseError
from lite.ir.program import AttrValue
from lite.model_parser.tflite.graph_writer import GraphWriter
from lite.model_parser.tflite.node import TfliteNode
from lite.model_parser.tflite.tensors import Tensor


def pairs(writer: GraphWriter, tensor: Tensor) -> str:
    """The variable ``float32[…, 2]`` of a complex tensor; raises `ModelParseError` where there is none."""
    if tensor.name not in writer.pairs:
        raise ModelParseError(
            f"tensor {tensor.name!r}: expected complex numbers that RFFT2D computes, got {tensor.dtype}"
        )
    return writer.pairs[tensor.name]


def part_attributes(tensor: Tensor, part: int) -> dict[str, AttrValue]:
    """The attributes of the `slice` that takes the real part of each pair, or the imaginary one, number 1."""
    axis = tensor.rank
    return {"axes": [axis], "starts": [part], "ends": [part + 1], "decrease_axis": [axis]}


def real_part(writer: GraphWriter, tensor: Tensor) -> str:
    """A variable with the real parts of a complex tensor."""
    name = writer.new_name(tensor.name)
    writer.emit("slice", {"Input": pairs(writer, tensor)}, {"Out": name}, part_attributes(tensor, 0))
    return name


def move_pairs(
    node: TfliteNode, writer: GraphWriter, op: str, attrs: Mapping[str, AttrValue] | None = None
) -> None:
    """Add an op that moves the pairs of the first input; its attributes are those for one more axis."""
    writer.pairs[node.output().name] = writer.unary(op, pairs(writer, node.input(0)), attrs)
