"""Computes convolutions and products of quantised values in integers."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from lite.ir.graph import Graph, Node, Value
from lite.ir.program import AttrValue
from lite.ir.types import DType
from lite.passes.base import Outcome, Pass, PassContext, Result
from lite.passes.fuse.quantize.integer_products import IntegerProduct, integer_product, rows_of
from lite.passes.fuse.quantize.quantized import DEQUANTIZE, SHIFT, Activation
from lite.passes.fuse.quantize.stored_weights import is_stored_weight
from lite.passes.fuse.quantize.tensor_products import (
    Columns,
    TensorProduct,
    tensor_product,
    transposed_codes,
)
from lite.passes.match import attributes, become, erase_unread
from lite.passes.registry import register_pass
from lite.plugin.kernel import evaluate


@register_pass
class QuantDequantFusePass(Pass):
    """Replaces a convolution or product of dequantised values by one of their integers::

        %q = affine_quantize(X=%x, …)                        %q = affine_quantize(X=%x, …): uint8
        %a = affine_dequantize(X=%q, …)                ->    %y = quantized_conv2d(Input=%q, Filter=%w,
        %f = affine_dequantize(X=%w, …) : int8 %w                Scale=%s) {zero_point = 128}
        %y = conv2d(Input=%a, Filter=%f)

    Activations have one scale and become uint8; weights are constant, symmetric int8, with one scale or
    one for each output.  Other products of two quantised tensors become integer_matmul.  Integer sums are
    exact and rounded once, while the model rounds each product; in strict precision no product is replaced.
    Other dequantised constants are folded, except weights that products read in their stored type.
    """

    name: ClassVar[str] = "quant_dequant_fuse_pass"
    needs: ClassVar[tuple[str, ...]] = ("affine_dequantize", "dequantize_linear")
    after: ClassVar[tuple[str, ...]] = ("canonicalize_pass", "constant_fold_pass")
    targets: ClassVar[tuple[str, ...]] = ("cpu",)

    def run(self, graph: Graph, ctx: PassContext) -> Result:
        """Replace the products; a value that several of them read is quantised once."""
        codes: dict[tuple[Value, float, int], Value] = {}
        changed = False
        for node in graph:
            found = integer_product(node, ctx)
            if found is not None:
                _replace(graph, node, found, _codes(graph, node, found.activation, codes))
                changed = True
            elif (product := tensor_product(node, ctx)) is not None:
                _multiply(graph, node, product, codes)
                changed = True
        for node in graph:
            is_constant = node.op in DEQUANTIZE and all(value.is_constant for value in node.all_inputs())
            if is_constant and not is_stored_weight(node, ctx):
                changed |= _fold(graph, node)
        changed |= graph.drop_unused_constants()
        return Outcome.of(changed)


def _multiply(
    graph: Graph, node: Node, found: TensorProduct, codes: dict[tuple[Value, float, int], Value]
) -> None:
    """Replace a product by integer_matmul of the integers of its operands."""
    name, second = node.input("Y").name, found.second
    if isinstance(second, Columns):
        y, zero = graph.add_constant(f"{name}_codes", second.codes), second.zero_point
    else:
        y, zero = _codes(graph, node, second, codes), np.array(second.zero_point, np.uint8)
        y = transposed_codes(graph, y, node) if found.is_transposed else y
    inputs = {
        "X": [_codes(graph, node, found.first, codes)],
        "Y": [y],
        "XZeroPoint": [graph.add_constant(f"{name}_zero", np.array(found.first.zero_point, np.uint8))],
        "YZeroPoint": [graph.add_constant(f"{name}_zero", zero)],
        "Scale": [graph.add_constant(f"{name}_scale", found.scale)],
    }
    become(node, "integer_matmul", inputs, {})


def _codes(
    graph: Graph, node: Node, activation: Activation, codes: dict[tuple[Value, float, int], Value]
) -> Value:
    """The uint8 value of an activation; a new node quantises it unless the model stores these integers.

    Integers of type int8 are changed by a table.
    """
    source = activation.value
    if activation.is_stored:
        return source
    key = (source, activation.scale, activation.zero_point)
    if key not in codes:
        value = graph.new_value(graph.unique_name(f"{source.name}_codes"), like=source)
        value.dtype = DType.UINT8
        (_add_table if source.dtype is DType.INT8 else _add_quantisation)(graph, node, activation, value)
        codes[key] = value
    return codes[key]


def _add_table(graph: Graph, node: Node, activation: Activation, value: Value) -> None:
    source = activation.value
    table = graph.add_constant(f"{source.name}_table", np.arange(256, dtype=np.uint8) ^ np.uint8(SHIFT))
    inputs = {"X": [source], "Table": [table]}
    graph.add_node("quantized_lookup", inputs, {"Out": [value]}, {}, before=node)


def _add_quantisation(graph: Graph, node: Node, activation: Activation, value: Value) -> None:
    source = activation.value
    scale = graph.add_constant(f"{source.name}_scale", np.array(activation.scale, np.float32))
    zero = graph.add_constant(f"{source.name}_zero", np.array(activation.zero_point, np.uint8))
    inputs = {"X": [source], "Scale": [scale], "ZeroPoint": [zero]}
    graph.add_node("affine_quantize", inputs, {"Out": [value]}, {"dtype": DType.UINT8.code}, before=node)


def _replace(graph: Graph, node: Node, found: IntegerProduct, codes: Value) -> None:
    """Replace a convolution or product by the op of integers that was found for it."""
    before = list(node.all_inputs())
    is_convolution = found.op == "quantized_conv2d"
    x, w = ("Input", "Filter") if is_convolution else ("Input", "W")
    attrs: dict[str, AttrValue] = {"zero_point": found.activation.zero_point}
    if is_convolution:
        kept = ("strides", "paddings", "padding_algorithm", "dilations", "groups", "data_format")
        attrs |= {name: value for name, value in attributes(node).items() if name in kept}
    else:
        attrs["in_num_col_dims"] = rows_of(node) or 1
    weight = node.input("Filter" if is_convolution else "W" if node.op == "fc" else "Y")
    inputs = {
        x: [codes],
        w: [graph.add_constant(f"{weight.name}_codes", found.weight)],
        "Scale": [graph.add_constant(f"{weight.name}_scale", found.scale)],
        "Bias": node.inputs.get("Bias", []),
    }
    [value] = node.all_outputs()
    for slot in list(node.inputs):
        node.set_input(slot, ())
    for slot, values in inputs.items():
        if values:
            node.set_input(slot, values)
    node.op, node.attrs = found.op, attrs
    node.outputs = {"Output" if is_convolution else "Out": [value]}
    erase_unread(before)


def _fold(graph: Graph, node: Node) -> bool:
    """Replace a node that dequantises a constant by a constant of real numbers."""
    inputs = {slot: [v.data for v in values if v.data is not None] for slot, values in node.inputs.items()}
    [value] = node.all_outputs()
    slot = next(iter(node.outputs))
    if value.is_used:
        [result] = evaluate(node.op, inputs, attributes(node), {slot: 1})[slot]
        graph.replace_uses(value, graph.add_constant(value.name, result.array))
    graph.erase(node)
    return True
