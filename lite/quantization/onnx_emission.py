"""Inserts QuantizeLinear and DequantizeLinear into the graph of an ONNX model."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np
from onnx import GraphProto, NodeProto, TensorProto, helper, numpy_helper

from lite.ir.fresh_names import FreshNames
from lite.ir.types import Array
from lite.quantization.grid import Grid, QuantizedWeight, quantize_weight
from lite.quantization.layers import ONNX, Layer
from lite.quantization.recipe import WEIGHT_BITS, Recipe

_BIAS = {"Conv": 2, "ConvTranspose": 2, "Gemm": 2}
"""The position of the bias among the inputs, by op type."""


class Emission:
    """Quantises nodes of one graph in place; a value that several nodes read is quantised once."""

    def __init__(self, graph: GraphProto, recipe: Recipe) -> None:
        self._graph = graph
        self._recipe = recipe
        self._tensors = {each.name: each for each in graph.initializer}
        self._names = {name for node in graph.node for name in (*node.input, *node.output)}
        self._names.update(self._tensors)
        self._fresh = FreshNames(self._names.__contains__, "_")
        self._nodes: list[NodeProto] = []
        self._weights: dict[tuple[str, int], tuple[str, QuantizedWeight | None]] = {}
        self._activations: dict[str, str] = {}

    def quantize(self, layers: Mapping[str, Layer]) -> None:
        """Quantise the inputs of the layers' nodes, and drop initializers that no node reads any more.

        `layers` are by the name of their first output.
        """
        for node in self._graph.node:
            layer = layers.get(node.output[0]) if node.op_type in ONNX and node.output else None
            if layer is not None:
                self._quantize(node, layer)
            self._nodes.append(node)
        nodes = list(self._nodes)
        del self._graph.node[:]
        self._graph.node.extend(nodes)
        self._drop_unused()

    def _quantize(self, node: NodeProto, layer: Layer) -> None:
        kind, weight, grid = ONNX[node.op_type], None, None
        for position in (int(kind.first), int(kind.second)):
            name = node.input[position]
            if name in self._tensors:
                axis = layer.axis if self._recipe.per_channel else -1
                node.input[position], weight = self._weight(name, axis, self._recipe.rounded.get(layer.name))
            elif name in self._recipe.grids:
                grid = self._recipe.grids[name]
                node.input[position] = self._activation(name, grid)
        if weight is not None and grid is not None:
            self._bias(node, weight, grid)

    def _weight(
        self, name: str, axis: int, rounded: QuantizedWeight | None
    ) -> tuple[str, QuantizedWeight | None]:
        """The name of the dequantised weight, and its integers; None instead of integers for float16."""
        key = name, axis
        if key not in self._weights:
            array, bits = numpy_helper.to_array(self._tensors[name]), WEIGHT_BITS[self._recipe.weight_type]
            if bits == 16:
                self._weights[key] = self._half(name, array)
            else:
                self._weights[key] = self._integers(name, rounded or quantize_weight(array, axis, bits))
        return self._weights[key]

    def _half(self, name: str, array: Array) -> tuple[str, None]:
        most = np.finfo(np.float16).max
        stored = self._initializer(f"{name}_float16", np.clip(array, -most, most).astype(np.float16))
        return self._add("Cast", [stored], f"{name}_float32", {"to": TensorProto.FLOAT}), None

    def _integers(self, name: str, weight: QuantizedWeight) -> tuple[str, QuantizedWeight]:
        kind, axis = TensorProto.INT4 if weight.bits == 4 else TensorProto.INT8, weight.axis
        stored = self._integer_initializer(f"{name}_quantized", weight.values, kind)
        step = self._initializer(f"{name}_scale", weight.steps if axis >= 0 else weight.steps[0])
        zeros = np.zeros(weight.steps.shape if axis >= 0 else (), np.int8)
        zero = self._integer_initializer(f"{name}_zero_point", zeros, kind)
        return self._dequantized(name, [stored, step, zero], axis), weight

    def _activation(self, name: str, grid: Grid) -> str:
        if name not in self._activations:
            dtype = np.int8 if grid.least < 0 else np.uint8
            step = self._initializer(f"{name}_scale", np.float32(grid.step))
            zero = self._initializer(f"{name}_zero_point", np.array(grid.zero_point, dtype))
            stored = self._add("QuantizeLinear", [name, step, zero], f"{name}_quantized")
            self._activations[name] = self._dequantized(name, [stored, step, zero], -1)
        return self._activations[name]

    def _bias(self, node: NodeProto, weight: QuantizedWeight, grid: Grid) -> None:
        """Quantise a constant float32 bias to int32.

        Its step is the product of the steps of weight and input.  A bias that does not fit into int32 stays
        as it is.
        """
        position = _BIAS.get(node.op_type, len(node.input))
        name = node.input[position] if position < len(node.input) else ""
        if name not in self._tensors or not _is_plain(node):
            return
        bias = numpy_helper.to_array(self._tensors[name])
        if bias.dtype != np.float32 or bias.ndim != 1 or weight.steps.size not in (1, bias.size):
            return
        steps = (weight.steps * np.float32(grid.step)).astype(np.float32)
        with np.errstate(divide="ignore", over="ignore"):
            integers = np.rint(bias / steps.astype(np.float64))
        if not (np.abs(integers) < 2**31).all():
            return
        stored = self._initializer(f"{name}_quantized", integers.astype(np.int32))
        is_single = steps.size == 1
        step = self._initializer(f"{name}_scale", steps[0] if is_single else steps)
        zeros = np.zeros(() if is_single else steps.shape, np.int32)
        zero = self._initializer(f"{name}_zero_point", zeros)
        node.input[position] = self._dequantized(name, [stored, step, zero], -1 if is_single else 0)

    def _dequantized(self, name: str, inputs: list[str], axis: int) -> str:
        attributes: dict[str, int] = {"axis": axis} if axis >= 0 else {}
        return self._add("DequantizeLinear", inputs, f"{name}_dequantized", attributes)

    def _add(
        self, op: str, inputs: list[str], base: str, attributes: Mapping[str, int] = MappingProxyType({})
    ) -> str:
        """Add a node before the current one; returns the name of its output."""
        output = self._unique(base)
        node = helper.make_node(op, inputs, [output], name=self._unique(f"{output}/{op}"))
        node.attribute.extend(helper.make_attribute(key, value) for key, value in attributes.items())
        self._nodes.append(node)
        return output

    def _initializer(self, base: str, array: Array | np.generic) -> str:
        name = self._unique(base)
        self._graph.initializer.append(numpy_helper.from_array(np.asarray(array), name))
        return name

    def _integer_initializer(self, base: str, array: Array, kind: TensorProto.DataType) -> str:
        if kind != TensorProto.INT4:
            return self._initializer(base, array)
        name = self._unique(base)
        self._graph.initializer.append(
            helper.make_tensor(name, kind, array.shape, array.reshape(-1).tolist())
        )
        return name

    def _unique(self, base: str) -> str:
        name = self._fresh.find(base)
        self._names.add(name)
        return name

    def _drop_unused(self) -> None:
        replaced = {name for name, _ in self._weights} | self._tensors.keys()
        used = _names_read(self._graph) | {each.name for each in self._graph.output}
        kept = [each for each in self._graph.initializer if each.name in used or each.name not in replaced]
        dropped = {each.name for each in self._graph.initializer} - {each.name for each in kept}
        inputs = [each for each in self._graph.input if each.name not in dropped]
        del self._graph.initializer[:]
        self._graph.initializer.extend(kept)
        del self._graph.input[:]
        self._graph.input.extend(inputs)


def _is_plain(node: NodeProto) -> bool:
    """Whether a Gemm scales neither its product nor its bias."""
    factors = {each.name: each.f for each in node.attribute if each.name in ("alpha", "beta")}
    return all(factor == 1.0 for factor in factors.values())


def _names_read(graph: GraphProto) -> set[str]:
    """The names of the values that the nodes of a graph and of its nested graphs read."""
    names: set[str] = set()
    for node in graph.node:
        names.update(node.input)
        for attribute in node.attribute:
            for inner in (attribute.g, *attribute.graphs):
                names |= _names_read(inner) | {each.name for each in inner.output}
    return names
