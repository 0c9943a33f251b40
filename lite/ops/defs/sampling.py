"""Ops that read images at computed positions: grids, regions, deformable convolution, correlation."""

from __future__ import annotations

import math
from collections.abc import Sequence

from lite.ir.types import UNKNOWN, Dim
from lite.ops.attrs import choice, ints, number
from lite.ops.rules import apply
from lite.ops.schema import Trait, old_spelling, op
from lite.ops.view import Meta, OpView
from lite.ops.window import check_windows, windows


def _grid_sampler(op: OpView) -> Meta:
    x, grid = op["X"].dims, op["Grid"].dims
    if len(x) != len(grid) or (isinstance(grid[-1], int) and grid[-1] != len(x) - 2):
        raise op.error("Grid", f"positions of {len(x) - 2} coordinates in the last axis", op["Grid"])
    return Meta(op["X"].dtype, (*x[:2], *grid[1:-1]))


def _affine_grid(op: OpView) -> Meta:
    theta = op["Theta"].dims
    axes = 3 if theta[1] == 3 or len(op.values("OutputShape") or op.integers("output_shape")) == 5 else 2
    if any(isinstance(dim, int) and dim != n for dim, n in zip(theta[1:], (axes, axes + 1), strict=True)):
        raise op.error("Theta", "matrices of 2 × 3, or of 3 × 4 for volumes", op["Theta"])
    sizes: Sequence[Dim] = op.integers("output_shape")
    if op.get("OutputShape") is not None:
        sizes = op.values("OutputShape") or [UNKNOWN] * (axes + 2)
    if len(sizes) != axes + 2:
        raise op.error("output shape", f"{axes + 2} sizes, channels second", list(sizes))
    return Meta(op["Theta"].dtype, (theta[0], *sizes[2:], axes))


def _deformable_conv(op: OpView) -> Meta:
    check_windows(op, 2, ("strides", "dilations"))
    x, (outputs, _, *kernel) = op["Input"].dims, op["Filter"].dims
    if not all(isinstance(k, int) for k in kernel):
        return Meta(op["Input"].dtype, (x[0], outputs, UNKNOWN, UNKNOWN))
    over = windows(
        x[2:],
        [int(k) for k in kernel],
        op.integers("strides"),
        op.integers("dilations"),
        op.integers("paddings"),
        "EXPLICIT",
    )
    sizes = [window.out(size) for window, size in zip(over, x[2:], strict=True)]
    return Meta(op["Input"].dtype, (x[0], outputs, *sizes))


def _correlation(op: OpView) -> Meta:
    n, _, *image = op["Input1"].dims
    reach, step = op.integer("max_displacement"), op.integer("stride1")
    border = (op.integer("kernel_size") - 1) // 2 + reach
    grown = 2 * (op.integer("pad_size") - border)
    sizes = [apply(size, lambda s: math.ceil((s + grown) / step)) for size in image]
    if any(isinstance(size, int) and size < 1 for size in sizes):
        raise op.error("Input1", f"an image of more than {-grown} pixels in each direction", op["Input1"])
    return Meta(op["Input1"].dtype, (n, (2 * (reach // op.integer("stride2")) + 1) ** 2, *sizes))


op(
    "grid_sampler",
    "Linear or nearest samples of an image or volume at the positions of a grid.",
    "X:float/4-5 Grid:float/4-5",
    "Output",
    _grid_sampler,
    attrs={
        "mode": choice("bilinear", "nearest"),
        "padding_mode": choice("zeros", "border", "reflection"),
        "align_corners": True,
    },
)
op(
    "affine_grid",
    "Sampling positions of an affine transformation.",
    "Theta:float/3 OutputShape?:int",
    "Output",
    _affine_grid,
    attrs={"output_shape": ints(), "align_corners": True},
    attr_slots={"OutputShape": "output_shape"},
)
op(
    "deformable_conv",
    "Convolution that reads at learned offsets, weighted by a mask.",
    "Input:float/4 Offset:float/4 Mask?:float/4 Filter:float/4 Bias?:float",
    "Output",
    _deformable_conv,
    attrs={
        "strides": ints(1, 1),
        "paddings": ints(0, 0),
        "dilations": ints(1, 1),
        "groups": number(1, 1),
        "deformable_groups": number(1, 1),
    },
    traits=(Trait.WINDOW,),
)
old_spelling(
    "deformable_conv_v1",
    "deformable_conv",
    ", without mask",
    inputs="Input:float/4 Offset:float/4 Filter:float/4",
)
op(
    "correlation",
    "Products of patches of two images at displacements, as in FlowNet.",
    "Input1:float/4 Input2:float/4",
    "Output",
    _correlation,
    attrs={
        "pad_size": number(0, 0),
        "kernel_size": number(1, 1),
        "max_displacement": number(0, 0),
        "stride1": number(1, 1),
        "stride2": number(1, 1),
    },
)


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
    "Samples of an image or volume at the positions of a grid, after ONNX GridSample.",
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
    "Region of interest align with image indices, after ONNX RoiAlign.",
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
    "Maximum of each bin of each region of interest, after ONNX MaxRoiPool.",
    "X:float/4 ROIs:float/2",
    "Out",
    _max_roi_pool,
    attrs={"pooled_shape": ints(1, 1), "spatial_scale": 1.0},
)
op(
    "col2im",
    "Adds columns up to an image, after ONNX Col2Im.",
    "X:number/3 ImageShape:int/1 BlockShape:int/1",
    "Out",
    _col2im,
    attrs={"dilations": ints(), "pads": ints(), "strides": ints()},
)
op(
    "center_crop_pad",
    "Crops or pads around the centre, after ONNX CenterCropPad.",
    "X Shape:int/1",
    "Out",
    _center_crop_pad,
    attrs={"axes": ints()},
)
op(
    "depth_to_space",
    "Moves blocks of channels to blocks of pixels, after ONNX DepthToSpace.",
    "X/4",
    "Out",
    _depth_to_space,
    attrs={"blocksize": number(1, 1)},
)
op(
    "space_to_depth",
    "Moves blocks of pixels to channels.",
    "X/4",
    "Out",
    _space_to_depth,
    attrs={"blocksize": number(1, 1), "channels_first": False},
)
