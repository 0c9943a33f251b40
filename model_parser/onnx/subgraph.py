"""A nested graph of a node, such as the body of a Loop, as a block of its own."""

from __future__ import annotations

from lite.model_parser.onnx.block_writer import BlockWriter
from lite.model_parser.onnx.messages import AttributeProto, GraphProto, TensorProto
from lite.model_parser.onnx.node import OnnxNode
from lite.model_parser.onnx.read_graph import add_initialisers, value_types
from lite.model_parser.onnx.translations import translate


class Subgraph:
    """A nested graph that becomes a block of its own.

    Values of enclosing graphs keep their names.  The values that the graph defines get new names, since
    the branches of an If may define values of one name.
    """

    def __init__(self, node: OnnxNode, attribute: str, outer: BlockWriter) -> None:
        self._opset = node.opset
        source = outer.program.source
        graph = node.graph(attribute)
        new_names = {name: outer.new_name(name) for name in _defined_names(graph)}
        self.graph = _renamed(graph, new_names)
        self.writer = outer.nested(value_types(self.graph, source))
        add_initialisers(self.graph, self.writer)

    @property
    def inputs(self) -> list[str]:
        """The names of the block's arguments."""
        return [value.name for value in self.graph.input]

    @property
    def outputs(self) -> list[str]:
        """The names of the block's results."""
        return [value.name for value in self.graph.output]

    def write_nodes(self) -> None:
        """Translate the nodes of the graph into the block."""
        for proto in self.graph.node:
            node = OnnxNode(proto, self._opset, self.writer.program.source, self.writer.tensors)
            translate(node, self.writer)

    def copy_out(self, result: str, name: str) -> None:
        """Write a result to a variable of the enclosing block."""
        self.writer.write_outer("assign", {"X": result}, name)


def _defined_names(graph: GraphProto) -> list[str]:
    """The names of values that a graph defines, without those of its nested graphs."""
    names = [value.name for value in graph.input]
    names += [tensor.name for tensor in _initialisers(graph)]
    names += [name for node in graph.node for name in node.output]
    return [name for name in dict.fromkeys(names) if name]


def _initialisers(graph: GraphProto) -> list[TensorProto]:
    """The tensors with the initialisers' names: a sparse initialiser has the name of its values."""
    return [*graph.initializer, *(sparse.values for sparse in graph.sparse_initializer)]


def _renamed(graph: GraphProto, new_names: dict[str, str]) -> GraphProto:
    """A copy of a graph with new names, also in its nested graphs."""
    copy = GraphProto()
    copy.CopyFrom(graph)
    for value in (*copy.input, *copy.output, *copy.value_info):
        value.name = new_names.get(value.name, value.name)
    for tensor in _initialisers(copy):
        tensor.name = new_names.get(tensor.name, tensor.name)
    for node in copy.node:
        for names in (node.input, node.output):
            names[:] = [new_names.get(name, name) for name in names]
        for attr in node.attribute:
            if attr.type == AttributeProto.GRAPH:
                own = _defined_names(attr.g)
                attr.g.CopyFrom(_renamed(attr.g, {k: v for k, v in new_names.items() if k not in own}))
    return copy
