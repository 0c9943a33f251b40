"""ModelProto of onnx.proto to `Program`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from google.protobuf.message import DecodeError

from lite.errors import ModelParseError
from lite.ir.program import Attribute, AttrType, Block, Op, Program, Var, VarKind
from lite.ir.types import UNKNOWN, Array, DType, Shape
from lite.model_parser.onnx.block_writer import BlockWriter
from lite.model_parser.onnx.element_types import dtype_of
from lite.model_parser.onnx.functions import inline_functions
from lite.model_parser.onnx.large_tensors import take_large_tensors
from lite.model_parser.onnx.messages import (
    GraphProto,
    ModelProto,
    TensorShapeProto,
    TypeProto,
    ValueInfoProto,
)
from lite.model_parser.onnx.node import OnnxNode, op_name
from lite.model_parser.onnx.node_order import order_nodes
from lite.model_parser.onnx.schema_functions import expand_schema_functions
from lite.model_parser.onnx.tensors import TensorReader
from lite.model_parser.onnx.translations import TRANSLATIONS, translate
from lite.model_parser.onnx.traversal import all_nodes, check_strings
from lite.model_parser.onnx.versions import convert_old, is_old, read_opset
from lite.plugin.format import FileContent
from lite.plugin.user_ops import ONNX_RULES

Types = dict[str, tuple[DType | None, Shape | None]]


def parse_content(content: FileContent, source: str) -> tuple[ModelProto, list[Array]]:
    """The ModelProto in the content of a file, and the data of its large tensors (`take_large_tensors`).

    Raises `ModelParseError` for other content.
    """
    data, taken = take_large_tensors(content)
    try:
        model = ModelProto.FromString(data)
        if taken and is_old(model):
            # The converter of old models must see all data.
            model, taken = ModelProto.FromString(content[:]), []
    except (DecodeError, UnicodeDecodeError) as error:
        raise ModelParseError(
            f"{source}: not a readable ONNX model ({len(content)} bytes): {error}; the file may be cut "
            "short: copy or export it again"
        ) from error
    return model, taken


def read_model(model: ModelProto, source: str, folder: Path | None, taken: Sequence[Array] = ()) -> Program:
    """The program of a model; `folder` holds its external data, `taken` what was read of it already.

    Nodes that are out of order are sorted in `model` itself.  Raises `ModelParseError` for an opset that
    is too new, or too old to be converted, ops without a translation (one message for all), names that are
    written twice or never, inputs of other types than tensors and sequences of tensors, and damaged
    initialisers.
    """
    check_strings(model, source)
    model = inline_functions(model, source)
    model = expand_schema_functions(convert_old(model, list(all_nodes(model.graph.node)), source))
    nodes = list(all_nodes(model.graph.node))
    opset = read_opset(model, nodes, source)
    names = [op_name(node) for node in nodes]
    _check_layouts(names, source)
    TRANSLATIONS.check_supported([name for name in names if name not in ONNX_RULES], source)
    order_nodes(model.graph, source)
    program = Program([Block(0)], source=source, origin=origin_of(model))
    main = program.blocks[0]
    writer = BlockWriter(program, main, value_types(model.graph, source), {}, TensorReader(folder, taken))
    add_initialisers(model.graph, writer)
    _add_feeds(model.graph, program, writer)
    for proto in model.graph.node:
        translate(OnnxNode(proto, opset, source, writer.tensors), writer)
    holder = _holder(VarKind.FETCH, "fetch", writer)
    for column, value in enumerate(model.graph.output):
        col = Attribute(AttrType.INT, column)
        main.ops.append(Op("fetch", {"X": [value.name]}, {"Out": [holder]}, {"col": col}))
    program.files = [str(path) for path in writer.tensors.files]
    return program


def _check_layouts(names: Sequence[str], source: str) -> None:
    """Raise `ModelParseError` for ONNX Runtime's blocked layout, which depends on the processor."""
    blocked = [name for name in names if name.startswith("com.microsoft.nchwc.")]
    if blocked:
        raise ModelParseError(
            f"{source}: {len(blocked)} ops, such as {blocked[0]}, have the blocked layout that ONNX Runtime "
            "chose for one processor; save the optimised model with ORT_ENABLE_EXTENDED instead of "
            "ORT_ENABLE_ALL, or use the model from before"
        )


