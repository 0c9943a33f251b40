"""Every kernel gets images with their axes in the order it is declared for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from lite.ir.graph import Graph, Node, Value
from lite.ir.types import HOST, UNKNOWN, Layout, Place
from lite.ops import SCHEMAS
from lite.ops.image_layout import AXES, RANK, shape_into
from lite.passes.base import Outcome, Pass, PassContext, Result
from lite.passes.placement.cast_insertion import (
    CALIBS,
    COPIES,
    LAYOUTS,
    CastInsertion,
    is_image,
    layout_of,
    target_of,
)
from lite.passes.registry import register_pass

_AXIS_ATTRS = frozenset({"axis", "axes", "dim", "data_format", "data_layout", "begin_norm_axis", "mode"})


@register_pass
@dataclass(frozen=True)
class TypeLayoutCastPass(Pass):
    """Transposes images where a kernel is declared for NHWC, and back where one is not::

        %y = relu6(X=%x) @npu/any/nhwc        %x.nhwc = layout(X=%x) {from="nchw", to="nhwc"}
        %z = tanh(X=%y) @host/any/any    ->   %y = relu6(X=%x.nhwc) @npu/any/nhwc
        return %z                             %z = tanh(X=%y) @host/any/any
                                              %z.nchw = layout(X=%z) {from="nhwc", to="nchw"}
                                              return z=%z.nchw

    Values of rank 4, or of unknown rank, are images; their shapes become those in the new order.  A
    kernel for any layout gets NHWC only where its op treats all elements alike (`_is_neutral`);
    blocks and the graph's results have NCHW.  One cast per value, right behind what writes the value;
    a constant becomes a new constant.
    """

    name: ClassVar[str] = "type_layout_cast_pass"
    after: ClassVar[tuple[str, ...]] = (
        "static_kernel_pick_pass",
        "variable_place_inference_pass",
        "type_precision_cast_pass",
    )

    def run(self, graph: Graph, ctx: PassContext) -> Result:
        """Walks the nodes in order, so that casts see the layouts that earlier kernels made."""
        casts = _LayoutCasts(graph)
        for node in graph:
            if node.op not in LAYOUTS:
                casts.convert(node)
        casts.set_results([casts.in_layout(value, Layout.NCHW) for value in graph.results])
        return Outcome.of(casts.finish())


class _LayoutCasts(CastInsertion):
    def convert(self, node: Node) -> None:
        """Let a node read what its kernel takes, and its outputs have the layout that follows."""
        wanted = _wanted(node)
        target = HOST if node.place is None else node.place.target
        for slot, values in list(node.inputs.items()):
            self.read(node, slot, [self.in_layout(value, wanted, target) for value in values])
        if wanted is Layout.NHWC:
            for value in node.all_outputs():
                self.changed |= _lay_out(value, wanted)

    def in_layout(self, value: Value, layout: Layout, target: str = HOST) -> Value:
        """The value in this layout, for a reader on `target`; itself where it is no image."""
        if not is_image(value) or layout_of(value) is layout:
            return value
        producer = value.producer
        if producer is not None and producer.op in LAYOUTS and layout_of(producer.input("X")) is layout:
            return producer.input("X")
        found = self.found(value, layout)
        return found if found is not None else self.enter(value, layout, self._cast(value, layout, target))

    def _cast(self, value: Value, layout: Layout, target: str) -> Value:
        attrs = {"from": str(layout_of(value)), "to": str(layout)}
        if value.is_constant:
            cast = self.constant(value, "layout_once", attrs, str(layout))
        else:
            cast = self.insert(value, "layout", attrs, (target_of(value), target, HOST), str(layout))
        _lay_out(cast, layout)
        return cast


def _wanted(node: Node) -> Layout:
    layout = Layout.NCHW if node.place is None or node.blocks else node.place.layout
    if layout is not Layout.ANY:
        return layout
    images = [value for value in node.all_inputs() if is_image(value)]
    kept = images and all(layout_of(value) is Layout.NHWC for value in images) and _is_neutral(node, images)
    return Layout.NHWC if kept else Layout.NCHW


def _is_neutral(node: Node, images: Sequence[Value]) -> bool:
    """Whether an op treats all elements alike, wherever they lie.

    Those are ops that may work in place, on one input without attributes that name axes, or on inputs
    that all have the output's shape; and the casts of where and how elements are stored.
    """
    if node.op in CALIBS or node.op in COPIES:
        return True
    schema = SCHEMAS.get(node.op)
    if schema is None or not schema.inplace or len(images) != sum(1 for _ in node.all_inputs()):
        return False
    if len(images) == 1:
        return not _AXIS_ATTRS.intersection(schema.attrs)
    first = images[0].shape
    same = all(value.shape == first for value in images)
    return same and first is not None and all(isinstance(dim, int) or dim != UNKNOWN for dim in first)


def _lay_out(value: Value, layout: Layout) -> bool:
    """Give an image its new layout, with the shape and quantisation in that order; whether it was another.

    The array of a constant has that order already.
    """
    if not is_image(value) or layout_of(value) is layout:
        return False
    if value.data is None:
        value.shape = shape_into(value.shape, layout)
    quant = value.quant
    if quant is not None and value.shape is not None and len(quant.scale) > 1:
        value.quant = replace(quant, axis=AXES[layout].index(quant.axis % RANK))
    value.place = Place(target_of(value), value.dtype, layout)
    return True
