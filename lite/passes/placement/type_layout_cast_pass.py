"""Transposes images to the layouts of kernels."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import ClassVar

from lite.ir.graph import Graph, Node, Value
from lite.ir.types import HOST, Layout, Place
from lite.ops.image_layout import AXES, RANK, shape_into
from lite.passes.base import Outcome, Pass, PassContext, Result
from lite.passes.placement.cast_insertion import LAYOUTS, CastInsertion, is_image, layout_of, target_of
from lite.passes.placement.layout_choice import choose_nhwc
from lite.passes.placement.layout_moves import Move, move_of
from lite.passes.registry import register_pass
from lite.plugin.kernel import KERNELS
from lite.plugin.kernel.target import has_own_memory

TRANSPOSE = "transpose2"


@register_pass
class TypeLayoutCastPass(Pass):
    """Transposes images where a kernel is declared for NHWC, and back where one is not::

        %y = relu6(X=%x) @npu/any/nhwc        %x.nhwc = layout(X=%x) {from="nchw", to="nhwc"}
        %z = tanh(X=%y) @host/any/any    ->   %y = relu6(X=%x.nhwc) @npu/any/nhwc
        return %z                             %z = tanh(X=%y) @host/any/any
                                              %z.nchw = layout(X=%z) {from="nhwc", to="nchw"}
                                              return z=%z.nchw

    Values of rank 4, or of unknown rank, are images; their shapes are permuted, too.  An op whose kernel
    takes any layout gets NHWC if that reduces the elements that are transposed in the whole graph
    (`layout_choice`); the axes in its attributes change accordingly (`layout_moves`).  So does an op with
    a kernel for each layout, whose attributes describe NCHW in both.  Blocks and the
    results of the graph have NCHW.  There is one cast per value, directly after the node that writes the
    value; a constant becomes a new constant.  A transpose of the model that equals a cast is removed.
    """

    name: ClassVar[str] = "type_layout_cast_pass"
    after: ClassVar[tuple[str, ...]] = (
        "static_kernel_pick_pass",
        "variable_place_inference_pass",
        "type_precision_cast_pass",
    )

    def run(self, graph: Graph, ctx: PassContext) -> Result:
        """Visits the nodes in order, so that casts see the layouts of earlier nodes."""
        moves = {node: move for node in graph if _is_free(node) and (move := _move(node)) is not None}
        either = {node: place for node in graph if (place := _channels_first(node)) is not None}
        nhwc = frozenset(choose_nhwc(graph, {**moves, **dict.fromkeys(either, Move({}))}))
        channels_first = either.keys() - nhwc
        for node in channels_first:
            node.place = either[node]
        casts = _LayoutCasts(graph)
        for node in graph:
            if node.op not in LAYOUTS:
                casts.convert(node, moves.get(node) if node in nhwc else None)
        casts.set_results([casts.in_layout(value, Layout.NCHW) for value in graph.results])
        return Outcome.of(casts.clean_up() or bool(channels_first))


def _is_free(node: Node) -> bool:
    return node.place is not None and node.place.layout is Layout.ANY and node.op not in LAYOUTS


def _channels_first(node: Node) -> Place | None:
    """The place of a node's kernel for NCHW, where the node has one for NHWC."""
    place = node.place
    if place is None or place.layout is not Layout.NHWC or node.blocks:
        return None
    other = replace(place, layout=Layout.NCHW)
    return None if KERNELS.find((node.op, other)) is None else other


def _move(node: Node) -> Move | None:
    """The move of a node; the move of a node that an earlier run of this pass moved changes nothing."""
    images = [value for value in node.all_inputs() if is_image(value)]
    if images and all(layout_of(value) is Layout.NHWC for value in images):
        return Move(
            {}, keeps_outputs=all(layout_of(value) is not Layout.NHWC for value in node.all_outputs())
        )
    return move_of(node)


