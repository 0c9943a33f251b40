"""Regions of devices that prefer images with channels last: transposes at their edges.

::

    %b = subgraph(Inputs=%a)      →  %t = transpose2(X=%a) {axis=[0, 2, 3, 1]}
    %y = softmax(X=%b)               %s = subgraph(Inputs=%t)
                                     %b = transpose2(X=%s) {axis=[0, 3, 1, 2]}
                                     %y = softmax(X=%b)

A builder that keeps the order of axes needs no operator for the transposes in the graphs of the regions.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from lite.ir.graph import Graph, Node, Value
from lite.ir.program import VarKind
from lite.ir.types import Layout
from lite.ops import Trait, has_trait
from lite.ops.image_layout import AXES, RANK, shape_into
from lite.subgraph.edges import Choice, change_edges

_FORMATS = ("data_format", "data_layout")
_NCHW = ("NCHW", "AnyLayout")
_ANY_ORDER = frozenset({"affine_quantize", "affine_dequantize", "concat"})
"""Ops, besides those with `Trait.LAYOUT_AGNOSTIC`, whose inputs and outputs are images together."""


def channels_last_edges(graph: Graph, regions: Sequence[Node]) -> None:
    """Transpose the images that regions, given in any order, read and write."""
    change_edges(graph, regions, _choice)


def _choice(region: Node) -> Choice:
    images, form = _images(region.blocks[0]), _ChannelsLast()
    return lambda value, inner: form if inner in images and not value.is_constant else None


class _ChannelsLast:
    """The form of an image with channels last."""

    def like(self, graph: Graph, value: Value) -> Value:
        out = graph.new_value(graph.unique_name(f"{value.name}.{Layout.NHWC}"), value)
        out.shape = shape_into(value.shape, Layout.NHWC)
        return out

    def convert(self, graph: Graph, value: Value, out: Value, before: Node | None) -> Node:
        return _transpose(graph, value, out, Layout.NHWC, before)

    def restore(self, graph: Graph, value: Value, out: Value, before: Node | None) -> Node:
        return _transpose(graph, value, out, Layout.NCHW, before)


def _transpose(graph: Graph, value: Value, out: Value, layout: Layout, before: Node | None) -> Node:
    attrs = {"axis": list(AXES[layout])}
    return graph.add_node("transpose2", {"X": [value]}, {"Out": [out]}, attrs, before=before)


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
