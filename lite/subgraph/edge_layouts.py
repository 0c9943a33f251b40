"""Regions of devices that prefer images with channels last: transposes at their edges.

::

    %b = subgraph(Inputs=%a)      →  %t = transpose2(X=%a) {axis=[0, 2, 3, 1]}
    %y = softmax(X=%b)               %s = subgraph(Inputs=%t)
                                     %b = transpose2(X=%s) {axis=[0, 3, 1, 2]}
                                     %y = softmax(X=%b)

Readers share the transposed form of a value.  An image that one region writes and another reads is not
transposed between them.  The graphs of the regions begin with the transposes back and end with transposes, so
that the host computes the same with them, and a builder that keeps the order of axes needs no operator for
them.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from lite.ir.graph import Graph, Node, Value
from lite.ir.program import VarKind
from lite.ir.types import Layout
from lite.ops import Trait, has_trait
from lite.ops.image_layout import AXES, RANK, shape_into

_FORMATS = ("data_format", "data_layout")
_NCHW = ("NCHW", "AnyLayout")
_ANY_ORDER = frozenset({"affine_quantize", "affine_dequantize", "concat"})
"""Ops, besides those with `Trait.LAYOUT_AGNOSTIC`, whose inputs and outputs are images together."""


def channels_last_edges(graph: Graph, regions: Sequence[Node]) -> None:
    """Transpose the images that regions, given in any order, read and write."""
    edges = _Edges(graph)
    chosen = set(regions)
    for node in list(graph):
        if node in chosen:
            images = _images(node.blocks[0])
            edges.move_inputs(node, images)
            edges.move_outputs(node, images)
    for node in edges.restoring:
        if not node.output().is_used:
            graph.erase(node)


class _Edges:
    """`moved` are the transposed forms of values, `restoring` the transposes after regions."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.moved: dict[Value, Value] = {}
        self.restoring: list[Node] = []

    def move_inputs(self, region: Node, images: Collection[Value]) -> None:
        """Let the region read images with channels last; its graph transposes them back."""
        inner = region.blocks[0]
        inputs = list(region.inputs.get("Inputs", ()))
        for n, value in enumerate(inputs):
            argument = inner.args[n]
            if argument not in images or value.is_constant:
                continue
            if value not in self.moved:
                self.moved[value] = _transposed(self.graph, value, Layout.NHWC, before=region)
            inputs[n] = self.moved[value]
            last = _like(inner, argument, Layout.NHWC)
            inner.args[n] = last
            _transpose(inner, last, argument, Layout.NCHW, before=next(iter(inner), None))
        region.set_input("Inputs", inputs)

    def move_outputs(self, region: Node, images: Collection[Value]) -> None:
        """Let the region write images with channels last; an op after it restores them for other readers."""
        inner, after = region.blocks[0], region.next
        results = list(inner.results)
        for n, value in enumerate(list(region.outputs["Outputs"])):
            if results[n] not in images:
                continue
            results[n] = _transposed(inner, results[n], Layout.NHWC, before=None)
            last = _like(self.graph, value, Layout.NHWC)
            last.producer = region
            region.outputs["Outputs"][n] = last
            value.producer = None
            self.restoring.append(_transpose(self.graph, last, value, Layout.NCHW, before=after))
            self.moved[value] = last
        inner.set_results(results)


def _images(graph: Graph) -> Collection[Value]:
    """The values of a region that are images: those of windows and of ops that read them, in any order."""
    images: set[Value] = set()
    groups: list[list[Value]] = []
    for node in graph:
        values = [value for value in (*node.all_inputs(), *node.all_outputs()) if _has_image_rank(value)]
        if _is_on_images(node):
            images.update(values)
        elif has_trait(node.op, Trait.LAYOUT_AGNOSTIC) or node.op in _ANY_ORDER:
            groups.append(values)
    count = -1
    while count < len(images):
        count = len(images)
        for group in groups:
            if any(value in images for value in group):
                images.update(group)
    return images


def _is_on_images(node: Node) -> bool:
    formats = [node.attrs[name] for name in _FORMATS if name in node.attrs]
    if any(each not in _NCHW for each in formats):
        return False
    return bool(formats) or has_trait(node.op, Trait.WINDOW)


def _has_image_rank(value: Value) -> bool:
    if value.kind is not VarKind.TENSOR or value.is_constant or (value.quant and value.quant.per_axis):
        return False
    return value.shape is not None and len(value.shape) == RANK


def _transposed(graph: Graph, value: Value, layout: Layout, before: Node | None) -> Value:
    """A new transpose of a value into a layout."""
    out = _like(graph, value, layout)
    _transpose(graph, value, out, layout, before)
    return out


def _transpose(graph: Graph, value: Value, out: Value, layout: Layout, before: Node | None) -> Node:
    attrs = {"axis": list(AXES[layout])}
    return graph.add_node("transpose2", {"X": [value]}, {"Out": [out]}, attrs, before=before)


def _like(graph: Graph, value: Value, layout: Layout) -> Value:
    """A new value of the type of an image, in a layout."""
    out = graph.new_value(graph.unique_name(f"{value.name}.{layout}"), value)
    out.shape = shape_into(value.shape, layout)
    return out