def _packed_slots(node: Node) -> Collection[str]:
    kernel = None if node.place is None else KERNELS.find((node.op, node.place))
    return () if kernel is None else kernel.packs


class _LayoutCasts(CastInsertion):
    """The casts of one graph."""

    def convert(self, node: Node, move: Move | None) -> None:
        """Cast the inputs of a node for its kernel, and give its outputs the layout that follows."""
        target = HOST if node.place is None else node.place.target
        bound = Layout.NCHW if node.place is None or node.blocks else node.place.layout
        layout = Layout.NHWC if move is not None else Layout.NCHW if bound is Layout.ANY else bound
        packed = _packed_slots(node)
        for slot, values in list(node.inputs.items()):
            is_packed = slot in packed
            self.read(
                node, slot, [self.in_layout(value, layout, target, is_packed=is_packed) for value in values]
            )
        if move is not None:
            node.attrs.update(move.attrs)
            if node.op == TRANSPOSE and move.attrs.get("axis") == list(range(RANK)):
                # The node transposes to NHWC, the layout that its input has now.
                out = node.output("Out")
                self.graph.replace_uses(out, self._reinterpret(node.input("X"), Layout.NCHW, out.name))
                self.bypassed.add(node)
        if layout is Layout.NHWC and not (move is not None and move.keeps_outputs):
            for value in node.all_outputs():
                self.changed |= _set_layout(value, layout)

    def in_layout(
        self, value: Value, layout: Layout, target: str = HOST, *, is_packed: bool = False
    ) -> Value:
        """The value in this layout, for a reader on `target`; the value itself if it is not an image.

        A reader that packs a constant gets a view of it, so that its elements are not stored twice.
        """
        if not is_image(value) or layout_of(value) is layout:
            return value
        producer = value.producer
        if producer is not None and producer.op in LAYOUTS and layout_of(producer.input("X")) is layout:
            return producer.input("X")
        if layout is Layout.NHWC and producer is not None and _transposes_to_nchw(producer):
            self.bypassed.add(producer)
            source = producer.input("X")
            view = self.find(source, "view")
            return view or self.enter(source, "view", self._reinterpret(source, layout, "nhwc"))
        key = (layout, is_packed and value.is_constant)
        return self.find(value, key) or self.enter(value, key, self._cast(value, *key, target))

    def _reinterpret(self, value: Value, layout: Layout, suffix: str) -> Value:
        """A view of a value that declares the axes of the value to be in the order of `layout`."""
        view = self.insert(value, "reshape2", {"shape": [0] * RANK}, [HOST], suffix)
        view.place = Place(target_of(value), value.dtype, layout)
        return view

    def _cast(self, value: Value, layout: Layout, as_view: bool, target: str) -> Value:
        attrs = {"from": str(layout_of(value)), "to": str(layout)}
        if value.is_constant:
            cast = self.constant(value, "layout_once", attrs, str(layout), as_view=as_view)
        else:
            cast = self.insert(value, "layout", attrs, _targets(target_of(value), target), str(layout))
        _set_layout(cast, layout)
        return cast


def _transposes_to_nchw(node: Node) -> bool:
    """Whether a node of the model transposes images from NHWC to NCHW; then no cast has to undo it."""
    if node.op != TRANSPOSE or node.attrs.get("axis") not in (AXES[Layout.NCHW], list(AXES[Layout.NCHW])):
        return False
    return is_image(node.input("X")) and layout_of(node.input("X")) is Layout.NCHW


def _targets(source: str, reader: str) -> list[str]:
    """The targets where a cast may run, best first; those in the host's memory come before the host."""
    ends = [source, reader]
    if not any(has_own_memory(target) for target in ends):
        ends.sort(key=lambda target: target == HOST)
    return [*ends, HOST]


def _set_layout(value: Value, layout: Layout) -> bool:
    """Give an image a layout, and permute its shape and quantisation axis; whether it had another layout.

    The array and the shape of a constant have the new order already.
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
