"""Control flow: IF becomes conditional blocks, WHILE becomes a `while` op.

The values that a subgraph needs are its inputs.
"""

from __future__ import annotations

from lite.errors import ModelParseError
from lite.ir.types import DType
from lite.model_parser.tflite.graph_writer import GraphWriter
from lite.model_parser.tflite.node import TfliteNode
from lite.model_parser.tflite.subgraph import Subgraph
from lite.model_parser.tflite.translations import tflite_op


@tflite_op("IF")
def if_(node: TfliteNode, writer: GraphWriter) -> None:
    """A `conditional_block` for each branch, and a `select_input` for each result."""
    condition = _as_vector(writer, writer.name(node.input(0)))
    negated = writer.unary("logical_not", condition)
    arguments = _arguments(node, writer, 1)
    results = [
        _branch(node, writer, option, guard, arguments)
        for option, guard in (("else", negated), ("then", condition))
    ]
    mask = writer.unary("cast", condition, {"out_dtype": DType.INT32.code})
    for output, choices in zip(node.outputs, zip(*results, strict=True), strict=True):
        writer.emit("select_input", {"X": choices, "Mask": mask}, {"Out": output.name})


def _branch(
    node: TfliteNode, writer: GraphWriter, option: str, guard: str, arguments: list[str]
) -> list[str]:
    inner = writer.nested()
    body = Subgraph(node.model, node.integer(option), inner)
    body.read_inputs(arguments)
    body.write_operators()
    outs = [writer.new_name(output.name) for output in node.outputs]
    for result, out in zip(body.results(len(outs)), outs, strict=True):
        inner.write_outer(result, out)
    writer.run_block("conditional_block", {"Cond": guard}, outs, inner.block)
    return outs


@tflite_op("WHILE")
def while_(node: TfliteNode, writer: GraphWriter) -> None:
    """A `while` op over carried variables; the condition's ops are before it and at the end of its block."""
    carried = [writer.unary("assign", name) for name in _arguments(node, writer, 0)]
    condition = _condition(node, writer, carried)
    inner = writer.nested()
    body = Subgraph(node.model, node.integer("body"), inner)
    body.read_inputs(carried)
    body.write_operators()
    results = [inner.unary("assign", name) for name in body.results(len(carried))]
    for result, variable in zip(results, carried, strict=True):
        inner.write_outer(result, variable)
    inner.write_outer(_condition(node, inner, results), condition)
    writer.run_block("while", {"Condition": condition}, [*carried, condition], inner.block)
    if len(node.outputs) != len(carried):
        raise ModelParseError(f"expected {len(carried)} outputs, got {len(node.outputs)}")
    for variable, output in zip(carried, node.outputs, strict=True):
        writer.emit("assign", {"X": variable}, {"Out": output.name})


def _condition(node: TfliteNode, writer: GraphWriter, carried: list[str]) -> str:
    """Add the ops of the condition; its result, bool[1]."""
    test = Subgraph(node.model, node.integer("condition"), writer)
    test.read_inputs(carried)
    test.write_operators()
    (result,) = test.results(1)
    return _as_vector(writer, result)


def _arguments(node: TfliteNode, writer: GraphWriter, start: int) -> list[str]:
    return [writer.name(node.input(position)) for position in range(start, len(node.inputs))]


def _as_vector(writer: GraphWriter, condition: str) -> str:
    return writer.unary("reshape2", condition, {"shape": [1]})
