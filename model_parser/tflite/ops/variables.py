"""Resource variables that an initialiser assigns and operators read.

A variable that the model assigns elsewhere has a state between runs, which a program does not have: it is
refused.
"""

from __future__ import annotations

from lite.errors import ModelParseError
from lite.model_parser.tflite.graph_writer import GraphWriter
from lite.model_parser.tflite.node import TfliteNode
from lite.model_parser.tflite.subgraph import Subgraph
from lite.model_parser.tflite.translations import tflite_op


@tflite_op("CALL_ONCE")
def call_once(node: TfliteNode, writer: GraphWriter) -> None:
    """The ops of the initialiser, in the main block."""
    if writer.block.index:
        raise ModelParseError("expected an initialiser in the main subgraph, got one inside of control flow")
    body = Subgraph(node.model, node.integer("initialiser"), writer)
    body.read_inputs([])
    writer.variables.is_initialising = True
    body.write_operators()
    writer.variables.is_initialising = False


@tflite_op("VAR_HANDLE")
def var_handle(node: TfliteNode, _: GraphWriter) -> None:
    """No op: the output stands for the variable of this name."""
    node.output().resource = node.option_text()


@tflite_op("ASSIGN_VARIABLE")
def assign_variable(node: TfliteNode, writer: GraphWriter) -> None:
    """No op: the variable has the value of a tensor."""
    name = _resource(node)
    if not writer.variables.is_initialising:
        raise ModelParseError(
            f"variable {name!r}: assignments outside of an initialiser are not supported; export a model "
            "without state"
        )
    writer.name(node.input(1))
    writer.variables.values[name] = node.input(1)


@tflite_op("READ_VARIABLE")
def read_variable(node: TfliteNode, writer: GraphWriter) -> None:
    """`assign` of the initial value, or no op for a constant."""
    name = _resource(node)
    value = writer.variables.values.get(name)
    if value is None:
        raise ModelParseError(f"variable {name!r}: expected an initialiser that assigns it before it is read")
    if value.elements is not None:
        node.output().elements = value.elements
        return
    writer.write(node, "assign", {"X": value.name}, is_stored=True)


def _resource(node: TfliteNode) -> str:
    tensor = node.input(0)
    if tensor.resource is None:
        raise ModelParseError(f"input {tensor.name!r}: expected the output of a VAR_HANDLE")
    return tensor.resource
