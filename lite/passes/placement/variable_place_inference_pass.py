"""Infers the place of each value."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from lite.ir.graph import Graph, Node, Value
from lite.ir.types import HOST, Place
from lite.passes.base import Outcome, Pass, PassContext, Result
from lite.passes.placement.cast_insertion import COPIES, layout_of
from lite.passes.registry import register_pass


@register_pass
class VariablePlaceInferencePass(Pass):
    """Gives every value the target of the kernel that writes it, its element type and layout::

        %y: float32[2] = relu(X=%x) @npu/any/any  ->  %y has place npu/float32/nchw

    Arguments, constants and the outputs of control flow are on the host; the output of a copy is at the
    copy's destination.  The pass changes no layout (at first all are NCHW) and no element type:
    ``type_layout_cast_pass`` changes layouts and shapes, ``type_precision_cast_pass`` element types.
    """

    name: ClassVar[str] = "variable_place_inference_pass"
    after: ClassVar[tuple[str, ...]] = ("static_kernel_pick_pass",)

    def run(self, graph: Graph, ctx: PassContext) -> Result:
        """Sets the place of every value; may run again after kernels were picked again."""
        changed = False
        for value, target in _targets(graph):
            kernel = None if value.producer is None else value.producer.place
            place = Place(target, value.dtype or (kernel.dtype if kernel else None), layout_of(value))
            changed |= value.place != place
            value.place = place
        return Outcome.of(changed)


def _targets(graph: Graph) -> Iterator[tuple[Value, str]]:
    for value in (*graph.args, *graph.constants.values()):
        yield value, HOST
    for node in graph:
        for value in node.all_outputs():
            yield value, _target(node)


def _target(node: Node) -> str:
    if node.op in COPIES:
        return str(node.attrs.get("destination", HOST))
    return HOST if node.place is None or node.blocks else node.place.target
