"""ONNX ops that make tensors from numbers: Range, OneHot, EyeLike, Trilu, the windows."""

from __future__ import annotations

from lite.ir.program import AttrValue
from lite.ir.types import DType
from lite.model_parser.onnx.block_writer import BlockWriter
from lite.model_parser.onnx.node import OnnxNode
from lite.model_parser.onnx.ops.cast import wanted_type
from lite.model_parser.onnx.registry import onnx_op
from lite.model_parser.onnx.whole_numbers import WholeNumbers, numbers_of

_WINDOWS = {
    "BlackmanWindow": [0.42, -0.5, 0.08],
    "HammingWindow": [25 / 46, -21 / 46],
    "HannWindow": [0.5, -0.5],
}


@onnx_op("Range")
def range_(node: OnnxNode, writer: BlockWriter) -> None:
    """Of a step that leads away from the limit, no numbers."""
    inputs = {"Start": node.input(0), "End": node.input(1), "Step": node.input(2)}
    writer.emit("range", inputs, {"Out": node.output()}, {"allow_empty": True})


@onnx_op("OneHot")
def one_hot(node: OnnxNode, writer: BlockWriter) -> None:
    """one_hot_values."""
    depth = numbers_of(writer, node.input(1))
    attrs: dict[str, AttrValue] = {"axis": node.integer("axis", -1)}
    if depth.known is not None:
        attrs["depth"] = depth.known[0]
    inputs = {"X": node.input(0), "Values": node.input(2), **depth.slot("Depth")}
    writer.emit("one_hot_values", inputs, {"Out": node.output()}, attrs)


@onnx_op("EyeLike")
def eye_like(node: OnnxNode, writer: BlockWriter) -> None:
    """In the type of the input where none is given."""
    dtype = wanted_type(node, "dtype").code if node.has("dtype") else -1
    attrs = {"diagonal": node.integer("k", 0), "dtype": dtype}
    writer.unary("eye_like", node.input(0), attrs, node.output())


@onnx_op("Trilu")
def trilu(node: OnnxNode, writer: BlockWriter) -> None:
    """The diagonal is an optional input."""
    diagonal = numbers_of(writer, node.input(1)) if node.optional(1) else WholeNumbers([0])
    attrs: dict[str, AttrValue] = {"lower": not node.integer("upper", 1)}
    if diagonal.known is not None:
        attrs["diagonal"] = diagonal.known[0]
    inputs = {"X": node.input(0), **diagonal.slot("DiagonalTensor")}
    writer.emit("tril_triu", inputs, {"Out": node.output()}, attrs)


@onnx_op(*_WINDOWS)
def window(node: OnnxNode, writer: BlockWriter) -> None:
    """A sum of cosines."""
    attrs: dict[str, AttrValue] = {
        "coefficients": [*_WINDOWS[node.op]],
        "periodic": bool(node.integer("periodic", 1)),
        "dtype": (
            wanted_type(node, "output_datatype") if node.has("output_datatype") else DType.FLOAT32
        ).code,
    }
    writer.emit("cosine_window", {"Size": node.input(0)}, {"Out": node.output()}, attrs)
