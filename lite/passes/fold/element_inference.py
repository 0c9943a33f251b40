"""ElementInference: types of values that depend on branches whose conditions follow from shapes."""

from __future__ import annotations

from dataclasses import replace

from lite.errors import LiteError
from lite.ir.build import CONDITIONAL, WHILE
from lite.ir.graph import Graph, Node, Value
from lite.ops import SCHEMAS
from lite.ops.infer_graph import Inference
from lite.ops.view import Meta
from lite.passes.fold.elements import elements_of_node
from lite.plugin.kernel.partial_elements import MAX_ELEMENTS, Elements


def inference_of(graph: Graph) -> Inference:
    """The inference that finds the types of all values of a graph."""
    loops = (node for node in graph if node.op == WHILE)
    return ElementInference({}) if any(_branches(loop.blocks[0]) for loop in loops) else Inference({})


class ElementInference(Inference):
    """Computes small tensors that follow from shapes, so that it knows which branch a loop takes.

    Without it, a value that a branch gives one of two ranks has no shape, and so have the values that the
    loop carries::

        %s = shape(Input=%x)             (%x: float32[2,25,1], also in the first iteration)
        %c = equal(X=%s[-1], Y=1)
        %y = select_input(X=[%x, squeeze2(%x)], Mask=%c)     float32[2,25]
    """

    def __init__(self, metas: dict[Value, Meta]) -> None:
        super().__init__(metas)
        self._elements: dict[Value, Elements] = {}

    def infer_node(self, node: Node, *, trusted: bool) -> None:
        """Infer the outputs of a node without sub-blocks, and their elements."""
        super().infer_node(node, trusted=trusted)
        for value in node.all_outputs():
            self._elements.pop(value, None)
        schema = SCHEMAS.get(node.op)
        if schema is None or not schema.foldable or node.effect:
            return
        try:
            results = elements_of_node(node, self._elements, self.metas)
        except LiteError:
            return  # the op is not valid for these elements, and the run reports it if the op ever runs
        for slot, found in results.items():
            for value, elements in zip(node.outputs[slot], found, strict=True):
                self._note(value, elements)

    def _note(self, value: Value, elements: Elements) -> None:
        meta = self.metas.get(value)
        if meta is None or elements.array.size > MAX_ELEMENTS:
            return
        self._elements[value] = elements
        if elements.all_known:
            self.enter(value, replace(meta, shape=elements.array.shape, value=elements.array))


def _branches(graph: Graph) -> bool:
    return any(node.op in CONDITIONAL for each in graph.walk() for node in each)
