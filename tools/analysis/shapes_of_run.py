"""The shapes of all values of a run, and the multiply-accumulates that follow from them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from lite.dataclass import dataclass
from lite.ir.graph import Graph, Value
from lite.ir.program import Program
from lite.ir.types import Array, Shape, is_known
from lite.ops.macs import macs
from lite.ops.node_work import node_macs
from lite.ops.program_graph import program_graph
from lite.runtime.observe.watch import Observation
from lite.session.predictor import Predictor
from lite.subgraph.report import PlacementReport
from lite.tools.analysis.stopwatch import Lods

Key = tuple[str, str]
"""The block and the name of a value."""

Shapes = Mapping[Key, Shape]


@dataclass(frozen=True)
class OpMacs:
    """The multiply-accumulates of an op, by its block, its name and its type."""

    block: str
    name: str
    op: str
    macs: int


def shapes_of_inputs(program: Program, inputs: Mapping[str, Shape]) -> tuple[Graph, Shapes]:
    """The program's graph for inputs of these shapes, and the known shapes of its values."""
    graph = program_graph(program, (), inputs)
    return graph, {
        (each.name, value.label): value.shape
        for each in graph.walk()
        for node in each
        for value in node.all_outputs()
        if value.shape is not None and is_known(value.shape)
    }


def shapes_of_run(predictor: Predictor, feeds: Mapping[str, Array], lods: Lods) -> Shapes:
    """The shapes of all values that a run writes; tensor arrays have none."""
    shapes: dict[Key, Shape] = {}

    def see(observation: Observation) -> None:
        if not isinstance(observation.value, list):
            shapes[observation.block, observation.name] = tuple(observation.value.shape)

    predictor.observe(see, feeds, lods)
    return shapes


def op_macs(graph: Graph, shapes: Shapes) -> Iterator[OpMacs]:
    """The ops whose multiply-accumulates are known and more than 0; `shapes` precede those of the graph."""

    def of(slots: Mapping[str, Sequence[Value]], block: str) -> dict[str, list[Shape | None]]:
        return {
            slot: [shapes.get((block, value.label), value.shape) for value in values]
            for slot, values in slots.items()
        }

    for each in graph.walk():
        for node in each:
            count = macs(node.op, of(node.inputs, each.name), of(node.outputs, each.name))
            if count:
                yield OpMacs(each.name, node.label, node.op, count)


def total_macs(program: Program, inputs: Mapping[str, Shape]) -> int | None:
    """The multiply-accumulates of a run; None where a size that they depend on is open.

    Each op of a loop or branch counts once.  Raises what `program_graph` raises.
    """
    graph = program_graph(program, (), inputs)
    counts = [node_macs(node) for each in graph.walk() for node in each]
    return None if None in counts else sum(count for count in counts if count is not None)


def fill_macs(report: PlacementReport, counted: Sequence[OpMacs]) -> None:
    """Give ops of a report without multiply-accumulates those of the ops of the same name and type."""
    known = {(each.block, each.name, each.op): each.macs for each in counted}
    for op in report.ops:
        if op.macs is None:
            op.macs = known.get((op.block, op.name, op.type))
