"""Float ONNX models: the nodes that can be quantised, and their quantised forms as QDQ models."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from pathlib import Path

import onnx
import onnx.version_converter
from google.protobuf.message import DecodeError, EncodeError
from onnx import GraphProto, ModelProto, NodeProto, TensorProto, numpy_helper

from lite.atomic_file import write_atomically
from lite.errors import ModelParseError
from lite.io.load import load_program
from lite.ir.program import AttrValue, Program
from lite.ir.types import Array
from lite.plugin.format import ModelSource
from lite.quantization.geometry import onnx_geometry
from lite.quantization.layers import ONNX, Layer, LayerKind, Skipped, is_depthwise
from lite.quantization.onnx_emission import Emission
from lite.quantization.recipe import Recipe

OPSET = 13
"""DequantizeLinear has channels from this version on."""

INT4_OPSET, INT4_IR_VERSION = 21, 10
"""The first versions with int4."""


class OnnxModel:
    """A ModelProto of opset 13 or newer; the nodes of its main graph can be quantised."""

    format = "onnx"
    symmetric = False

    def __init__(self, model: ModelProto, source: str) -> None:
        self._source = source
        self._model = _with_opset(model, OPSET, source)
        _constants_to_initializers(self._model.graph)
        self._initializers = {each.name: each for each in self._model.graph.initializer}
        self.layers: list[Layer] = []
        self.skipped: list[Skipped] = []
        varying = _varying(self._model.graph)
        for graph in _graphs(self._model.graph):
            for node in graph.node:
                kind = ONNX.get(node.op_type) if node.domain in ("", "ai.onnx") else None
                if kind is None:
                    continue
                is_main = graph is self._model.graph
                layer = self._layer(node, kind, varying) if is_main else "it is in a loop or a branch"
                if isinstance(layer, Layer):
                    self.layers.append(layer)
                else:
                    self.skipped.append(Skipped(node.output[0], node.op_type, layer))

    @classmethod
    def read(cls, path: Path) -> OnnxModel:
        """The model of a file, with its external data; raises `ModelParseError`."""
        models = sorted(path.glob("*.onnx")) if path.is_dir() else [path]
        if len(models) != 1:
            raise ModelParseError(f"{path}: expected one .onnx file in the folder, got {len(models)}")
        try:
            return cls(onnx.load(models[0]), str(models[0]))
        except (OSError, DecodeError, ValueError, onnx.checker.ValidationError) as error:
            raise ModelParseError(f"{models[0]}: the model cannot be read: {error}") from error

    @classmethod
    def of_bytes(cls, data: bytes) -> OnnxModel:
        """The model of a buffer; raises `ModelParseError`."""
        try:
            return cls(onnx.load_from_string(data), f"model buffer of {len(data)} bytes")
        except (DecodeError, ValueError) as error:
            raise ModelParseError(f"the model buffer cannot be read: {error}") from error

    @cached_property
    def program(self) -> Program:
        """The float model, with ONNX's names of values."""
        return load_program(ModelSource(model=self._model.SerializeToString()))

    def weight(self, name: str) -> Array:
        """The elements of a layer's weight."""
        array: Array = numpy_helper.to_array(self._initializers[name])
        return array

    def has_constant(self, name: str) -> bool:
        """Whether the model has a float32 initializer of this name."""
        tensor = self._initializers.get(name)
        return tensor is not None and tensor.data_type == TensorProto.FLOAT

    def with_constants(self, arrays: Mapping[str, Array]) -> OnnxModel:
        """The model with other elements of some initializers."""
        model = ModelProto()
        model.CopyFrom(self._model)
        for tensor in model.graph.initializer:
            if tensor.name in arrays:
                tensor.CopyFrom(numpy_helper.from_array(arrays[tensor.name], tensor.name))
        return OnnxModel(model, self._source)

    def quantized(self, recipe: Recipe) -> Program:
        """The QDQ model as it is read back."""
        return load_program(ModelSource(model=self.proto(recipe).SerializeToString()))

    def save(self, recipe: Recipe, path: Path) -> list[Path]:
        """Write the file `path`, or model.onnx in that folder."""
        target = path if path.suffix == ".onnx" else path / "model.onnx"
        try:
            data = self.proto(recipe).SerializeToString()
            target.parent.mkdir(parents=True, exist_ok=True)
            write_atomically(target, [data])
        except (EncodeError, ValueError) as error:
            raise ModelParseError(f"{target}: the model cannot be written: {error}") from error
        except OSError as error:
            raise ModelParseError(
                f"{target}: cannot be written: {error.strerror}; check the directory"
            ) from error
        return [target]

    def proto(self, recipe: Recipe) -> ModelProto:
        """The QDQ model."""
        if recipe.weight_type == "int4":
            model = _with_opset(self._model, INT4_OPSET, self._source)
            model.ir_version = max(model.ir_version, INT4_IR_VERSION)
        else:
            model = ModelProto()
            model.CopyFrom(self._model)
        layers = {layer.name: layer for layer in self.layers if layer.name in recipe.layers}
        Emission(model.graph, recipe).quantize(layers)
        return model

    def _layer(self, node: NodeProto, kind: LayerKind, varying: set[str]) -> Layer | str:
        """The layer of a node, or the reason why it cannot be quantised."""
        names = [node.input[int(kind.first)], node.input[int(kind.second)]]
        for name in names:
            tensor = self._initializers.get(name)
            if tensor is not None and tensor.data_type != TensorProto.FLOAT:
                return f"{name} is {TensorProto.DataType.Name(tensor.data_type).lower()}, expected float"
            if tensor is None and name not in varying:
                return f"{name} is computed from constants"
        activations = tuple(name for name in names if name not in self._initializers)
        if not activations:
            return "both operands are constants"
        weight = next((name for name in names if name in self._initializers), None)
        if weight is None:
            return Layer(node.output[0], node.op_type, activations)
        if weight != names[1]:
            return Layer(node.output[0], node.op_type, activations, weight)
        shape, attrs = self._initializers[weight].dims, _attributes(node)
        axis, geometry = kind.axis(len(shape), attrs), onnx_geometry(node.op_type, shape, attrs)
        depthwise = is_depthwise(shape, attrs.get("group", 1))
        return Layer(node.output[0], node.op_type, activations, weight, axis, geometry, depthwise)


