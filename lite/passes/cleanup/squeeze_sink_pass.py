"""Moves squeezes of images after elementwise ops and slices."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import numpy as np

from lite.dataclass import dataclass
from lite.ir.graph import Graph, Node, Value
from lite.ir.program import AttrValue, VarKind
from lite.ops import Trait, has_trait
from lite.passes.base import Outcome, Pass, PassContext, Result
from lite.passes.match import attributes, become, is_unary, producer
from lite.passes.registry import register_pass


@register_pass
class SqueezeSinkPass(Pass):
    """Moves a squeeze after the elementwise ops and slices of other axes that follow it::

        %a = squeeze2(X=%x) {axes = [2]}   ->  %b = relu(X=%x)
        %y = relu(X=%a)                        %y = squeeze2(X=%b) {axes = [2]}

    There another pass merges it with the unsqueeze of the next convolution, and the ops in between can be
    fused.  Models that process sequences as images of one row have such squeezes.  Constants that arithmetic
    reads get the axis, too.  A squeeze stays if a squeezed axis is not known to be 1, or if broadcasting adds
    axes to it.
    """

    name: ClassVar[str] = "squeeze_sink_pass"
    needs: ClassVar[tuple[str, ...]] = ("squeeze2",)
    after: ClassVar[tuple[str, ...]] = ("canonicalize_pass", "constant_fold_pass")

    def run(self, graph: Graph, ctx: PassContext) -> Result:
        """Moves each squeeze as far as possible; squeezes of quantised values and of LoD tensors stay."""
        images: set[Value] = set()
        changed = False
        for node in graph:
            if has_trait(node.op, Trait.WINDOW):
                images.update(node.all_outputs())
                continue
            squeezed = _squeezed(node, images)
            attrs = None if squeezed is None else _attrs_of_image(node, squeezed)
            if squeezed is not None and attrs is not None:
                _sink(graph, node, squeezed, attrs)
                images.add(node.input("X"))
                changed = True
        return Outcome.of(changed)


@dataclass(frozen=True)
class _Squeezed:
    """The axes that a squeeze removes, ascending, none negative, and the rank of its result."""

    axes: tuple[int, ...]
    rank: int


def _squeezed(node: Node, images: set[Value]) -> _Squeezed | None:
    """The squeeze that all variable inputs of a node have in common; None if the node stays.

    The result of the node has the rank of the squeezed inputs: no constant has more axes.
    """
    squeezes = {_squeeze_of(value, images) for value in node.all_inputs() if value.data is None}
    if len(squeezes) != 1 or not _is_plain(node) or list(node.outputs) != ["Out"]:
        return None
    [squeezed] = squeezes
    constants = [value.data for value in node.all_inputs() if value.data is not None]
    if squeezed is None or any(array.ndim > squeezed.rank for array in constants):
        return None
    return squeezed


def _squeeze_of(value: Value, images: set[Value]) -> _Squeezed | None:
    """How a value was squeezed from an image; None for any other value.

    All listed axes must be of size 1: a squeeze ignores other sizes, and unknown ones may be other.
    """
    squeeze = producer(value, ("squeeze2",))
    if squeeze is None or set(squeeze.inputs) != {"X"} or list(squeeze.outputs) != ["Out"]:
        return None
    source = squeeze.input("X")
    listed = attributes(squeeze).integers("axes")
    if source not in images or source.shape is None or not listed or not _is_plain(squeeze):
        return None
    rank = len(source.shape)
    axes = tuple(sorted({axis % rank for axis in listed if -rank <= axis < rank}))
    is_one = len(axes) == len(listed) and all(source.shape[axis] == 1 for axis in axes)
    return _Squeezed(axes, rank - len(axes)) if is_one else None


def _is_plain(node: Node) -> bool:
    values = [*node.all_inputs(), *node.all_outputs()]
    return not node.effect and all(
        value.quant is None and not value.lod_level and value.kind == VarKind.TENSOR for value in values
    )


def _attrs_of_image(node: Node, squeezed: _Squeezed) -> Mapping[str, AttrValue] | None:
    """The attributes of the node for the unsqueezed image; None if the node cannot take it."""
    if node.op == "slice":
        axes = _slice_axes(node, squeezed)
        return None if axes is None else {**node.attrs, "axes": axes}
    if has_trait(node.op, Trait.ARITHMETIC):
        return {**node.attrs} if attributes(node)["axis"] == -1 else None
    return {**node.attrs} if is_unary(node) else None


def _slice_axes(node: Node, squeezed: _Squeezed) -> AttrValue | None:
    """The axes of a slice, counted with the squeezed ones present."""
    attrs = attributes(node)
    if set(node.inputs) != {"Input"} or attrs["decrease_axis"]:
        return None
    kept = [axis for axis in range(squeezed.rank + len(squeezed.axes)) if axis not in squeezed.axes]
    axes: AttrValue = [kept[axis] for axis in attrs.integers("axes")]
    return axes


def _sink(graph: Graph, node: Node, squeezed: _Squeezed, attrs: Mapping[str, AttrValue]) -> None:
    out = node.output("Out")
    inputs = {
        slot: [_image_of(graph, value, squeezed) for value in values] for slot, values in node.inputs.items()
    }
    name = graph.unique_name(f"{out.name}.image")
    image = graph.add_node(node.op, inputs, {"Out": [name]}, attrs, before=node).output("Out")
    image.copy_type(out)
    if out.shape is not None:
        shape = list(out.shape)
        for axis in squeezed.axes:
            shape.insert(axis, 1)
        image.shape = tuple(shape)
    become(node, "squeeze2", {"X": [image]}, {"axes": [*squeezed.axes]})


def _image_of(graph: Graph, value: Value, squeezed: _Squeezed) -> Value:
    """The input of a squeeze; a constant with the squeezed axes inserted."""
    if value.data is None:
        squeeze = value.producer
        assert squeeze is not None
        return squeeze.input("X")
    if value.data.size == 1 and value.data.ndim <= 1:
        return value
    array = value.data.reshape((1,) * (squeezed.rank - value.data.ndim) + value.data.shape)
    for axis in squeezed.axes:
        array = np.expand_dims(array, axis)
    return graph.add_constant(value.name, array)
