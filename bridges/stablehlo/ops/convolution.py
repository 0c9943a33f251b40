"""conv2d, conv3d, conv2d_transpose, conv3d_transpose → convolution.

Images have channels first or last.  A transposed convolution spreads its input with zeros between the
elements, and turns the filter over.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from lite.bridges.stablehlo.ops.activation import activated
from lite.emission.conversion import Declined
from lite.emission.sizes import sizes
from lite.emission.stablehlo.bridging import Context, register
from lite.emission.stablehlo.builder import HIGHEST, Builder
from lite.emission.stablehlo.graph import Tensor
from lite.ops.schema import SCHEMAS
from lite.ops.window import Window, is_channel_last, windows
from lite.plugin.device import BridgeOp

Pair = tuple[int, int]


def _last(op: BridgeOp) -> bool:
    return is_channel_last(op.text("data_format"))


def image_axes(rank: int, *, last: bool) -> range:
    """The axes of an image's rows, columns, …."""
    return range(1, rank - 1) if last else range(2, rank)


def _windows(op: BridgeOp, x: Tensor, weight: Tensor) -> list[Window]:
    if not op["Filter"].is_static:
        raise Declined(f"Filter is {op['Filter']}: its sizes must be known")
    if not x.dtype.is_float or x.dtype is not weight.dtype:
        raise Declined(
            f"Input and Filter are {x.dtype} and {weight.dtype}, expected real numbers of one type"
        )
    return windows(
        [x.shape[axis] for axis in image_axes(x.rank, last=_last(op))],
        weight.shape[2:],
        op.integers("strides"),
        op.integers("dilations"),
        op.integers("paddings"),
        op.text("padding_algorithm"),
    )


def _convolution(
    b: Builder,
    x: Tensor,
    weight: Tensor,
    outs: Sequence[int],
    *,
    strides: Sequence[int],
    spread: Sequence[int],
    dilations: Sequence[int],
    padding: Sequence[Pair],
    groups: int,
    last: bool,
) -> Tensor:
    image = ", ".join(map(str, range(x.rank - 2)))
    layout = f"b, {image}, f" if last else f"b, f, {image}"
    shape = (x.shape[0], *outs, weight.shape[0]) if last else (x.shape[0], weight.shape[0], *outs)
    return b.add(
        "convolution",
        [x, weight],
        shape,
        window_strides=tuple(strides),
        padding=tuple(padding),
        lhs_dilation=tuple(spread),
        rhs_dilation=tuple(dilations),
        dimension_numbers=f"#stablehlo.conv<[{layout}]x[o, i, {image}]->[{layout}]>",
        feature_group_count=groups,
        batch_group_count=1,
        precision_config=HIGHEST,
    )


def _conv(op: BridgeOp, ctx: Context) -> None:
    b, x, weight = ctx.builder, ctx.input(op, "Input"), ctx.input(op, "Filter")
    image_windows = _windows(op, x, weight)
    image = [x.shape[axis] for axis in image_axes(x.rank, last=_last(op))]
    result = _convolution(
        b,
        x,
        weight,
        [int(window.out(size)) for window, size in zip(image_windows, image, strict=True)],
        strides=[window.stride for window in image_windows],
        spread=[1] * len(image),
        dilations=[window.dilation for window in image_windows],
        padding=[(window.before, window.after) for window in image_windows],
        groups=op.integer("groups"),
        last=_last(op),
    )
    _finish(op, ctx, result)


def _finish(op: BridgeOp, ctx: Context, result: Tensor) -> None:
    """The bias, and what only fused convolutions have."""
    b, rank, last = ctx.builder, result.rank, _last(op)
    bias = ctx.optional(op, "Bias")
    if bias is not None:
        result = b.binary("add", result, _per_channel(b, bias, rank, last=last))
    residual = ctx.optional(op, "ResidualData")
    if residual is not None:
        result = b.binary("add", result, residual)
    if "activation" in SCHEMAS[op.op].attrs:
        result = activated(b, op.text("activation"), result, op.reals("activation_params"))
    for name, slot in (("multiply", "PostScale"), ("add", "PostShift")):
        vector = ctx.optional(op, slot)
        if vector is not None:
            result = b.binary(name, result, _per_channel(b, vector, rank, last=last))
    ctx.output(op, result)


def _per_channel(b: Builder, vector: Tensor, rank: int, *, last: bool) -> Tensor:
    """A number for each channel, or one for all, in a shape that broadcasts over images."""
    count = math.prod(vector.shape)
    return b.reshape(vector, (count,) if last else (count, *[1] * (rank - 2)))


def _transposed(op: BridgeOp, ctx: Context) -> None:
    b, x, weight = ctx.builder, ctx.input(op, "Input"), ctx.input(op, "Filter")
    if op.node.inputs.get("OutputSize") and op.values("OutputSize") is None:
        raise Declined("OutputSize is a tensor whose numbers are not known")
    image_windows, groups = _windows(op, x, weight), op.integer("groups")
    axes, result = image_axes(x.rank, last=_last(op)), sizes(op.output())
    outs, padding = [result[axis] for axis in axes], []
    for window, axis, out in zip(image_windows, axes, outs, strict=True):
        low = window.extent - 1 - window.before
        padding.append((low, out + window.extent - 2 - (x.shape[axis] - 1) * window.stride - low))
    spread = _convolution(
        b,
        x,
        _transposed_filter(b, weight, groups),
        outs,
        strides=[1] * len(outs),
        spread=[window.stride for window in image_windows],
        dilations=[window.dilation for window in image_windows],
        padding=padding,
        groups=groups,
        last=_last(op),
    )
    _finish(op, ctx, spread)


def _transposed_filter(b: Builder, weight: Tensor, groups: int) -> Tensor:
    """The filter [in, out / groups, …] as that of a convolution, [out, in / groups, …], turned over."""
    backward = b.slice(weight, {axis: range(weight.shape[axis])[::-1] for axis in range(2, weight.rank)})
    rows, columns, *image = weight.shape
    split = b.reshape(backward, (groups, rows // groups, columns, *image))
    swapped = b.transpose(split, [0, 2, 1, *range(3, split.rank)])
    return b.reshape(swapped, (groups * columns, rows // groups, *image))


register(
    __name__,
    {"conv2d": _conv, "conv2d_transpose": _transposed, "conv3d": _conv, "conv3d_transpose": _transposed},
)
