"""Replaces qlinear_conv by conv2d between ops that dequantise and quantise."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from lite.ir.graph import Graph, Node, Value
from lite.ir.types import Array, DType
from lite.passes.base import Outcome, Pass, PassContext, Result
from lite.passes.match import attributes
from lite.passes.registry import register_pass

_LINE, _IMAGE = 3, 4
"""The ranks of convolutions that are split."""

_PARAMETERS = ("XScale", "XZeroPoint", "Filter", "FilterScale", "FilterZeroPoint", "OutScale", "OutZeroPoint")


@register_pass
class QlinearConvSplitPass(Pass):
    """Replaces qlinear_conv by the ops of ONNX's QDQ format (QuantizeLinear and DequantizeLinear)::

                                          %a = affine_dequantize(X=%x, …)
        %y = qlinear_conv(X=%x, …)   ->   %f = affine_dequantize(X=%filter, …)
                                          %c = conv2d(Input=%a, Filter=%f, Bias=%b)
                                          %y = affine_quantize(X=%c, …)

    Later passes compute these ops in integers, with the same sums.  They multiply scales in float32, so a
    number close to a half may be rounded in the other direction.  In strict precision, the pass changes
    nothing.  A convolution of lines becomes one of images that are one pixel high.
    """

    name: ClassVar[str] = "qlinear_conv_split_pass"
    needs: ClassVar[tuple[str, ...]] = ("qlinear_conv",)
    after: ClassVar[tuple[str, ...]] = ("canonicalize_pass", "constant_fold_pass")
    targets: ClassVar[tuple[str, ...]] = ("cpu",)

    def run(self, graph: Graph, ctx: PassContext) -> Result:
        """Splits convolutions of lines and images with constant filters, biases, scales and zero points."""
        if ctx.strict:
            return Outcome.UNCHANGED
        changes = [_split(graph, node) for node in list(graph) if node.op == "qlinear_conv"]
        if any(changes):
            graph.drop_unused_constants()
        return Outcome.of(any(changes))


def _split(graph: Graph, node: Node) -> bool:
    arrays = {slot: node.input(slot).data for slot in _PARAMETERS}
    constants = {slot: array for slot, array in arrays.items() if array is not None}
    bias, attrs = node.optional_input("Bias"), attributes(node)
    filters = constants.get("Filter")
    if len(constants) < len(_PARAMETERS) or filters is None or filters.ndim not in (_LINE, _IMAGE):
        return False
    if (bias is not None and bias.data is None) or attrs.text("auto_pad") not in ("NOTSET", "VALID"):
        return False
    if any(constants[slot].size != 1 or constants[slot].dtype.kind not in "fiu" for slot in _PARAMETERS[:2]):
        return False
    x, out, weights = node.input("X"), node.output("Out"), node.input("Filter")
    is_line = filters.ndim == _LINE
    if is_line:
        x = _as_image(graph, x)
        graph.add_node("unsqueeze2", {"X": [node.input("X")]}, {"Out": [x]}, {"axes": [2]}, before=node)
        weights = _constant(graph, weights, filters[:, :, None])
    axes = {"axis": 0, "block_size": 0, "dtype": DType.FLOAT32.code}
    scale = constants["FilterScale"].reshape(-1)
    zero = np.broadcast_to(constants["FilterZeroPoint"].reshape(-1), scale.shape)

    real = _between(graph, x, "real")
    numbers = {"Scale": [node.input("XScale")], "ZeroPoint": [node.input("XZeroPoint")]}
    graph.add_node("affine_dequantize", {"X": [x], **numbers}, {"Out": [real]}, axes, before=node)
    weight = _between(graph, weights, "real")
    own = {
        "Scale": [_constant(graph, node.input("FilterScale"), scale)],
        "ZeroPoint": [_constant(graph, node.input("FilterZeroPoint"), zero)],
    }
    graph.add_node("affine_dequantize", {"X": [weights], **own}, {"Out": [weight]}, axes, before=node)
    inputs = {"Input": [real], "Filter": [weight]}
    if bias is not None and bias.data is not None:
        steps = constants["XScale"].reshape(-1).astype(np.float64) * scale
        inputs["Bias"] = [_constant(graph, bias, (bias.data * steps).astype(np.float32))]
    codes = _as_image(graph, out) if is_line else out
    result = _between(graph, codes, "real")
    own_axes, lines = filters.ndim - 2, [1] * (_IMAGE - filters.ndim)
    pads = list(attrs.integers("pads") or [0] * (2 * own_axes))
    sides = [0] * (2 * len(lines)) + [pads[n + end] for n in range(own_axes) for end in (0, own_axes)]
    is_valid = attrs.text("auto_pad") == "VALID"
    graph.add_node(
        "conv2d",
        inputs,
        {"Output": [result]},
        {
            "strides": [*lines, *(attrs.integers("strides") or [1] * own_axes)],
            "paddings": [0] * 4 if is_valid else sides,
            "dilations": [*lines, *(attrs.integers("dilations") or [1] * own_axes)],
            "groups": attrs.integer("group"),
        },
        before=node,
    )
    numbers = {"Scale": [node.input("OutScale")], "ZeroPoint": [node.input("OutZeroPoint")]}
    dtype = DType.from_numpy(constants["OutZeroPoint"].dtype).code
    node.outputs = {}
    out.producer = None
    graph.add_node(
        "affine_quantize", {"X": [result], **numbers}, {"Out": [codes]}, {**axes, "dtype": dtype}, before=node
    )
    if is_line:
        graph.add_node("squeeze2", {"X": [codes]}, {"Out": [out]}, {"axes": [2]}, before=node)
    graph.erase(node)
    return True


def _as_image(graph: Graph, line: Value) -> Value:
    """A new value for a line as an image that is one pixel high."""
    image = graph.new_value(graph.unique_name(f"{line.name}_image"), like=line)
    if line.shape is not None:
        image.shape = (*line.shape[:2], 1, *line.shape[2:])
    return image


def _between(graph: Graph, like: Value, suffix: str) -> Value:
    value = graph.new_value(graph.unique_name(f"{like.name}_{suffix}"), like=like)
    value.dtype = DType.FLOAT32
    value.quant = None
    if like.data is not None:
        value.shape = like.data.shape
    return value


def _constant(graph: Graph, like: Value, array: Array) -> Value:
    return graph.add_constant(like.name, np.ascontiguousarray(array))
