"""Ops that read images at computed positions: grids, deformable convolution, correlation."""

import math
from collections.abc import Sequence

from lite.ir.types import UNKNOWN, Dim
from lite.ops.rules import apply
from lite.ops.schema import choice, ints, number, op
from lite.ops.view import Meta, OpView
from lite.ops.window import check_windows, windows


def _grid_sampler(op: OpView) -> Meta:
    x, grid = op["X"].dims, op["Grid"].dims
    if isinstance(grid[3], int) and grid[3] != 2:
        raise op.error("Grid", "positions (x, y) in the last axis", op["Grid"])
    return Meta(op["X"].dtype, (*x[:2], *grid[1:3]))


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
    found = windows(
        x[2:],
        [int(k) for k in kernel],
        op.integers("strides"),
        op.integers("dilations"),
        op.integers("paddings"),
        "EXPLICIT",
    )
    sizes = [window.out(size) for window, size in zip(found, x[2:], strict=True)]
    return Meta(op["Input"].dtype, (x[0], outputs, *sizes))


def _correlation(op: OpView) -> Meta:
    n, _, *image = op["Input1"].dims
    reach, step = op.integer("max_displacement"), op.integer("stride1")
    border = (op.integer("kernel_size") - 1) // 2 + reach
    grown = 2 * (op.integer("pad_size") - border)
    sizes = [apply(size, lambda s: math.ceil((s + grown) / step)) for size in image]
    if any(isinstance(size, int) and size < 1 for size in sizes):
        raise op.error("Input1", f"an image of more than {-grown} pixels each way", op["Input1"])
    return Meta(op["Input1"].dtype, (n, (2 * (reach // op.integer("stride2")) + 1) ** 2, *sizes))


op(
    "grid_sampler",
    "X:float/4 Grid:float/4",
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
    "Theta:float/3 OutputShape?:int",
    "Output",
    _affine_grid,
    attrs={"output_shape": ints(), "align_corners": True},
    attr_slots={"OutputShape": "output_shape"},
)
_DEFORMABLE = {
    "strides": ints(1, 1),
    "paddings": ints(0, 0),
    "dilations": ints(1, 1),
    "groups": number(1, 1),
    "deformable_groups": number(1, 1),
}
op(
    "deformable_conv",
    "Input:float/4 Offset:float/4 Mask?:float/4 Filter:float/4 Bias?:float",
    "Output",
    _deformable_conv,
    attrs=_DEFORMABLE,
)
op(
    "deformable_conv_v1",
    "Input:float/4 Offset:float/4 Filter:float/4",
    "Output",
    _deformable_conv,
    attrs=_DEFORMABLE,
    canonical="deformable_conv",
)
op(
    "correlation",
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
