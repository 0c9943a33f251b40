"""Image tensors in the order of axes that a kernel wants.

A kernel declared for NHWC gets every input of rank 4 with its axes in that order (filters, too: OHWI)
and returns outputs of rank 4 so; other ranks stay.  The op's attributes and its shape rule speak of
NCHW all the same.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from lite.ir.graph import Node
from lite.ir.program import AttrValue
from lite.ir.types import Array, Layout, Shape
from lite.ops.infer import infer
from lite.ops.schema import OpSchema
from lite.ops.view import Meta

RANK = 4

AXES = {Layout.NHWC: (0, 2, 3, 1), Layout.NCHW: (0, 3, 1, 2)}
"""For each layout, the axes of the other one in its order."""


def shape_into(shape: Shape | None, layout: Layout) -> Shape | None:
    """The shape of an image in `layout`, given in the other one."""
    if shape is None or len(shape) != RANK:
        return shape
    return tuple(shape[axis] for axis in AXES[layout])


def array_into(array: Array, layout: Layout) -> Array:
    """A view of an image in `layout`, given in the other one."""
    return array.transpose(AXES[layout]) if array.ndim == RANK else array


def meta_into(meta: Meta, layout: Layout) -> Meta:
    """The meta of an image in `layout`, given in the other one."""
    elements = None if meta.value is None else array_into(meta.value, layout)
    return replace(meta, shape=shape_into(meta.shape, layout), value=elements)


def node_layout(node: Node) -> Layout:
    """NHWC where the node's kernel wants it and its values lie so already, else ANY."""
    if node.place is None or node.place.layout is not Layout.NHWC:
        return Layout.ANY
    places = (value.place for values in (node.all_inputs(), node.all_outputs()) for value in values)
    is_laid_out = any(place is not None and place.layout is Layout.NHWC for place in places)
    return Layout.NHWC if is_laid_out else Layout.ANY


def infer_in_layout(
    schema: OpSchema,
    layout: Layout,
    inputs: Mapping[str, Sequence[Meta]],
    attrs: Mapping[str, AttrValue],
    outputs: Mapping[str, int],
) -> dict[str, list[Meta]]:
    """Like `infer`, for an op whose kernel wants `layout`: inputs and outputs lie in that order."""
    if layout is not Layout.NHWC:
        return infer(schema, inputs, attrs, outputs)
    images = {slot: [meta_into(meta, Layout.NCHW) for meta in metas] for slot, metas in inputs.items()}
    inferred = infer(schema, images, attrs, outputs)
    return {slot: [meta_into(meta, layout) for meta in metas] for slot, metas in inferred.items()}
