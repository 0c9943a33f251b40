"""Translates the inputs and outputs of the model, and the ops that combine and split lists of tensors."""

from __future__ import annotations

from lite.errors import ModelParseError
from lite.ir.program import Attribute, AttrType, Op, Var, VarKind
from lite.model_parser.paddle.pir.block_writer import BlockWriter
from lite.model_parser.paddle.pir.node import PirNode
from lite.model_parser.paddle.pir.translations import pir_op


@pir_op("data", "feed")
def data(node: PirNode, writer: BlockWriter) -> None:
    """A `feed` op; its variable has the input's name."""
    name, value = node.string("name", ""), node.output()
    if value.type.dtype is None:
        raise ModelParseError(f"input {name!r}: expected a tensor, got {value.type.encoding}")
    if writer.block.index:
        raise ModelParseError(f"input {name!r} is in block {writer.block.index}; expected the main block, 0")
    writer.rename(value, name)
    if value.name != name or not name:
        raise ModelParseError(f"expected a name that no other input or parameter has, got {name!r}")
    writer.declare(value)
    writer.block.vars[name].need_check_feed = True
    writer.block.vars["feed"] = Var("feed", VarKind.FEED, persistable=True)
    writer.block.ops.append(Op("feed", {"X": ["feed"]}, {"Out": [name]}, _column("feed", writer)))


@pir_op("fetch")
def fetch(node: PirNode, writer: BlockWriter) -> None:
    """A `fetch` op of a variable with the output's name."""
    _fetch(node, writer, node.string("name", ""))


@pir_op("builtin.shadow_output")
def shadow_output(node: PirNode, writer: BlockWriter) -> None:
    """A `fetch` op of a variable with the output's name."""
    _fetch(node, writer, node.string("output_name", ""))


def _fetch(node: PirNode, writer: BlockWriter, name: str) -> None:
    if writer.block.index:
        raise ModelParseError(f"output {name!r} is in block {writer.block.index}; expected the main block, 0")
    value = node.input(0)
    if name and value.name != name:
        out = writer.new(value)
        writer.rename(out, name)
        writer.emit("assign", {"X": value}, {"Out": out})
        value = out
    writer.block.vars["fetch"] = Var("fetch", VarKind.FETCH, persistable=True)
    inputs = {"X": [writer.name_of(value)]}
    writer.block.ops.append(Op("fetch", inputs, {"Out": ["fetch"]}, _column("fetch", writer)))


def _column(op: str, writer: BlockWriter) -> dict[str, Attribute]:
    """The attribute ``col`` of a feed or fetch op: the number of such ops before it."""
    column = sum(other.type == op for other in writer.block.ops)
    return {"col": Attribute(AttrType.INT, column)}


@pir_op("builtin.combine")
def combine(node: PirNode, _: BlockWriter) -> None:
    """Adds no op: the output is the list of the operands."""
    node.output().parts = [node.input(position) for position in range(len(node.inputs))]


@pir_op("builtin.split")
def split(node: PirNode, writer: BlockWriter) -> None:
    """Adds no op: the outputs are the tensors of a list."""
    parts = node.parts(0)
    if len(parts) != len(node.outputs):
        raise ModelParseError(f"expected a list of {len(node.outputs)} tensors, got {len(parts)}")
    for id, part in zip(node.result_ids, parts, strict=True):
        writer.rebind(id, part)


@pir_op("builtin.slice")
def slice_(node: PirNode, writer: BlockWriter) -> None:
    """Adds no op: the output is one tensor of a list."""
    parts, index = node.parts(0), node.integer("index", 0)
    if not 0 <= index < len(parts):
        raise ModelParseError(f"attribute 'index': expected 0 to {len(parts) - 1}, got {index}")
    node.output()
    writer.rebind(node.result_ids[0], parts[index])
