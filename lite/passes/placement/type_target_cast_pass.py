"""Every kernel finds its inputs in memory that it can read."""

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
    """Puts a copy where a kernel's target does not share memory with that of a value it reads::

        %y = relu(X=%x) @npu         %x.npu = io_copy(X=%x) {source="host", destination="npu"}
        %z = tanh(X=%y) @host   ->   %y = relu(X=%x.npu) @npu
                                     %y.host = io_copy(X=%y) {source="npu", destination="host"}
                                     %z = tanh(X=%y.host) @host

    One copy per value and memory, right behind what writes the value.  Constants are copied by
    ``io_copy_once``, when the model is loaded.  What enters and leaves blocks and graphs is in the
    host's memory; from one target's own memory to another's, the way leads through it.  The copying
    kernel is picked here, so this is Paddle-Lite's ``io_copy_kernel_pick_pass``, too.
    """

    name: ClassVar[str] = "type_target_cast_pass"
    after: ClassVar[tuple[str, ...]] = (
        "static_kernel_pick_pass",
        "variable_place_inference_pass",
        "type_precision_cast_pass",
        "type_layout_cast_pass",
    )

    def run(self, graph: Graph, ctx: PassContext) -> Result:
        """Raises `PassError` for a target whose own memory no kernel copies to or from."""
        casts = CastInsertion(graph)
        for node in graph:
            wanted = _wanted(node)
            for slot, values in list(node.inputs.items()):
                casts.read(node, slot, [_in_memory_of(casts, value, wanted) for value in values])
        casts.set_results([_in_memory_of(casts, value, HOST) for value in graph.results])
        return Outcome.of(casts.finish())


def _wanted(node: Node) -> str:
    """The target in whose memory a node reads; control flow is run by the executor, on the host."""
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
    found = casts.found(value, destination)
    return found if found is not None else casts.enter(value, destination, _copy(casts, value, destination))


def _copy(casts: CastInsertion, value: Value, destination: str) -> Value:
    source = target_of(value)
    owner = destination if has_own_memory(destination) else source
    ends = {"source": source if has_own_memory(source) else HOST, "destination": destination}
    copy = casts.insert(value, "io_copy", ends, [owner], destination)
    copy.place = Place(destination, copy.dtype, layout_of(copy))
    return copy
