"""The FlatBuffer of a TFLite model to `Program`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from lite.errors import ModelParseError
from lite.ir.program import Block, Program
from lite.ir.types import Array
from lite.model_parser.tflite.graph_writer import GraphWriter
from lite.model_parser.tflite.node import TfliteNode
from lite.model_parser.tflite.schema import CUSTOM, OPS, PLACEHOLDER
from lite.model_parser.tflite.tensors import Tensor, read_tensor
from lite.model_parser.tflite.translations import TRANSLATIONS, translate
from lite.plugin.format.flatbuffer import Table

T = TypeVar("T")

VERSION = 3
"""The version of the schema."""


def read_model(data: bytes, source: str) -> Program:
    """The program of a model; raises `ModelParseError` that names the tensor or operator."""
    program = Program([Block(0)], source=source)
    try:
        _read(data, program)
    except ModelParseError as error:
        message = str(error)
        prefix = "" if message.startswith(f"{source}:") else f"{source}: "
        raise ModelParseError(f"{prefix}{message}") from error
    return program


def _read(data: bytes, program: Program) -> None:
    model = Table.root(data)
    version = model.integer(0, "I")
    if version != VERSION:
        raise ModelParseError(
            f"expected version {VERSION} of the schema, got {version}; convert the model again"
        )
    subgraphs = model.tables(2)
    if not subgraphs:
        raise ModelParseError("expected a subgraph, got none; the file may be damaged: copy it again")
    codes = [_op_name(code) for code in model.tables(1)]
    main = subgraphs[0]
    operators = main.tables(3)
    names = [_nth(codes, operator.integer(0, "I"), "operator code") for operator in operators]
    TRANSLATIONS.check_supported(names, program.source)
    buffers = model.tables(4)
    writer = GraphWriter(program)
    tensors = [read_tensor(table, buffers, data) for table in main.tables(0)]
    inputs, outputs = main.numbers(1, "i"), main.numbers(2, "i")
    _name_tensors(tensors, [*inputs.tolist(), *outputs.tolist()], writer)
    for number in inputs:
        tensor = _nth(tensors, number, "input tensor")
        if tensor.name in writer.block.vars or tensor.elements is not None:
            raise ModelParseError(f"input {tensor.name!r}: expected one input that is not a constant")
        writer.add_feed(tensor)
    for number, (operator, name) in enumerate(zip(operators, names, strict=True)):
        translate(_node(operator, name, tensors), number, writer)
    if not outputs.size:
        raise ModelParseError("expected an output, got none; convert the model again")
    for number in outputs:
        writer.add_fetch(_nth(tensors, number, "output tensor"))


def _node(operator: Table, name: str, tensors: Sequence[Tensor]) -> TfliteNode:
    inputs = _tensors(operator.numbers(1, "i"), tensors)
    outputs = [tensor for tensor in _tensors(operator.numbers(2, "i"), tensors) if tensor is not None]
    return TfliteNode(name, inputs, outputs, operator.table(4))


def _tensors(numbers: Array, tensors: Sequence[Tensor]) -> list[Tensor | None]:
    """The tensors of these numbers; -1 stands for an absent one."""
    return [None if number == -1 else _nth(tensors, number, "tensor") for number in numbers.tolist()]


def _nth(items: Sequence[T], number: int, what: str) -> T:
    if not 0 <= number < len(items):
        raise ModelParseError(f"expected a number of an {what} below {len(items)}, got {number}")
    return items[number]


def _op_name(code: Table) -> str:
    """The name of a builtin op; ``CUSTOM:name`` for another."""
    number = code.integer(0, "b")
    if number >= PLACEHOLDER or number == 0:
        number = code.integer(3, "i")
    if number == CUSTOM:
        return f"CUSTOM:{code.string(1)}"
    return OPS[number] if 0 <= number < len(OPS) else f"op {number}"


def _name_tensors(tensors: Sequence[Tensor], ports: Sequence[int], writer: GraphWriter) -> None:
    """Give each tensor a name that no other has; inputs and outputs keep theirs, where these differ."""
    first = [tensors[number] for number in dict.fromkeys(ports) if 0 <= number < len(tensors)]
    for tensor in dict.fromkeys([*first, *tensors]):
        tensor.name = writer.new_name(tensor.name)
