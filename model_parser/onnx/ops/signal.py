"""Signal processing: DFT, STFT, windows and the mel weight matrix."""

from __future__ import annotations

from lite.ir.program import AttrValue
from lite.ir.types import DType
from lite.model_parser.onnx.block_writer import BlockWriter
from lite.model_parser.onnx.custom_ops import CustomOp, register_custom_ops
from lite.model_parser.onnx.node import OnnxNode
from lite.model_parser.onnx.translations import onnx_op

register_custom_ops(
    {
        "MelWeightMatrix": CustomOp(
            "mel_weight_matrix", "NumMelBins DftLength SampleRate LowerEdgeHertz UpperEdgeHertz"
        ),
    }
)

_STFT = CustomOp("stft", "X FrameStep Window FrameLength")

_AXIS_AS_INPUT = 20
"""The first opset in which the axis of DFT is an input."""

_WINDOWS = {
    "BlackmanWindow": [0.42, -0.5, 0.08],
    "HammingWindow": [25 / 46, -21 / 46],
    "HannWindow": [0.5, -0.5],
}
"""ONNX op → coefficients of the cosines."""


@onnx_op("DFT")
def dft(node: OnnxNode, writer: BlockWriter) -> None:
    """`dft`."""
    attrs: dict[str, AttrValue] = {
        "axis": node.integer("axis", 1),
        "inverse": bool(node.integer("inverse", 0)),
        "onesided": bool(node.integer("onesided", 0)),
    }
    inputs = {"X": node.input(0), "Length": node.optional(1)}
    if node.opset >= _AXIS_AS_INPUT:
        name = node.optional(2)
        axis = None if name is None else writer.constant(name)
        attrs["axis"] = -2 if axis is None else int(axis.reshape(-1)[0])
        if axis is None:
            inputs["Axis"] = name
    writer.emit("dft", inputs, {"Out": node.output()}, attrs)


@onnx_op("STFT")
def stft(node: OnnxNode, writer: BlockWriter) -> None:
    """`stft`; a signal ``[N, length]`` gets an axis of size 1, as ONNX Runtime takes it."""
    if writer.rank(node.input(0)) == 2:
        node = node.with_input(0, writer.unary("unsqueeze2", node.input(0), {"axes": [2]}))
    _STFT.write(node, writer)


@onnx_op(*_WINDOWS)
def window(node: OnnxNode, writer: BlockWriter) -> None:
    """`cosine_window`."""
    attrs: dict[str, AttrValue] = {
        "coefficients": [*_WINDOWS[node.op]],
        "periodic": bool(node.integer("periodic", 1)),
        "dtype": node.dtype("output_datatype", DType.FLOAT32).code,
    }
    writer.emit("cosine_window", {"Size": node.input(0)}, {"Out": node.output()}, attrs)
