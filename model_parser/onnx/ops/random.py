"""ONNX ops that draw random numbers; with the same seed, ours are the same at each run."""

from __future__ import annotations

import numpy as np

from lite.ir.program import AttrValue
from lite.ir.types import DType
from lite.model_parser.onnx.block_writer import BlockWriter
from lite.model_parser.onnx.node import OnnxNode
from lite.model_parser.onnx.ops.cast import wanted_type
from lite.model_parser.onnx.registry import onnx_op

_TABLE = {
    "RandomNormal": ("gaussian_random", {"mean": ("mean", 0.0), "std": ("scale", 1.0)}),
    "RandomUniform": ("uniform_random", {"min": ("low", 0.0), "max": ("high", 1.0)}),
}
"""ONNX op → ours, and for each of our attributes ONNX's name and default."""


@onnx_op(*_TABLE)
def drawn(node: OnnxNode, writer: BlockWriter) -> None:
    """In a shape that is an attribute."""
    shape = node.integers("shape")
    if shape is None:
        raise node.error("attribute shape is missing")
    dtype = wanted_type(node, "dtype") if node.has("dtype") else DType.FLOAT32
    op, attrs = _drawn(node, node.op)
    writer.emit(op, {}, {"Out": node.output()}, {**attrs, "shape": [*shape], "dtype": dtype.code})


@onnx_op(*(f"{name}Like" for name in _TABLE))
def drawn_like(node: OnnxNode, writer: BlockWriter) -> None:
    """In the shape, and where none is given in the type, of the input."""
    source = node.input(0)
    dtype = wanted_type(node, "dtype") if node.has("dtype") else writer.dtype(source)
    op, attrs = _drawn(node, node.op.removesuffix("Like"))
    inputs = {"ShapeTensor": _shape(writer, source)}
    writer.emit(op, inputs, {"Out": node.output()}, {**attrs, "dtype": dtype.code})


@onnx_op("Bernoulli")
def bernoulli(node: OnnxNode, writer: BlockWriter) -> None:
    """Whether a number between 0 and 1 is below the probability."""
    source = node.input(0)
    kind = writer.dtype(source)
    dtype = wanted_type(node, "dtype") if node.has("dtype") else kind
    attrs: dict[str, AttrValue] = {"min": 0.0, "max": 1.0, "seed": _seed(node), "dtype": kind.code}
    numbers = writer.new(source)
    writer.emit("uniform_random", {"ShapeTensor": _shape(writer, source)}, {"Out": numbers}, attrs)
    writer.binary("less_than", numbers, source, {"out_dtype": dtype.code}, node.output())


@onnx_op("Multinomial")
def multinomial(node: OnnxNode, writer: BlockWriter) -> None:
    """The input has logarithms of probabilities, which need not add up to 1."""
    dtype = wanted_type(node, "dtype") if node.has("dtype") else DType.INT32
    weights = writer.unary("softmax", node.input(0), {"axis": -1})
    attrs: dict[str, AttrValue] = {
        "num_samples": node.integer("sample_size", 1),
        "replacement": True,
        "seed": _seed(node),
    }
    columns = writer.unary("multinomial", weights, attrs)
    writer.unary("cast", columns, {"out_dtype": dtype.code}, node.output())


def _drawn(node: OnnxNode, name: str) -> tuple[str, dict[str, AttrValue]]:
    op, table = _TABLE[name]
    values = {ours: node.real(theirs, default) for ours, (theirs, default) in table.items()}
    return op, {**values, "seed": _seed(node)}


def _seed(node: OnnxNode) -> int:
    """ONNX's seed is a real number: its bits are ours."""
    return int(np.float32(node.real("seed", 0.0)).view(np.uint32)) & 0x7FFFFFFF


def _shape(writer: BlockWriter, name: str) -> str:
    dims = writer.new(name)
    writer.emit("shape", {"Input": name}, {"Out": dims})
    return dims
