"""Ops on images after ONNX GridSample, RoiAlign, MaxRoiPool, Col2Im, CenterCropPad and the like."""

from __future__ import annotations

import math
from collections.abc import Sequence

from lite.ir.types import UNKNOWN, Dim
from lite.ops.rules import apply
from lite.ops.schema import choice, ints, number, op
from lite.ops.view import Meta, OpView


def _grid_sample(op: OpView) -> Meta:
    x, grid = op["X"].dims, op["Grid"].dims
    if isinstance(grid[-1], int) and grid[-1] != len(x) - 2:
        raise op.error("Grid", f"{len(x) - 2} coordinates in the last axis", op["Grid"])
    return Meta(op["X"].dtype, (*x[:2], *grid[1:-1]))


def _boxes(op: OpView) -> Meta:
    shape = (op["ROIs"].dims[0], op["X"].dims[1], op.integer("pooled_height"), op.integer("pooled_width"))
    return Meta(op["X"].dtype, shape)


def _max_roi_pool(op: OpView) -> Meta:
    sizes = op.integers("pooled_shape")
    if len(sizes) != 2:
        raise op.error("attribute pooled_shape", "height and width", sizes)
    return Meta(op["X"].dtype, (op["ROIs"].dims[0], op["X"].dims[1], *sizes))


def _col2im(op: OpView) -> Meta:
    n, channels, _ = op["X"].dims
    image, block = op.values("ImageShape"), op.values("BlockShape")
    if image is None or block is None:
        rank = op["ImageShape"].dims[0]
        return Meta(op["X"].dtype, (n, UNKNOWN, *[UNKNOWN] * rank) if isinstance(rank, int) else None)
    return Meta(op["X"].dtype, (n, apply(channels, lambda c: c // math.prod(block)), *image))


def _center_crop_pad(op: OpView) -> Meta:
    x = op["X"]
    axes = [x.axis(axis) for axis in op.integers("axes")] or list(range(x.rank))
    sizes: Sequence[Dim] = op.values("Shape") or [UNKNOWN] * len(axes)
    if len(sizes) != len(axes):
        raise op.error("Shape", f"{len(axes)} sizes", list(sizes))
    shape = list(x.dims)
    for axis, size in zip(axes, sizes, strict=True):
        shape[axis] = size
    return Meta(x.dtype, tuple(shape))


def _depth_to_space(op: OpView) -> Meta:
    n, c, h, w = op["X"].dims
    size = op.integer("blocksize")
    grown = (apply(side, lambda s: s * size) for side in (h, w))
    return Meta(op["X"].dtype, (n, apply(c, lambda count: count // size**2), *grown))


def _space_to_depth(op: OpView) -> Meta:
    n, c, h, w = op["X"].dims
    size = op.integer("blocksize")
    shrunk = (apply(side, lambda s: s // size) for side in (h, w))
    return Meta(op["X"].dtype, (n, apply(c, lambda count: count * size**2), *shrunk))


op(
    "grid_sample",
    "X:float/3- Grid:float/3-",
    "Out",
    _grid_sample,
    attrs={
        "mode": choice("linear", "nearest", "cubic"),
        "padding_mode": choice("zeros", "border", "reflection"),
        "align_corners": False,
    },
)
op(
    "roi_align_indexed",
    "X:float/4 ROIs:float/2 Images:int/1",
    "Out",
    _boxes,
    attrs={
        "pooling_type": choice("avg", "max"),
        "pooled_height": number(1, 1),
        "pooled_width": number(1, 1),
        "sampling_ratio": 0,
        "spatial_scale": 1.0,
        "aligned": True,
    },
)
op(
    "max_roi_pool",
    "X:float/4 ROIs:float/2",
    "Out",
    _max_roi_pool,
    attrs={"pooled_shape": ints(1, 1), "spatial_scale": 1.0},
)
op(
    "col2im",
    "X:number/3 ImageShape:int/1 BlockShape:int/1",
    "Out",
    _col2im,
    attrs={"dilations": ints(), "pads": ints(), "strides": ints()},
)
op("center_crop_pad", "X Shape:int/1", "Out", _center_crop_pad, attrs={"axes": ints()})
op("depth_to_space", "X/4", "Out", _depth_to_space, attrs={"blocksize": number(1, 1)})
op(
    "space_to_depth",
    "X/4",
    "Out",
    _space_to_depth,
    attrs={"blocksize": number(1, 1), "channels_first": False},
)
