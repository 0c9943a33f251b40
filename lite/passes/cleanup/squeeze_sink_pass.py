"""Moves elementwise ops and slices of a squeezed image in front of the squeeze."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

import numpy as np

from lite.ir.graph import Graph, Node, Value
from lite.ir.program import AttrValue, VarKind
from lite.ops import Trait, has_trait
from lite.passes.base import Outcome, Pass, PassContext, Result
from lite.passes.match import attributes, become, is_unary, producer
from lite.passes.registry import register_pass


@register_pass
class SqueezeSinkPass(Pass):
    """A squeeze after a convolution moves after elementwise ops and slices of other axes::

        %a = squeeze2(X=%x) {axes = [2]}   ->  %b = relu(X=%x)
        %y = relu(X=%a)                        %y = squeeze2(X=%b) {axes = [2]}

    There it meets the unsqueeze of the next convolution, and the ops in between can be fused.  Models that
    work on sequences as images of one row have such squeezes.  Constants that arithmetic reads get the axis,
    too.
    """

    name: ClassVar[str] = "squeeze_sink_pass"
    after: ClassVar[tuple[str, ...]] = ("canonicalize_pass", "constant_fold_pass")

    def run(self, graph: Graph, ctx: PassContext) -> Result:
        """Moves each as far as it goes; leaves quantised values and those with a LoD alone."""
        images: set[Value] = set()
        changed = False
        for node in graph:
            if has_trait(node.op, Trait.WINDOW):
                images.update(node.all_outputs())
                continue
            sunk = _squeezed(node, images)
            if sunk is not None:
                _sink(graph, node, *sunk)
                images.add(node.input("X"))
                changed = True
        return Outcome.of(changed)


def _squeezed(node: Node, images: set[Value]) -> tuple[Sequence[int], Mapping[str, AttrValue]] | None:
    """The axes that a node's inputs lack, and its attributes with them; None where it stays."""
    squeezes = [_squeeze_of(value, images) for value in node.all_inputs() if value.data is None]
    axes = {tuple(_axes(squeeze)) for squeeze in squeezes if squeeze is not None}
    if None in squeezes or len(axes) != 1 or not _is_plain(node) or list(node.outputs) != ["Out"]:
        return None
    [squeezed] = axes
    attrs = attributes(node)
    if node.op == "slice":
        moved = _sliced(node, squeezed)
        return None if moved is None else (squeezed, {**node.attrs, "axes": moved})
    if has_trait(node.op, Trait.ARITHMETIC):
        return (squeezed, {**node.attrs}) if attrs["axis"] == -1 else None
    return (squeezed, {**node.attrs}) if is_unary(node) else None


def _squeeze_of(value: Value, images: set[Value]) -> Node | None:
    """The squeeze that made a value of an image."""
    squeeze = producer(value, ("squeeze2",))
    if squeeze is None or set(squeeze.inputs) != {"X"} or list(squeeze.outputs) != ["Out"]:
        return None
    source = squeeze.input("X")
    is_known = source.shape is not None and bool(attributes(squeeze)["axes"])
    return squeeze if source in images and is_known and _is_plain(squeeze) else None


def _axes(squeeze: Node) -> list[int]:
    """The axes that the squeeze removes, in ascending order, none negative: those of size 1."""
    shape = squeeze.input("X").shape or ()
    listed = {axis % len(shape) for axis in attributes(squeeze).integers("axes")}
    return sorted(axis for axis in listed if shape[axis] == 1)


def _is_plain(node: Node) -> bool:
    values = [*node.all_inputs(), *node.all_outputs()]
    return not node.effect and all(
        value.quant is None and not value.lod_level and value.kind == VarKind.TENSOR for value in values
    )


def _sliced(node: Node, squeezed: Sequence[int]) -> AttrValue | None:
    """The axes of a slice, counted with the squeezed ones present."""
    attrs, rank = attributes(node), len(node.input("Input").shape or ())
    if set(node.inputs) != {"Input"} or attrs["decrease_axis"] or not rank:
        return None
    kept = [axis for axis in range(rank + len(squeezed)) if axis not in squeezed]
    moved: AttrValue = [kept[axis] for axis in attrs.integers("axes")]
    return moved


def _sink(graph: Graph, node: Node, axes: Sequence[int], attrs: Mapping[str, AttrValue]) -> None:
    out = node.output("Out")
    rank = None if out.shape is None else len(out.shape)
    inputs = {
        slot: [_with_axes(graph, value, axes, rank) for value in values]
        for slot, values in node.inputs.items()
    }
    name = graph.unique_name(f"{out.name}.image")
    image = graph.add_node(node.op, inputs, {"Out": [name]}, attrs, before=node).output("Out")
    image.copy_type(out)
    if out.shape is not None:
        shape = list(out.shape)
        for axis in axes:
            shape.insert(axis, 1)
        image.shape = tuple(shape)
    become(node, "squeeze2", {"X": [image]}, {"axes": [*axes]})


def _with_axes(graph: Graph, value: Value, axes: Sequence[int], rank: int | None) -> Value:
    """An input with the squeezed axes present."""
    if value.data is None:
        squeeze = value.producer
        assert squeeze is not None
        return squeeze.input("X")
    if (value.data.size == 1 and value.data.ndim <= 1) or rank is None:
        return value
    array = value.data.reshape((1,) * (rank - value.data.ndim) + value.data.shape)
    for axis in axes:
        array = np.expand_dims(array, axis)
    return graph.add_constant(value.name, array)
