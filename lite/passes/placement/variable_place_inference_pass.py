"""Where each value lives."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from lite.ir.graph import Graph, Node, Value
from lite.ir.types import HOST, Layout, Place
from lite.passes.base import Outcome, Pass, PassContext, Result
from lite.passes.registry import register_pass


@register_pass
@dataclass(frozen=True)
class VariablePlaceInferencePass(Pass):
    """Gives every value the place of the kernel that writes it, element type and layout filled in::

        %y: float32[2] = relu(X=%x) @host/any/any  ->  %y has place host/float32/nchw

    Arguments and constants are on the host in NCHW.  A kernel for any layout keeps the layout of its
    first input; the outputs of control flow are on the host.
    """

    name: ClassVar[str] = "variable_place_inference_pass"
    after: ClassVar[tuple[str, ...]] = ("static_kernel_pick_pass",)

    def run(self, graph: Graph, ctx: PassContext) -> Result:
        """May run again after kernels were picked anew."""
        changed = False
        for value, place in _places(graph):
            changed |= value.place != place
            value.place = place
        return Outcome.of(changed)


def _places(graph: Graph) -> Iterator[tuple[Value, Place]]:
    """Lazily, so that a node's inputs have their places when its outputs are asked for."""
    for value in (*graph.args, *graph.constants.values()):
        yield value, Place(HOST, value.dtype, Layout.NCHW)
    for node in graph:
        for value in node.all_outputs():
            yield value, _place(node, value)


def _place(node: Node, value: Value) -> Place:
    kernel = node.place or Place(HOST)
    layout = kernel.layout
    if layout is Layout.ANY:
        inputs = (read.place.layout for read in node.all_inputs() if read.place and not read.is_constant)
        layout = next(inputs, Layout.NCHW)
    return Place(kernel.target, value.dtype or kernel.dtype, layout)
