"""Every kernel gets images with their axes in the order it is declared for."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from lite.ir.graph import Graph, Node, Value
from lite.ir.types import HOST, Layout, Place
from lite.ops.image_layout import AXES, RANK, shape_into
from lite.passes.base import Outcome, Pass, PassContext, Result
from lite.passes.placement.cast_insertion import LAYOUTS, CastInsertion, is_image, layout_of, target_of
from lite.passes.placement.layout_choice import choose_nhwc
from lite.passes.placement.layout_moves import Move, move_of
from lite.passes.registry import register_pass
from lite.plugin.target import has_own_memory


@register_pass
@dataclass(frozen=True)
class TypeLayoutCastPass(Pass):
    """Transposes images where a kernel is declared for NHWC, and back where one is not::

        %y = relu6(X=%x) @npu/any/nhwc        %x.nhwc = layout(X=%x) {from="nchw", to="nhwc"}
        %z = tanh(X=%y) @host/any/any    ->   %y = relu6(X=%x.nhwc) @npu/any/nhwc
        return %z                             %z = tanh(X=%y) @host/any/any
                                              %z.nchw = layout(X=%z) {from="nhwc", to="nchw"}
                                              return z=%z.nchw

    Values of rank 4, or of unknown rank, are images; their shapes become those in the new order.  An op
    whose kernel takes any layout may get NHWC where it can be said so, with other axes in its attributes
    (`layout_moves`), and does where less is turned then in the whole graph (`layout_choice`); blocks and
    the graph's results have NCHW.  One cast per value, right behind what writes the value; a constant
    becomes a new constant.  A transposition of the model that does no more than a cast disappears.
    """

    name: ClassVar[str] = "type_layout_cast_pass"
    after: ClassVar[tuple[str, ...]] = (
        "static_kernel_pick_pass",
        "variable_place_inference_pass",
        "type_precision_cast_pass",
    )

    def run(self, graph: Graph, ctx: PassContext) -> Result:
        """Walks the nodes in order, so that casts see the layouts that earlier nodes got."""
        moves = {node: move for node in graph if _is_free(node) and (move := _move(node)) is not None}
        nhwc = frozenset(choose_nhwc(graph, moves))
        casts = _LayoutCasts(graph)
        for node in graph:
            if node.op not in LAYOUTS:
                casts.convert(node, moves[node] if node in nhwc else None)
        casts.set_results([casts.in_layout(value, Layout.NCHW) for value in graph.results])
        return Outcome.of(casts.finish())


def _is_free(node: Node) -> bool:
    return node.place is not None and node.place.layout is Layout.ANY and node.op not in LAYOUTS


def _move(node: Node) -> Move | None:
    """The move of a node; of one that an earlier run of this pass moved, with nothing left to change."""
    move = move_of(node)
    images = [value for value in node.all_inputs() if is_image(value)]
    is_moved = bool(images) and all(layout_of(value) is Layout.NHWC for value in images)
    return replace(move, attrs={}) if move is not None and is_moved else move


class _LayoutCasts(CastInsertion):
    def convert(self, node: Node, move: Move | None) -> None:
        """Let a node read what its kernel takes, and its outputs have the layout that follows."""
        target = HOST if node.place is None else node.place.target
        bound = Layout.NCHW if node.place is None or node.blocks else node.place.layout
        wanted = Layout.NHWC if move is not None else Layout.NCHW if bound is Layout.ANY else bound
        for slot, values in list(node.inputs.items()):
            self.read(node, slot, [self.in_layout(value, wanted, target) for value in values])
        if move is not None:
            node.attrs.update(move.attrs)
        if wanted is Layout.NHWC and not (move is not None and move.stays):
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
            cast = self.insert(value, "layout", attrs, _targets(target_of(value), target), str(layout))
        _lay_out(cast, layout)
        return cast


def _targets(source: str, reader: str) -> list[str]:
    """Where a cast may run: best on a target that is more than the host and reads the host's memory."""
    ends = [source, reader]
    if not any(has_own_memory(target) for target in ends):
        ends.sort(key=lambda target: target == HOST)
    return [*ends, HOST]


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