def _attributes(node: NodeProto) -> Mapping[str, AttrValue]:
    values = {each.name: onnx.helper.get_attribute_value(each) for each in node.attribute}
    return {name: value.decode() if isinstance(value, bytes) else value for name, value in values.items()}


def _graphs(graph: GraphProto) -> Iterator[GraphProto]:
    """A graph and all graphs in its nodes."""
    yield graph
    for node in graph.node:
        for attribute in node.attribute:
            for inner in (attribute.g, *attribute.graphs):
                if inner.node:
                    yield from _graphs(inner)


def _varying(graph: GraphProto) -> set[str]:
    """The values that depend on the inputs of the model, or that a node without inputs makes."""
    constants = {each.name for each in graph.initializer}
    varying = {each.name for each in graph.input} - constants
    for node in graph.node:
        has_graph = any(each.type == onnx.AttributeProto.GRAPH for each in node.attribute)
        is_random = not node.input and node.op_type != "Constant"
        if has_graph or is_random or not varying.isdisjoint(node.input):
            varying.update(node.output)
    return varying


def _constants_to_initializers(graph: GraphProto) -> None:
    """Constant nodes with a tensor become initializers of the same name."""
    kept: list[NodeProto] = []
    for node in graph.node:
        value = node.attribute[0] if node.op_type == "Constant" and node.attribute else None
        if value is None or value.name != "value":
            kept.append(node)
            continue
        tensor = graph.initializer.add()
        tensor.CopyFrom(value.t)
        tensor.name = node.output[0]
    _replace(graph, kept)


def _replace(graph: GraphProto, nodes: Iterable[NodeProto]) -> None:
    listed = list(nodes)
    del graph.node[:]
    graph.node.extend(listed)


def _with_opset(model: ModelProto, opset: int, source: str) -> ModelProto:
    """A copy of a model with at least this version of ONNX's operators."""
    version = next((each.version for each in model.opset_import if each.domain in ("", "ai.onnx")), 1)
    if version >= opset:
        copy = ModelProto()
        copy.CopyFrom(model)
        return copy
    try:
        converted = onnx.version_converter.convert_version(model, opset)
    except (RuntimeError, ValueError, onnx.checker.ValidationError) as error:
        raise ModelParseError(
            f"{source}: opset {version} cannot be converted to {opset}, which quantisation needs: {error}; "
            "export the model again with a newer opset"
        ) from error
    del converted.metadata_props[:]
    converted.metadata_props.extend(model.metadata_props)
    return converted
