"""ONNX ops of one tensor that have a counterpart with the same meaning."""

from __future__ import annotations

from lite.ir.program import AttrValue
from lite.model_parser.onnx.block_writer import BlockWriter
from lite.model_parser.onnx.node import OnnxNode
from lite.model_parser.onnx.registry import onnx_op

_SAME = {
    "Abs": "abs",
    "Acos": "acos",
    "Acosh": "acosh",
    "Asin": "asin",
    "Asinh": "asinh",
    "Atan": "atan",
    "Atanh": "atanh",
    "Ceil": "ceil",
    "Cos": "cos",
    "Cosh": "cosh",
    "Erf": "erf",
    "Exp": "exp",
    "Floor": "floor",
    "Log": "log",
    "Mish": "mish",
    "Not": "logical_not",
    "Reciprocal": "reciprocal",
    "Relu": "relu",
    "Round": "rint",
    "Sigmoid": "sigmoid",
    "Sign": "sign",
    "Sin": "sin",
    "Sinh": "sinh",
    "Softsign": "softsign",
    "Sqrt": "sqrt",
    "Tan": "tan",
    "Tanh": "tanh",
}

_WITH_ONE_NUMBER: dict[str, tuple[str, str, str, float, dict[str, AttrValue]]] = {
    "Elu": ("elu", "alpha", "alpha", 1.0, {}),
    "LeakyRelu": ("leaky_relu", "alpha", "alpha", 0.01, {}),
    "ThresholdedRelu": ("thresholded_relu", "alpha", "threshold", 1.0, {}),
}
"""ONNX op → ours, ONNX's attribute, ours, the default."""


@onnx_op(*_SAME)
def same(node: OnnxNode, writer: BlockWriter) -> None:
    """The op of another name."""
    writer.emit(_SAME[node.op], {"X": node.input(0)}, {"Out": node.output()})


@onnx_op(*_WITH_ONE_NUMBER)
def with_one_number(node: OnnxNode, writer: BlockWriter) -> None:
    """The op of another name, with its attribute."""
    op, theirs, ours, default, attrs = _WITH_ONE_NUMBER[node.op]
    writer.emit(op, {"X": node.input(0)}, {"Out": node.output()}, {**attrs, ours: node.real(theirs, default)})
