"""What a session tells about its model: inputs, outputs, metadata."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from google.protobuf.message import DecodeError

from lite.compat.onnxruntime.element_types import element_name
from lite.compat.onnxruntime.errors import InvalidArgument, InvalidProtobuf, NoSuchFile
from lite.compat.onnxruntime.values import OrtValue
from lite.dataclass import dataclass
from lite.extras import require

if TYPE_CHECKING:
    import onnx

_NO_VERSION = (1 << 63) - 1
"""What ONNX Runtime reports for a model without a version."""

_WITHOUT_LIMIT = 1 << 31
"""Models of this size cannot be checked by onnx's shape inference."""


@dataclass(frozen=True)
class NodeArg:
    """An input or output: `shape` has a number, a name or None for each axis."""

    name: str
    type: str
    shape: list[int | str | None]

    def __str__(self) -> str:
        return f"NodeArg(name={self.name!r}, type={self.type!r}, shape={self.shape!r})"


@dataclass(frozen=True)
class ModelMetadata:
    """What the exporter wrote into the model."""

    producer_name: str = ""
    graph_name: str = ""
    domain: str = ""
    description: str = ""
    graph_description: str = ""
    version: int = _NO_VERSION
    custom_metadata_map: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class ModelFacts:
    """Inputs without those that have an initialiser (`overridable`), outputs, metadata.

    `denotations` are (input, axis, name) of axes that have one; `labels` are those of outputs that are maps
    from a label to a score, by name.
    """

    inputs: list[NodeArg]
    overridable: list[NodeArg]
    outputs: list[NodeArg]
    metadata: ModelMetadata
    denotations: list[tuple[str, int, str]]
    labels: dict[str, list[int] | list[str]]

    def as_returned(self, name: str, result: Any) -> Any:
        """An output as ONNX Runtime returns it: scores of a ZipMap as a list of one dict a row."""
        labels = self.labels.get(name)
        if labels is None:
            return result
        return [dict(zip(labels, row, strict=True)) for row in np.atleast_2d(result).tolist()]


@dataclass(frozen=True)
class ModelOrigin:
    """The path or the bytes of an ONNX model."""

    path: str | None
    data: bytes | None

    def read(self) -> onnx.ModelProto:
        """The message without external data; raises ONNX Runtime's exceptions."""
        require("onnx", "onnx", "reading ONNX models")
        import onnx  # slow to import

        data, where = self.data, "Failed to load model because"
        if self.path is not None:
            where = f"Load model from {self.path} failed:"
            if not os.path.exists(self.path):
                raise NoSuchFile(f"{where}Load model {self.path} failed. File doesn't exist")
            try:
                data = Path(self.path).read_bytes()
            except OSError as error:
                raise InvalidProtobuf(f"{where}Protobuf parsing failed. {error}") from error
        model = onnx.ModelProto()
        try:
            model.ParseFromString(data or b"")
        except (DecodeError, UnicodeDecodeError) as error:
            raise InvalidProtobuf(f"{where} Protobuf parsing failed.") from error
        if not model.HasField("graph"):
            raise InvalidArgument("No graph was found in the protobuf.")
        return model

    @property
    def folder(self) -> str:
        """The folder of the external data."""
        return os.path.dirname(self.path or "")


def facts_of(model: onnx.ModelProto) -> ModelFacts:
    """What a session tells about a model."""
    graph = model.graph
    constant = {tensor.name for tensor in graph.initializer}
    constant |= {tensor.values.name for tensor in graph.sparse_initializer}
    outputs = list(graph.output)
    if any(not _has_shape(value.type) for value in outputs):
        outputs = _with_inferred_shapes(model)
    return ModelFacts(
        [_node_arg(value) for value in graph.input if value.name not in constant],
        [_node_arg(value) for value in graph.input if value.name in constant],
        [_node_arg(value) for value in outputs],
        ModelMetadata(
            model.producer_name,
            graph.name,
            model.domain,
            model.doc_string,
            graph.doc_string,
            model.model_version or _NO_VERSION,
            {entry.key: entry.value for entry in model.metadata_props},
        ),
        [
            (value.name, axis, dim.denotation)
            for value in graph.input
            for axis, dim in enumerate(value.type.tensor_type.shape.dim)
            if dim.denotation
        ],
        {node.output[0]: _labels(node) for node in graph.node if node.op_type == "ZipMap"},
    )


def with_values(origin: ModelOrigin, fed: Sequence[str], values: Mapping[str, OrtValue]) -> bytes:
    """The model with other values of initialisers, and with the initialisers `fed` as mere inputs.

    Raises `InvalidArgument` for a name that is no initialiser.
    """
    from onnx import external_data_helper, numpy_helper

    model = origin.read()
    external_data_helper.load_external_data_for_model(model, origin.folder)
    by_name = {tensor.name: tensor for tensor in model.graph.initializer}
    for name, value in values.items():
        if name not in by_name:
            raise InvalidArgument(f"the model has no initialiser {name!r}")
        by_name[name].CopyFrom(numpy_helper.from_array(value.numpy(), name))
    for name in fed:
        model.graph.initializer.remove(by_name[name])
    return model.SerializeToString()


def _has_shape(kind: onnx.TypeProto) -> bool:
    return not kind.HasField("tensor_type") or kind.tensor_type.HasField("shape")


def _with_inferred_shapes(model: onnx.ModelProto) -> list[onnx.ValueInfoProto]:
    """The outputs with the shapes that ONNX infers, where it does."""
    from onnx import shape_inference

    if model.ByteSize() < _WITHOUT_LIMIT:
        try:
            return list(shape_inference.infer_shapes(model).graph.output)
        except (shape_inference.InferenceError, ValueError):
            pass
    return list(model.graph.output)


def _node_arg(value: onnx.ValueInfoProto) -> NodeArg:
    shape = value.type.tensor_type.shape.dim
    return NodeArg(value.name, _type_text(value.type), [_size(dim) for dim in shape])


def _labels(node: onnx.NodeProto) -> list[int] | list[str]:
    """The labels of a ZipMap, of which one kind is given."""
    attrs = {attr.name: attr for attr in node.attribute}
    if "classlabels_int64s" in attrs:
        return list(attrs["classlabels_int64s"].ints)
    return [text.decode() for text in attrs["classlabels_strings"].strings]


def _size(dim: onnx.TensorShapeProto.Dimension) -> int | str | None:
    """A size, a name, or None; some exporters write -1 for an open size."""
    if dim.HasField("dim_value"):
        return dim.dim_value if dim.dim_value >= 0 else None
    return dim.dim_param or None


def _type_text(kind: onnx.TypeProto) -> str:
    match kind.WhichOneof("value"):
        case "sequence_type":
            return f"seq({_type_text(kind.sequence_type.elem_type)})"
        case "optional_type":
            return f"optional({_type_text(kind.optional_type.elem_type)})"
        case "map_type":
            key = element_name(kind.map_type.key_type)
            return f"map({key},{_type_text(kind.map_type.value_type)})"
        case "sparse_tensor_type":
            return f"sparse_tensor({element_name(kind.sparse_tensor_type.elem_type)})"
    return f"tensor({element_name(kind.tensor_type.elem_type)})"
