"""Replaces qlinear_conv by conv2d between ops that dequantise and quantise."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from lite.ir.graph import Graph, Node, Value
from lite.ir.types import Array, DType
from lite.passes.base import Outcome, Pass, PassContext, Result
from lite.passes.match import attributes
from lite.passes.registry import register_pass

_RANK = 4
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
    nothing.
    """

    name: ClassVar[str] = "qlinear_conv_split_pass"
    needs: ClassVar[tuple[str, ...]] = ("qlinear_conv",)
    after: ClassVar[tuple[str, ...]] = ("canonicalize_pass", "constant_fold_pass")
    targets: ClassVar[tuple[str, ...]] = ("cpu",)

    def run(self, graph: Graph, ctx: PassContext) -> Result:
        """Splits convolutions of 2-D images with constant filters, biases, scales and zero points."""
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
    if len(constants) < len(_PARAMETERS) or filters is None or filters.ndim != _RANK:
        return False
    if (bias is not None and bias.data is None) or attrs.text("auto_pad") not in ("NOTSET", "VALID"):
        return False
    if any(constants[slot].size != 1 or constants[slot].dtype.kind not in "fiu" for slot in _PARAMETERS[:2]):
        return False
    x, out = node.input("X"), node.output("Out")
    axes = {"axis": 0, "block_size": 0, "dtype": DType.FLOAT32.code}
    scale = constants["FilterScale"].reshape(-1)
    zero = np.broadcast_to(constants["FilterZeroPoint"].reshape(-1), scale.shape)

    real = _between(graph, x, "real")
    numbers = {"Scale": [node.input("XScale")], "ZeroPoint": [node.input("XZeroPoint")]}
    graph.add_node("affine_dequantize", {"X": [x], **numbers}, {"Out": [real]}, axes, before=node)
    weight = _between(graph, node.input("Filter"), "real")
    own = {
        "Scale": [_constant(graph, node.input("FilterScale"), scale)],
        "ZeroPoint": [_constant(graph, node.input("FilterZeroPoint"), zero)],
    }
    graph.add_node(
        "affine_dequantize", {"X": [node.input("Filter")], **own}, {"Out": [weight]}, axes, before=node
    )
    inputs = {"Input": [real], "Filter": [weight]}
    if bias is not None and bias.data is not None:
        steps = constants["XScale"].reshape(-1).astype(np.float64) * scale
        inputs["Bias"] = [_constant(graph, bias, (bias.data * steps).astype(np.float32))]
    result = _between(graph, out, "real")
    top, left, bottom, right = attrs.integers("pads") or [0] * 4
    is_valid = attrs.text("auto_pad") == "VALID"
    graph.add_node(
        "conv2d",
        inputs,
        {"Output": [result]},
        {
            "strides": list(attrs.integers("strides") or [1, 1]),
            "paddings": [0] * 4 if is_valid else [top, bottom, left, right],
            "dilations": list(attrs.integers("dilations") or [1, 1]),
            "groups": attrs.integer("group"),
        },
        before=node,
    )
    numbers = {"Scale": [node.input("OutScale")], "ZeroPoint": [node.input("OutZeroPoint")]}
    dtype = DType.from_numpy(constants["OutZeroPoint"].dtype).code
    node.outputs = {}
    out.producer = None
    graph.add_node(
        "affine_quantize", {"X": [result], **numbers}, {"Out": [out]}, {**axes, "dtype": dtype}, before=node
    )
    graph.erase(node)
    return True


def _between(graph: Graph, like: Value, suffix: str) -> Value:
    value = graph.new_value(graph.unique_name(f"{like.name}_{suffix}"), like=like)
    value.dtype = DType.FLOAT32
    value.quant = None
    if like.data is not None:
        value.shape = like.data.shape
    return value


def _constant(graph: Graph, like: Value, array: Array) -> Value:
    return graph.add_constant(like.name, np.ascontiguousarray(array))
