"""ModelProto → Program."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import onnx
from google.protobuf.message import DecodeError

from lite.errors import ModelParseError, suggest
from lite.ir.program import Block, Op, Program, Var, VarKind
from lite.ir.types import UNKNOWN, DType, Shape
from lite.model_parser.onnx.block_writer import BlockWriter, int_attribute
from lite.model_parser.onnx.element_types import dtype_of
from lite.model_parser.onnx.functions import inline_functions
from lite.model_parser.onnx.nested_graphs import nested_graphs
from lite.model_parser.onnx.node import OnnxNode
from lite.model_parser.onnx.node_order import order_nodes
from lite.model_parser.onnx.registry import translate, translators
from lite.model_parser.onnx.sparse import read_sparse
from lite.model_parser.onnx.tensors import TensorReader
from lite.model_parser.onnx.texts import check_texts
from lite.model_parser.onnx.versions import DEFAULT_DOMAINS, read_opset

Types = dict[str, tuple[DType | None, Shape | None]]


def read_bytes(data: bytes, source: str, folder: Path | None) -> Program:
    """The program of a serialised ModelProto; see `read_model`."""
    model = onnx.ModelProto()
    try:
        model.ParseFromString(data)
    except (DecodeError, UnicodeDecodeError) as error:
        raise ModelParseError(
            f"{source}: not a readable ONNX model ({len(data)} bytes): {error}; the file may be cut short: "
            "copy or export it again"
        ) from error
    return read_model(model, source, folder)


def read_model(model: onnx.ModelProto, source: str, folder: Path | None) -> Program:
    """The program that a model says; `folder` is where its external data may lie.

    Nodes that are not in order are sorted, in `model` itself.

    Raises `ModelParseError`: an opset that is too old or too new, ops that nothing translates (all at
    once), names that are written twice or never, inputs that are not tensors, damaged initialisers.
    """
    check_texts(model, source)
    model = inline_functions(model, source)
    opset = read_opset(model, _all_nodes(model.graph), source)
    _check_ops(model.graph, source)
    order_nodes(model.graph, source)
    program = Program([Block(0)], source=source)
    main = program.blocks[0]
    writer = BlockWriter(program, main, value_types(model.graph, source), {}, TensorReader(folder))
    add_initialisers(model.graph, writer)
    _feed(model.graph, program, writer)
    for proto in model.graph.node:
        translate(OnnxNode(proto, opset, source, writer.tensors), writer)
    holder = _holder(VarKind.FETCH, "fetch", writer)
    for column, value in enumerate(model.graph.output):
        main.ops.append(Op("fetch", {"X": [value.name]}, {"Out": [holder]}, {"col": int_attribute(column)}))
    program.files = [str(path) for path in writer.tensors.files]
    return program


def add_initialisers(graph: onnx.GraphProto, writer: BlockWriter) -> None:
    """Enter the initialisers of a graph, the sparse ones with their zeros, as parameters."""
    source = writer.program.source
    for tensor in graph.initializer:
        where = f"{source}: initialiser {tensor.name!r}"
        array = writer.tensors.read(tensor, where)
        said, _ = writer.types.get(tensor.name, (None, None))
        if said not in (None, DType.from_numpy(array.dtype)):
            raise ModelParseError(
                f"{where}: expected {said}, as the input of that name is, got {array.dtype}"
            )
        writer.add_weight(tensor.name, array)
    for sparse in graph.sparse_initializer:
        where = f"{source}: initialiser {sparse.values.name!r}"
        writer.add_weight(sparse.values.name, read_sparse(sparse, writer.tensors, where))


def _feed(graph: onnx.GraphProto, program: Program, writer: BlockWriter) -> None:
    main = program.blocks[0]
    holder = _holder(VarKind.FEED, "feed", writer)
    inputs = [value.name for value in graph.input if value.name not in program.weights]
    for value in (*graph.input, *graph.output):
        kind = value.type.WhichOneof("value")
        if kind not in (None, "tensor_type"):
            raise ModelParseError(
                f"{program.source}: {value.name!r} is a {kind.removesuffix('_type')}, expected a tensor: "
                "nothing else goes in or out of a model"
            )
    for column, name in enumerate(inputs):
        writer.declare(name)
        main.vars[name].need_check_feed = True
        main.ops.append(Op("feed", {"X": [holder]}, {"Out": [name]}, {"col": int_attribute(column)}))


def _holder(kind: VarKind, name: str, writer: BlockWriter) -> str:
    """The variable of feeds or fetches, which in Paddle are `feed` and `fetch`; a model may use these too."""
    if writer.knows(name):
        name = writer.new(name)
    writer.block.vars[name] = Var(name, kind, persistable=True)
    return name


def _check_ops(graph: onnx.GraphProto, source: str) -> None:
    known = translators()
    unknown = Counter(
        node.op_type if node.domain in DEFAULT_DOMAINS else f"{node.domain}.{node.op_type}"
        for node in _all_nodes(graph)
        if node.domain not in DEFAULT_DOMAINS or node.op_type not in known
    )
    if unknown:
        listed = ", ".join(
            f"{name} ({count}x{suggest(name, known).replace(';', ',').rstrip('?')})"
            for name, count in sorted(unknown.items())
        )
        raise ModelParseError(f"{source}: {len(unknown)} ONNX op types are not supported: {listed}")


def _all_nodes(graph: onnx.GraphProto) -> Iterable[onnx.NodeProto]:
    for node in graph.node:
        yield node
        for nested in nested_graphs(node):
            yield from _all_nodes(nested)


def value_types(graph: onnx.GraphProto, source: str) -> Types:
    """What the graph says of dtypes and shapes."""
    values = (*graph.value_info, *graph.output, *graph.input)
    return {value.name: _value_type(value, source) for value in values if value.type.HasField("tensor_type")}


def _value_type(value: onnx.ValueInfoProto, source: str) -> tuple[DType | None, Shape | None]:
    """The dtype and shape of a tensor, as far as they are said."""
    tensor = value.type.tensor_type
    try:
        dtype = dtype_of(tensor.elem_type)
    except ModelParseError as error:
        raise ModelParseError(f"{source}: value {value.name!r}: {error}") from error
    if not tensor.HasField("shape"):
        return dtype, None
    return dtype, tuple(_dim(dim) for dim in tensor.shape.dim)


def _dim(dim: onnx.TensorShapeProto.Dimension) -> int | str:
    if dim.HasField("dim_value") and dim.dim_value >= 0:
        return int(dim.dim_value)
    return dim.dim_param or UNKNOWN
