"""Regions of devices that exchange stored integers: ops at their edges quantise and dequantise.

::

    %b = subgraph(Inputs=%a)           %q = affine_quantize(X=%a, …)
    %c = subgraph(Inputs=[%a, %b])  →  %s = subgraph(Inputs=%q)
    %y = softmax(X=%c)                 %t = subgraph(Inputs=[%q, %s])
                                       %c = affine_dequantize(X=%t, …)
                                       %y = softmax(X=%c)

Readers share the integers of a value.  Integers that one region writes and another reads stay integers.
The graphs of the regions begin with ops that dequantise, and end with ops that quantise, so that the host
computes the same with them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from lite.ir.graph import Graph, Node, Quant, Value
from lite.ir.program import AttrValue
from lite.ir.quantized_arrays import scale_array
from lite.ir.types import DType


def store_edges(graph: Graph, regions: Sequence[Node]) -> None:
    """Make the quantised inputs and outputs of regions, given in any order, stored integers."""
    edges = _Edges(graph)
    chosen = set(regions)
    for node in list(graph):
        if node in chosen:
            edges.store_inputs(node)
            edges.store_outputs(node)
    for node in edges.dequantizing:
        if not node.output().is_used:
            graph.erase(node)


class _Edges:
    """`stored` are the integers of values, `dequantizing` the ops after regions."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.stored: dict[Value, Value] = {}
        self.dequantizing: list[Node] = []

    def store_inputs(self, region: Node) -> None:
        """Let the region read integers; its graph dequantises them."""
        inner = region.blocks[0]
        inputs = list(region.inputs.get("Inputs", ()))
        for n, value in enumerate(inputs):
            quant, argument = value.quant, inner.args[n]
            if quant is None:
                continue
            if value not in self.stored:
                self.stored[value] = _node(self.graph, "quantize", value, None, quant, region)
            inputs[n] = self.stored[value]
            integers = inner.new_value(inner.unique_name(f"{argument.name}.integers"), argument)
            integers.dtype, integers.quant = quant.storage, None
            inner.args[n] = integers
            first = next(iter(inner), None)
            _node(inner, "dequantize", integers, argument, quant, first)
        region.set_input("Inputs", inputs)

    def store_outputs(self, region: Node) -> None:
        """Let the region write integers; an op after it dequantises them for other readers."""
        inner, after = region.blocks[0], region.next
        results = list(inner.results)
        for n, value in enumerate(list(region.outputs["Outputs"])):
            quant, result = value.quant, results[n]
            if quant is None or result.quant != quant:
                continue
            results[n] = _node(inner, "quantize", result, None, quant, None)
            integers = self.graph.new_value(self.graph.unique_name(f"{value.name}.integers"), value)
            integers.dtype, integers.quant, integers.producer = quant.storage, None, region
            region.outputs["Outputs"][n] = integers
            value.producer = None
            _node(self.graph, "dequantize", integers, value, quant, after)
            if value.producer is not None:
                self.dequantizing.append(value.producer)
            self.stored[value] = integers
        inner.set_results(results)


def _node(graph: Graph, kind: str, x: Value, out: Value | None, quant: Quant, before: Node | None) -> Value:
    """The output of a new node that quantises or dequantises; it is `out`, or new."""
    real = x if kind == "quantize" else out
    dtype = DType.FLOAT32 if real is None or real.dtype is None else real.dtype
    if out is None:
        out = graph.new_value(graph.unique_name(f"{x.name}.integers"), x)
        out.dtype, out.quant = quant.storage, None
    zeros = np.array(quant.zero_point).astype(quant.storage.numpy)
    inputs: Mapping[str, Sequence[Value]] = {
        "X": [x],
        "Scale": [graph.add_constant("scale", scale_array(quant, dtype))],
        "ZeroPoint": [graph.add_constant("zero_point", zeros if quant.per_axis else zeros.reshape(()))],
    }
    result = quant.storage if kind == "quantize" else dtype
    attrs: dict[str, AttrValue] = {"axis": quant.axis if quant.per_axis else 1, "block_size": 0}
    graph.add_node(f"affine_{kind}", inputs, {"Out": [out]}, {**attrs, "dtype": result.code}, before=before)
    return out
