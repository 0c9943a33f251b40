"""Lets convolutions and products write integers."""

from __future__ import annotations

from typing import ClassVar

from lite.ir.graph import Graph, Node
from lite.ir.types import DType
from lite.ops import Trait, has_trait
from lite.passes.base import Outcome, Pass, PassContext, Result
from lite.passes.fuse.convolution.convolution import has_fixed_weights, weight
from lite.passes.match import attributes, sole_producer, take_output
from lite.passes.registry import register_pass

_OUTPUTS = {"quantized_conv2d": "Output", "quantized_fc": "Out", "conv2d": "Output"}


@register_pass
class RequantizeFusePass(Pass):
    """Merges the quantisation of a result into the integer convolution or product that computes it::

        Output=%y = quantized_conv2d(…)                    Output=%q = quantized_conv2d(…)
        %q = affine_quantize(X=%y, Scale=%s)         ->        {out_scale = 0.1, out_zero_point = 128}

    The result has one reader, one scale and the type uint8, and its activation, if any, is of straight lines.
    Depthwise convolutions of floats write integers, too.  The op also takes the table of a quantized_lookup
    that is the only reader of its integers.
    """

    name: ClassVar[str] = "requantize_fuse_pass"
    needs: ClassVar[tuple[str, ...]] = ("affine_quantize",)
    after: ClassVar[tuple[str, ...]] = ("quant_dequant_fuse_pass", "quantized_lookup_fuse_pass")
    targets: ClassVar[tuple[str, ...]] = ("cpu",)

    def run(self, graph: Graph, ctx: PassContext) -> Result:
        """Visits every quantisation."""
        changes = [_fuse(node) for node in graph if node.op == "affine_quantize"]
        changes += [_fuse_table(node) for node in graph if node.op == "quantized_lookup"]
        changes.append(graph.drop_unused_constants())
        return Outcome.of(any(changes))


def _fuse(quantize: Node) -> bool:
    node = sole_producer(quantize.input("X"), tuple(_OUTPUTS))
    scale, zero = quantize.input("Scale").data, quantize.optional_input("ZeroPoint")
    if node is None or scale is None or scale.size != 1 or (zero is not None and zero.data is None):
        return False
    if quantize.output("Out").dtype is not DType.UINT8 or (node.op == "conv2d" and not _is_depthwise(node)):
        return False
    activation = attributes(node).text("activation")
    if activation and not has_trait(activation, Trait.CLAMP):
        return False
    point = 0 if zero is None or zero.data is None else int(zero.data.reshape(-1)[0])
    node.attrs |= {"out_scale": float(scale.reshape(-1)[0]), "out_zero_point": point}
    take_output(node, _OUTPUTS[node.op], quantize, "Out")
    return True


def _fuse_table(lookup: Node) -> bool:
    """Let the op whose integers a table maps write the table's elements."""
    node = sole_producer(lookup.input("X"), ("quantized_conv2d", "quantized_fc"))
    if node is None or not node.attrs.get("out_scale") or "Table" in node.inputs:
        return False
    table = lookup.input("Table")
    if table.dtype is not DType.UINT8 or not table.is_constant:
        return False
    node.set_input("Table", [table])
    take_output(node, _OUTPUTS[node.op], lookup, "Out")
    return True


def _is_depthwise(conv: Node) -> bool:
    if not has_fixed_weights(conv):
        return False
    outputs, per_group, *_ = weight(conv).shape
    return bool(per_group == 1 and attributes(conv).integer("groups") == outputs)
