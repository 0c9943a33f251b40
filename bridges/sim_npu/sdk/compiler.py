"""The compiler: from graph to blob."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from lite.bridges.sim_npu.sdk.blob import pack
from lite.bridges.sim_npu.sdk.errors import NpuError, Status
from lite.bridges.sim_npu.sdk.graph import Graph, Node
from lite.bridges.sim_npu.sdk.library import pack_all
from lite.bridges.sim_npu.sdk.program import Instruction, Program
from lite.bridges.sim_npu.sdk.version import version


def compile_graph(graph: Graph) -> bytes:
    """The blob of a graph; without the nodes that no output needs.

    Raises `NpuError` for a graph without outputs.
    """
    return pack(_program(graph))


def compile_graphs(graphs: Sequence[Graph]) -> bytes:
    """The library of several graphs, whose equal constants are stored and loaded once."""
    return pack_all([_program(graph) for graph in graphs])


def _program(graph: Graph) -> Program:
    if not graph.outputs:
        raise NpuError(Status.INVALID_ARITY, "the graph has no outputs")
    outputs = [tensor.index for tensor in graph.outputs.values()]
    nodes = _needed(graph.nodes, outputs)
    weights = {
        tensor.index: tensor.data
        for tensor in graph.tensors
        if tensor.data is not None and tensor.index in _read(nodes, outputs)
    }
    inputs = [tensor.index for tensor in graph.inputs.values()]
    instructions = _instructions(nodes, keep={*inputs, *outputs, *weights})
    types = [tensor.type for tensor in graph.tensors]
    return Program(version(), types, inputs, outputs, instructions, weights)


def _needed(nodes: list[Node], outputs: Iterable[int]) -> list[Node]:
    live = set(outputs)
    needed: list[Node] = []
    for node in reversed(nodes):
        if any(tensor.index in live for tensor in node.outputs):
            needed.append(node)
            live.update(tensor.index for tensor in node.inputs)
    return needed[::-1]


def _read(nodes: list[Node], outputs: Iterable[int]) -> set[int]:
    return {*outputs, *(tensor.index for node in nodes for tensor in node.inputs)}


def _instructions(nodes: list[Node], keep: set[int]) -> list[Instruction]:
    """The instructions of the nodes; each releases the tensors that no later instruction reads."""
    instructions: list[Instruction] = []
    live = set(keep)
    for node in reversed(nodes):
        inputs, outputs = ([tensor.index for tensor in side] for side in (node.inputs, node.outputs))
        release = sorted({*inputs, *outputs} - live)
        live.update(release)
        instructions.append(Instruction(node.kind, inputs, outputs, node.attributes, release))
    return instructions[::-1]
