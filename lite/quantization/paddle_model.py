"""Float models as programs, and their quantised forms with Paddle's quantize_linear and dequantize_linear.

The form is that of Paddle's quantisation-aware training with ``onnx_format=True``: weights are stored as
int8 and pass through dequantize_linear, activations pass through a pair of both ops.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np

from lite.io.save import save_program
from lite.ir.graph import Graph, Node, Value
from lite.ir.lower import lower_graph
from lite.ir.program import AttrValue, Program, Weight
from lite.ir.types import Array, DType
from lite.ops.program_graph import program_graph
from lite.quantization.geometry import paddle_geometry
from lite.quantization.grid import Grid, QuantizedWeight, most_of, quantize_weight
from lite.quantization.layers import PADDLE, Layer, LayerKind, Skipped, is_depthwise
from lite.quantization.recipe import WEIGHT_BITS, Recipe


class PaddleModel:
    """A program; the layers of its main block can be quantised."""

    format = "paddle"
    symmetric = True

    def __init__(self, program: Program) -> None:
        self.program = program
        graph = program_graph(program)
        varying = _varying(graph)
        self.layers: list[Layer] = []
        self.skipped: list[Skipped] = []
        for inner in graph.walk():
            for node in inner:
                kind = PADDLE.get(node.op)
                if kind is None:
                    continue
                layer = "it is in a loop or a branch" if inner is not graph else _layer(node, kind, varying)
                if isinstance(layer, Layer):
                    self.layers.append(layer)
                else:
                    self.skipped.append(Skipped(node.label, node.op, layer))

    def weight(self, name: str) -> Array:
        """The elements of a layer's weight."""
        return self.program.weights[name].array

    def has_constant(self, name: str) -> bool:
        """Whether the program stores a float32 parameter of this name."""
        weight = self.program.weights.get(name)
        return weight is not None and weight.array.dtype == np.float32

    def with_constants(self, arrays: Mapping[str, Array]) -> PaddleModel:
        """The program with other elements of some parameters."""
        weights = {**self.program.weights, **{name: Weight(array) for name, array in arrays.items()}}
        return PaddleModel(replace(self.program, weights=weights))

    def quantized(self, recipe: Recipe) -> Program:
        """The program with quantised layers."""
        graph = program_graph(self.program)
        emission = _Emission(graph, recipe)
        layers = {layer.name: layer for layer in self.layers if layer.name in recipe.layers}
        for node in graph:
            layer = layers.get(node.label) if node.op in PADDLE else None
            if layer is not None:
                emission.quantize(node, layer)
        graph.drop_unused_constants()
        return lower_graph(graph, self.program, graph.result_names)

    def save(self, recipe: Recipe, path: Path) -> list[Path]:
        """Write inference.pdmodel and inference.pdiparams into the folder `path`."""
        return save_program(self.quantized(recipe), path)


def _varying(graph: Graph) -> set[Value]:
    """The values that depend on the inputs of the model, or on an effect such as a random number."""
    varying = set(graph.args)
    for node in graph:
        if node.effect or node.blocks or not varying.isdisjoint(node.all_inputs()):
            varying.update(node.all_outputs())
    return varying


def _layer(node: Node, kind: LayerKind, varying: set[Value]) -> Layer | str:
    """The layer of a node, or the reason why it cannot be quantised."""
    operands = [node.input(kind.first), node.input(kind.second)]
    for value in operands:
        if value.dtype is not DType.FLOAT32:
            return f"{value.name} is {value.dtype or 'of unknown dtype'}, expected float32"
        if not value.is_constant and value not in varying:
            return f"{value.name} is computed from constants by {value.producer!r}"
    activations = [value for value in operands if not value.is_constant]
    if not activations:
        return "both operands are constants"
    labels = tuple(value.label for value in activations)
    weight = next((value for value in operands if value.is_constant), None)
    if weight is None:
        return Layer(node.label, node.op, labels)
    if weight is not operands[1] or weight.data is None:
        return Layer(node.label, node.op, labels, weight.name)
    shape = weight.data.shape
    axis, geometry = kind.axis(len(shape), node.attrs), paddle_geometry(node.op, shape, node.attrs)
    depthwise = is_depthwise(shape, node.attrs.get("groups", 1))
    return Layer(node.label, node.op, labels, weight.name, axis, geometry, depthwise)


