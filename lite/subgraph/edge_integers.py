"""Regions of devices that exchange stored integers: ops at their edges quantise and dequantise.

::

    %b = subgraph(Inputs=%a)           %q = affine_quantize(X=%a, …)
    %c = subgraph(Inputs=[%a, %b])  →  %s = subgraph(Inputs=%q)
    %y = softmax(X=%c)                 %t = subgraph(Inputs=[%q, %s])
                                       %c = affine_dequantize(X=%t, …)
                                       %y = softmax(X=%c)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from lite.dataclass import dataclass
from lite.ir.graph import Graph, Node, Quant, Value
from lite.ir.program import AttrValue
from lite.ir.quantized_arrays import scale_array
from lite.ir.types import DType
from lite.subgraph.edges import change_edges


def store_edges(graph: Graph, regions: Sequence[Node]) -> None:
    """Make the quantised inputs and outputs of regions, given in any order, stored integers."""
    change_edges(graph, regions, lambda _: _integers)


def _integers(value: Value, inner: Value) -> _Integers | None:
    quant = value.quant
    return None if quant is None or inner.quant != quant else _Integers(quant)


@dataclass(frozen=True)
class _Integers:
    """The stored form of a quantised value."""

    quant: Quant

    def like(self, graph: Graph, value: Value) -> Value:
        out = graph.new_value(graph.unique_name(f"{value.name}.integers"), value)
        out.dtype, out.quant = self.quant.storage, None
        return out

    def convert(self, graph: Graph, value: Value, out: Value, before: Node | None) -> Node:
        return self._node(graph, "affine_quantize", value, out, value.dtype, before)

    def restore(self, graph: Graph, value: Value, out: Value, before: Node | None) -> Node:
        return self._node(graph, "affine_dequantize", value, out, out.dtype, before)

    def _node(
        self, graph: Graph, op: str, x: Value, out: Value, real: DType | None, before: Node | None
    ) -> Node:
        quant, dtype = self.quant, real or DType.FLOAT32
        zeros = np.array(quant.zero_point).astype(quant.storage.numpy)
        inputs: Mapping[str, Sequence[Value]] = {
            "X": [x],
            "Scale": [graph.add_constant("scale", scale_array(quant, dtype))],
            "ZeroPoint": [graph.add_constant("zero_point", zeros if quant.per_axis else zeros.reshape(()))],
        }
        attrs: dict[str, AttrValue] = {
            "axis": quant.axis if quant.per_axis else 1,
            "block_size": 0,
            "dtype": (quant.storage if op == "affine_quantize" else dtype).code,
        }
        return graph.add_node(op, inputs, {"Out": [out]}, attrs, before=before)
