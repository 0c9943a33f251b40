"""Graphs inside nodes: bodies of loops and branches."""

from __future__ import annotations

import onnx

from lite.model_parser.onnx.block_writer import BlockWriter
from lite.model_parser.onnx.node import OnnxNode
from lite.model_parser.onnx.read_graph import add_initialisers, value_types
from lite.model_parser.onnx.registry import translate


class Subgraph:
    """A graph that becomes a block of its own; what it reads from outside it names as the outside does.

    What it defines gets names that nothing else in the program has: branches may use the same ones.
    """

    def __init__(self, node: OnnxNode, attribute: str, outer: BlockWriter) -> None:
        self._opset = node.opset
        source = outer.program.source
        graph = node.graph(attribute)
        fresh = {name: outer.new(name) for name in _defined(graph)}
        self.graph = _renamed(graph, fresh)
        self.writer = outer.nested(value_types(self.graph, source))
        add_initialisers(self.graph, self.writer)

    @property
    def inputs(self) -> list[str]:
        """The names that the block gives its arguments."""
        return [value.name for value in self.graph.input]

    @property
    def outputs(self) -> list[str]:
        """The names of its results."""
        return [value.name for value in self.graph.output]

    def write_nodes(self) -> None:
        """Translate what the graph computes into the block."""
        for proto in self.graph.node:
            node = OnnxNode(proto, self._opset, self.writer.program.source, self.writer.tensors)
            translate(node, self.writer)

    def copy_out(self, result: str, name: str) -> None:
        """Write a result to a variable of the enclosing block."""
        self.writer.write_outer("assign", {"X": result}, name)


def _defined(graph: onnx.GraphProto) -> list[str]:
    """Every name that a graph gives a value of its own, without what nested graphs define."""
    names = [value.name for value in graph.input]
    names += [tensor.name for tensor in _initialisers(graph)]
    names += [name for node in graph.node for name in node.output]
    return [name for name in dict.fromkeys(names) if name]


def _initialisers(graph: onnx.GraphProto) -> list[onnx.TensorProto]:
    """Those that have a name; that of a sparse one is the name of its values."""
    return [*graph.initializer, *(sparse.values for sparse in graph.sparse_initializer)]


def _renamed(graph: onnx.GraphProto, fresh: dict[str, str]) -> onnx.GraphProto:
    """A copy of a graph with other names, in nested graphs, too."""
    copy = onnx.GraphProto()
    copy.CopyFrom(graph)
    for value in (*copy.input, *copy.output, *copy.value_info):
        value.name = fresh.get(value.name, value.name)
    for tensor in _initialisers(copy):
        tensor.name = fresh.get(tensor.name, tensor.name)
    for node in copy.node:
        for names in (node.input, node.output):
            names[:] = [fresh.get(name, name) for name in names]
        for attr in node.attribute:
            if attr.type == onnx.AttributeProto.GRAPH:
                own = _defined(attr.g)
                attr.g.CopyFrom(_renamed(attr.g, {k: v for k, v in fresh.items() if k not in own}))
    return copy
