"""Image tensors in the layout of a kernel.

A kernel registered for NHWC receives every input of rank 4 with its axes in that order, filters as OHWI,
and returns outputs of rank 4 in that order; other ranks are unchanged.  The op's attributes and its shape
rule always describe NCHW.
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
"""For each layout, the permutation of axes from the other layout."""


def shape_into(shape: Shape | None, layout: Layout) -> Shape | None:
    """The shape in `layout` of an image whose `shape` is in the other layout."""
    if shape is None or len(shape) != RANK:
        return shape
    return tuple(shape[axis] for axis in AXES[layout])


def array_into(array: Array, layout: Layout) -> Array:
    """A view in `layout` of an image in the other layout."""
    return array.transpose(AXES[layout]) if array.ndim == RANK else array


def meta_into(meta: Meta, layout: Layout) -> Meta:
    """The meta in `layout` of an image whose `meta` is in the other layout."""
    elements = None if meta.value is None else array_into(meta.value, layout)
    return replace(meta, shape=shape_into(meta.shape, layout), value=elements)


def node_layout(node: Node) -> Layout:
    """NHWC where the node's kernel takes it and one of its values has it, else ANY."""
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
    """Like `infer`, for an op whose inputs and outputs are in `layout`."""
    if layout is not Layout.NHWC:
        return infer(schema, inputs, attrs, outputs)
    images = {slot: [meta_into(meta, Layout.NCHW) for meta in metas] for slot, metas in inputs.items()}
    inferred = infer(schema, images, attrs, outputs)
    return {slot: [meta_into(meta, layout) for meta in metas] for slot, metas in inferred.items()}
