"""The FlatBuffer of a TFLite model to `Program`."""

from __future__ import annotations

import logging

from lite.errors import ModelParseError
from lite.ir.program import Block, Program
from lite.model_parser.tflite.graph_writer import GraphWriter
from lite.model_parser.tflite.model import TfliteModel
from lite.model_parser.tflite.subgraph import Subgraph
from lite.plugin.format.flatbuffer import Table

log = logging.getLogger(__name__)

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
    root = Table.root(data)
    version = root.integer(0, "I")
    if version != VERSION:
        raise ModelParseError(
            f"expected version {VERSION} of the schema, got {version}; convert the model again"
        )
    model = TfliteModel.read(data, root)
    if not model.subgraphs:
        raise ModelParseError("expected a subgraph, got none; the file may be damaged: copy it again")
    writer = GraphWriter(program)
    main = Subgraph(model, 0, writer)
    for tensor in main.inputs:
        if tensor.name in writer.block.vars or tensor.elements is not None:
            raise ModelParseError(f"input {tensor.name!r}: expected one input that is not a constant")
        writer.add_feed(tensor)
    main.write_operators()
    if not main.outputs:
        raise ModelParseError("expected an output, got none; convert the model again")
    for tensor in main.outputs:
        writer.add_fetch(tensor)
    if writer.states:
        log.warning(
            "%s: each run starts with zeros in the states %s; TensorFlow Lite's interpreter keeps them from "
            "run to run, as a model that takes a stream step by step expects",
            program.source, ", ".join(writer.states),
        )  # fmt: skip
