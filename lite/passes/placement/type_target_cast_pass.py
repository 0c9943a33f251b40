"""Copies inputs to memory that the kernels can read."""

from __future__ import annotations

from typing import ClassVar

from lite.ir.graph import Graph, Node, Value
from lite.ir.types import HOST, Place
from lite.passes.base import Outcome, Pass, PassContext, Result
from lite.passes.placement.cast_insertion import COPIES, CastInsertion, layout_of, target_of
from lite.passes.registry import register_pass
from lite.plugin.kernel.target import has_own_memory, shares_memory


@register_pass
class TypeTargetCastPass(Pass):
    """Inserts a copy where a kernel's target does not share memory with the target of a value it reads::

        %y = relu(X=%x) @npu         %x.npu = io_copy(X=%x) {source="host", destination="npu"}
        %z = tanh(X=%y) @host   ->   %y = relu(X=%x.npu) @npu
                                     %y.host = io_copy(X=%y) {source="npu", destination="host"}
                                     %z = tanh(X=%y.host) @host

    There is one copy per value and memory, directly after the node that writes the value.
    ``io_copy_once`` copies constants when the model is loaded.  The arguments and results of blocks and
    graphs are in the host's memory, through which copies between two targets with memory of their own
    pass.  This pass also picks the copying kernels, as Paddle-Lite's ``io_copy_kernel_pick_pass`` does.
    """

    name: ClassVar[str] = "type_target_cast_pass"
    after: ClassVar[tuple[str, ...]] = (
        "static_kernel_pick_pass",
        "variable_place_inference_pass",
        "type_precision_cast_pass",
        "type_layout_cast_pass",
    )

    def run(self, graph: Graph, ctx: PassContext) -> Result:
        """Raises `PassError` for a target without kernels that copy to and from its memory."""
        casts = CastInsertion(graph)
        for node in graph:
            target = _reading_target(node)
            for slot, values in list(node.inputs.items()):
                casts.read(node, slot, [_in_memory_of(casts, value, target) for value in values])
        casts.set_results([_in_memory_of(casts, value, HOST) for value in graph.results])
        return Outcome.of(casts.clean_up())


def _reading_target(node: Node) -> str:
    """The target in whose memory a node reads; the executor runs control flow on the host."""
    if node.op in COPIES:
        return str(node.attrs.get("source", HOST))
    return HOST if node.place is None or node.blocks else node.place.target


def _in_memory_of(casts: CastInsertion, value: Value, target: str) -> Value:
    source = target_of(value)
    if shares_memory(source, target):
        return value
    producer = value.producer
    if producer is not None and producer.op in COPIES:
        original = producer.input("X")
        return _in_memory_of(casts, original, target)
    if has_own_memory(source) and has_own_memory(target):
        value, source = _in_memory_of(casts, value, HOST), HOST
    destination = target if has_own_memory(target) else HOST
    copy = casts.find(value, destination)
    return copy if copy is not None else casts.enter(value, destination, _copy(casts, value, destination))


def _copy(casts: CastInsertion, value: Value, destination: str) -> Value:
    source = target_of(value)
    owner = destination if has_own_memory(destination) else source
    ends = {"source": source if has_own_memory(source) else HOST, "destination": destination}
    copy = casts.insert(value, "io_copy", ends, [owner], destination)
    copy.place = Place(destination, copy.dtype, layout_of(copy))
    return copy