class _Emission:
    """Inserts the ops; a value that several layers read is quantised once."""

    def __init__(self, graph: Graph, recipe: Recipe) -> None:
        self._graph = graph
        self._recipe = recipe
        self._weights: dict[tuple[Value, int], Value] = {}
        self._activations: dict[Value, Value] = {}

    def quantize(self, node: Node, layer: Layer) -> None:
        """Replace the operands of the layer's node."""
        kind = PADDLE[node.op]
        for slot in (kind.first, kind.second):
            value = node.input(slot)
            if value.is_constant:
                axis = layer.axis if self._recipe.per_channel else -1
                node.set_input(slot, [self._weight(value, axis, node, self._recipe.rounded.get(layer.name))])
            elif value.label in self._recipe.grids:
                grid = self._recipe.grids[value.label]
                node.set_input(slot, [self._activation(value, grid, node)])

    def _weight(self, value: Value, axis: int, node: Node, rounded: QuantizedWeight | None) -> Value:
        if (value, axis) not in self._weights:
            bits = WEIGHT_BITS[self._recipe.weight_type]
            if bits == 16:
                self._weights[value, axis] = self._half(value, node)
            else:
                assert value.data is not None
                weight = rounded or quantize_weight(value.data, axis, bits)
                self._weights[value, axis] = self._dequantized(value, weight, node)
        return self._weights[value, axis]

    def _half(self, value: Value, node: Node) -> Value:
        assert value.data is not None
        stored = self._graph.add_constant(f"{value.name}.float16", half(value.data))
        attrs: dict[str, AttrValue] = {
            "in_dtype": DType.FLOAT16.code,
            "out_dtype": DType.FLOAT32.code,
        }
        return self._add("cast", {"X": stored}, "Out", attrs, value, f"{value.name}.float32", node)

    def _dequantized(self, value: Value, weight: QuantizedWeight, node: Node) -> Value:
        stored = self._graph.add_constant(f"{value.name}.quantized", weight.values)
        inputs = {"X": stored, **self._scale(value.name, weight.steps * np.float32(weight.most))}
        name = f"{value.name}.dequantized"
        return self._add(
            "dequantize_linear", inputs, "Y", _linear(weight.axis, weight.bits), value, name, node
        )

    def _activation(self, value: Value, grid: Grid, node: Node) -> Value:
        if value not in self._activations:
            attrs, name = _linear(-1, 8), value.name
            scale = self._scale(name, np.array([grid.step * most_of(8)], np.float32))
            inputs = {"X": value, **scale}
            stored = self._add("quantize_linear", inputs, "Y", attrs, value, f"{name}.quantized", node)
            inputs = {"X": stored, **scale}
            name = f"{name}.dequantized"
            self._activations[value] = self._add("dequantize_linear", inputs, "Y", attrs, value, name, node)
        return self._activations[value]

    def _scale(self, name: str, magnitudes: Array) -> dict[str, Value]:
        """The slots Scale and ZeroPoint: Paddle divides by the greatest magnitude, and zero points are 0."""
        return {
            "Scale": self._graph.add_constant(f"{name}.scale", magnitudes),
            "ZeroPoint": self._graph.add_constant(f"{name}.zero_point", np.zeros(magnitudes.shape, np.int32)),
        }

    def _add(
        self,
        op: str,
        inputs: Mapping[str, Value],
        slot: str,
        attrs: dict[str, AttrValue],
        like: Value,
        name: str,
        node: Node,
    ) -> Value:
        """The output of a new node before `node`: float32 of the shape of `like`."""
        graph = self._graph
        out = graph.new_value(graph.unique_name(name), like)
        out.data, out.dtype = None, DType.FLOAT32
        graph.add_node(op, {key: [value] for key, value in inputs.items()}, {slot: [out]}, attrs, before=node)
        return out


def half(array: Array) -> Array:
    """The nearest float16, the greatest finite one for numbers beyond it."""
    most = np.finfo(np.float16).max
    return np.clip(array, -most, most).astype(np.float16)


def _linear(axis: int, bits: int) -> dict[str, AttrValue]:
    return {
        "quant_axis": axis,
        "bit_length": bits,
        "round_type": 0,
        "is_test": True,
        "only_observer": False,
    }
