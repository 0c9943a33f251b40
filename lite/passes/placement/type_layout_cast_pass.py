"""Every kernel gets images with their axes in the order it is declared for."""

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
    """The move of a node; nothing is left to change of one that an earlier run of this pass moved."""
    images = [value for value in node.all_inputs() if is_image(value)]
    if images and all(layout_of(value) is Layout.NHWC for value in images):
        return Move({}, stays=all(layout_of(value) is not Layout.NHWC for value in node.all_outputs()))
    return move_of(node)


def _packed_slots(node: Node) -> Collection[str]:
    kernel = None if node.place is None else KERNELS.find((node.op, node.place))
    return () if kernel is None else kernel.packs


class _LayoutCasts(CastInsertion):
    def convert(self, node: Node, move: Move | None) -> None:
        """Let a node read what its kernel takes, and its outputs have the layout that follows."""
        target = HOST if node.place is None else node.place.target
        bound = Layout.NCHW if node.place is None or node.blocks else node.place.layout
        wanted = Layout.NHWC if move is not None else Layout.NCHW if bound is Layout.ANY else bound
        packed = _packed_slots(node)
        for slot, values in list(node.inputs.items()):
            is_packed = slot in packed
            self.read(
                node, slot, [self.in_layout(value, wanted, target, is_packed=is_packed) for value in values]
            )
        if move is not None:
            node.attrs.update(move.attrs)
            if node.op == TRANSPOSE and move.attrs.get("axis") == list(range(RANK)):
                # The model asks for NHWC, which this is.
                out = node.output("Out")
                self.graph.replace_uses(out, self._as_is(node.input("X"), Layout.NCHW, out.name))
                self.bypassed.add(node)
        if wanted is Layout.NHWC and not (move is not None and move.stays):
            for value in node.all_outputs():
                self.changed |= _lay_out(value, wanted)

    def in_layout(
        self, value: Value, layout: Layout, target: str = HOST, *, is_packed: bool = False
    ) -> Value:
        """The value in this layout, for a reader on `target`; itself where it is no image.

        A reader that packs a constant gets a view of it, so that its elements are not there twice.
        """
        if not is_image(value) or layout_of(value) is layout:
            return value
        producer = value.producer
        if producer is not None and producer.op in LAYOUTS and layout_of(producer.input("X")) is layout:
            return producer.input("X")
        if layout is Layout.NHWC and producer is not None and _makes_nchw(producer):
            self.bypassed.add(producer)
            source = producer.input("X")
            found = self.found(source, "as is")
            return (
                found
                if found is not None
                else self.enter(source, "as is", self._as_is(source, layout, "nhwc"))
            )
        key = (layout, is_packed and value.is_constant)
        found = self.found(value, key)
        return found if found is not None else self.enter(value, key, self._cast(value, *key, target))

    def _as_is(self, value: Value, layout: Layout, suffix: str) -> Value:
        """A view of a value whose axes are in the order of `layout`, whatever it is taken for so far."""
        view = self.insert(value, "reshape2", {"shape": [0] * RANK}, [HOST], suffix)
        view.place = Place(target_of(value), value.dtype, layout)
        return view

    def _cast(self, value: Value, layout: Layout, as_view: bool, target: str) -> Value:
        attrs = {"from": str(layout_of(value)), "to": str(layout)}
        if value.is_constant:
            cast = self.constant(value, "layout_once", attrs, str(layout), as_view=as_view)
        else:
            cast = self.insert(value, "layout", attrs, _targets(target_of(value), target), str(layout))
        _lay_out(cast, layout)
        return cast


def _makes_nchw(node: Node) -> bool:
    """Whether a transposition of the model turns images in NHWC, so that they need not be turned back."""
    if node.op != TRANSPOSE or node.attrs.get("axis") not in (AXES[Layout.NCHW], list(AXES[Layout.NCHW])):
        return False
    return is_image(node.input("X")) and layout_of(node.input("X")) is Layout.NCHW


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