def origin_of(model: ModelProto) -> dict[str, str]:
    """What a model states of its origin: opsets by domain, producer and IR version."""
    opsets = ", ".join(f"{each.domain or 'ai.onnx'} {each.version}" for each in model.opset_import)
    producer = f"{model.producer_name} {model.producer_version}".strip()
    facts = {"opset": opsets, "producer": producer, "IR version": str(model.ir_version)}
    return {name: text for name, text in facts.items() if text}


def add_initialisers(graph: GraphProto, writer: BlockWriter) -> None:
    """Add the initialisers of a graph as parameters, the sparse ones as dense arrays."""
    source = writer.program.source
    inputs = {value.name for value in graph.input}
    for tensor in graph.initializer:
        where = f"{source}: initialiser {tensor.name!r}"
        array = writer.tensors.read(tensor, where)
        declared, _ = writer.types.get(tensor.name, (None, None))
        if tensor.name in inputs and declared not in (None, DType.from_numpy(array.dtype)):
            raise ModelParseError(
                f"{where}: expected {declared}, the type of the input of that name, got {array.dtype}"
            )
        writer.add_weight(tensor.name, array)
    for sparse in graph.sparse_initializer:
        where = f"{source}: initialiser {sparse.values.name!r}"
        writer.add_weight(sparse.values.name, writer.tensors.read_sparse(sparse, where))


def _add_feeds(graph: GraphProto, program: Program, writer: BlockWriter) -> None:
    main = program.blocks[0]
    holder = _holder(VarKind.FEED, "feed", writer)
    inputs = [value.name for value in graph.input if value.name not in program.weights]
    scores = {node.output[0] for node in graph.node if op_name(node) == "ai.onnx.ml.ZipMap"}
    for value in (*graph.input, *graph.output):
        kind = _without_optional(value.type)
        element = kind.sequence_type.elem_type
        if kind.HasField("sequence_type") and element.WhichOneof("value") in (None, "tensor_type"):
            if value.name in inputs:
                writer.declare_array(value.name, dtype_of(element.tensor_type.elem_type))
        elif kind.WhichOneof("value") not in (None, "tensor_type") and value.name not in scores:
            name = _type_name(kind)
            raise ModelParseError(
                f"{program.source}: {value.name!r} is of type {name}, expected a tensor or a sequence "
                "of tensors"
            )
    for column, name in enumerate(inputs):
        writer.declare(name)
        main.vars[name].dtype = writer.types.get(name, (None, None))[0]
        main.vars[name].need_check_feed = True
        col = Attribute(AttrType.INT, column)
        main.ops.append(Op("feed", {"X": [holder]}, {"Out": [name]}, {"col": col}))


def _without_optional(kind: TypeProto) -> TypeProto:
    """The type of an optional's element, or the type itself: an optional input counts as present."""
    return kind.optional_type.elem_type if kind.HasField("optional_type") else kind


def _type_name(kind: TypeProto) -> str:
    """A type such as ``sequence of map``."""
    name = (kind.WhichOneof("value") or "unknown").removesuffix("_type")
    return f"sequence of {_type_name(kind.sequence_type.elem_type)}" if name == "sequence" else name


def _holder(kind: VarKind, name: str, writer: BlockWriter) -> str:
    """The variable of feeds or fetches: `feed` or `fetch` as in Paddle, unless a value has that name."""
    if writer.has_name(name):
        name = writer.new_name(name)
    writer.block.vars[name] = Var(name, kind, persistable=True)
    return name


def value_types(graph: GraphProto, source: str) -> Types:
    """The dtypes and shapes that the graph declares for its tensors, and for those that are optional."""
    values = (*graph.value_info, *graph.output, *graph.input)
    return {
        value.name: _value_type(value, source)
        for value in values
        if _without_optional(value.type).HasField("tensor_type")
    }


def _value_type(value: ValueInfoProto, source: str) -> tuple[DType | None, Shape | None]:
    """The declared dtype and shape of a tensor; None for either that is missing."""
    tensor = _without_optional(value.type).tensor_type
    try:
        dtype = dtype_of(tensor.elem_type)
    except ModelParseError as error:
        raise ModelParseError(f"{source}: value {value.name!r}: {error}") from error
    if not tensor.HasField("shape"):
        return dtype, None
    return dtype, tuple(_dim(dim) for dim in tensor.shape.dim)


def _dim(dim: TensorShapeProto.Dimension) -> int | str:
    if dim.HasField("dim_value") and dim.dim_value >= 0:
        return int(dim.dim_value)
    return dim.dim_param or UNKNOWN
