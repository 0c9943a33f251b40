"""Convolutions over lines, images and volumes; a line becomes an image one pixel high."""

from __future__ import annotations

from lite.ir.program import AttrValue
from lite.model_parser.onnx.block_writer import BlockWriter
from lite.model_parser.onnx.custom_ops import CustomOp, register_custom_ops
from lite.model_parser.onnx.fused_activation import fused_activation
from lite.model_parser.onnx.node import OnnxNode
from lite.model_parser.onnx.sizes import Sizes
from lite.model_parser.onnx.translations import onnx_op, translate
from lite.model_parser.onnx.windows import (
    Windows,
    as_image,
    as_line,
    channels_first,
    channels_last,
    pad_by,
    pad_same,
    read_windows,
    spatial_rank,
)

register_custom_ops({"Col2Im": CustomOp("col2im", "X ImageShape BlockShape")})

_OPS = {
    "Conv": {1: "conv2d", 2: "conv2d", 3: "conv3d"},
    "ConvTranspose": {1: "conv2d_transpose", 2: "conv2d_transpose", 3: "conv3d_transpose"},
}
"""ONNX op → op by the number of spatial axes."""


@onnx_op("Conv")
def conv(node: OnnxNode, writer: BlockWriter) -> None:
    """`conv2d` or `conv3d`, after a `pad_nd` for paddings that depend on unknown sizes."""
    rank = _rank(node, writer)
    x, kernel = node.input(0), _kernel_sizes(node, writer, rank)
    is_same = node.string("auto_pad", "NOTSET").startswith("SAME")
    # The sizes of the filter matter for auto_pad only.
    windows = None if kernel is None and is_same else _conv_windows(node, writer, kernel or [1] * rank)
    if windows is None:
        x = pad_same(node, writer, x, node.input(1), rank)
        windows = read_windows(node.without("auto_pad", "pads"), writer, x, kernel or [1] * rank)
    _emit(node, writer, x, rank, windows, {})


def _conv_windows(node: OnnxNode, writer: BlockWriter, kernel: list[int]) -> Windows | None:
    """The windows of a convolution; None where its paddings must be computed."""
    windows = read_windows(node, writer, node.input(0), kernel, same=len(kernel) == 2)
    return windows if windows.algorithm in ("EXPLICIT", "SAME") else None


@onnx_op("com.microsoft.FusedConv")
def fused_conv(node: OnnxNode, writer: BlockWriter) -> None:
    """Conv, the sum with a fourth input, and an activation."""
    out, addend = writer.new_name(node.output()), node.optional(3)
    translate(node.as_op("Conv", node.inputs[:3], [out]), writer)
    if addend is not None:
        out = writer.binary("elementwise_add", out, addend)
    fused_activation(node, writer, out, node.reals("activation_params") or [])


@onnx_op("com.microsoft.NhwcConv")
def nhwc_conv(node: OnnxNode, writer: BlockWriter) -> None:
    """Conv of images ``[N, H, W, C]``, with filters ``[M, kH, kW, C / group]``."""
    x, filters = (channels_first(writer, node.input(position)) for position in range(2))
    result = writer.new_name(node.output())
    conv(node.as_op("Conv", [x, filters, *node.inputs[2:]], [result]), writer)
    channels_last(writer, result, node.output())


@onnx_op("com.microsoft.NhwcFusedConv")
def nhwc_fused_conv(node: OnnxNode, writer: BlockWriter) -> None:
    """FusedConv of images ``[N, H, W, C]``; only the filters are Conv's, ``[M, C / group, kH, kW]``."""
    addend, result = node.optional(3), writer.new_name(node.output())
    inputs = [channels_first(writer, node.input(0)), *node.inputs[1:3]]
    if addend is not None:
        inputs += [channels_first(writer, addend)]
    fused_conv(node.as_op("FusedConv", inputs, [result]), writer)
    channels_last(writer, result, node.output())


@onnx_op("ConvTranspose")
def conv_transpose(node: OnnxNode, writer: BlockWriter) -> None:
    """`conv2d_transpose` or `conv3d_transpose`; output_shape and auto_pad become paddings."""
    rank = _rank(node, writer)
    sizes = _kernel_sizes(node, writer, rank)
    # The sizes of the filter matter for auto_pad and output_shape only.
    kernel = sizes or [1] * rank
    strides = node.integers("strides") or [1] * rank
    dilations = node.integers("dilations") or [1] * rank
    extra = node.integers("output_padding") or [0] * rank
    pads = node.integers("pads") or [0] * (2 * rank)
    auto = node.string("auto_pad", "NOTSET")
    unpadded = Windows(kernel, strides, dilations, [0] * (2 * rank))
    sides = [(pads[axis], pads[axis + rank]) for axis in range(rank)]
    if node.has("output_shape") or auto.startswith("SAME"):
        totals = None if sizes is None else _totals(node, writer, unpadded, extra)
        if totals is None:
            _transpose_and_cut(node, writer, unpadded, extra)
            return
        extra = [size + max(-total, 0) for size, total in zip(extra, totals, strict=True)]
        halves = [(max(total, 0) // 2, max(total, 0) - max(total, 0) // 2) for total in totals]
        sides = halves if auto == "SAME_UPPER" else [(after, before) for before, after in halves]
    elif auto == "VALID":
        sides = [(0, 0)] * rank
    windows = Windows(kernel, strides, dilations, [side for pair in sides for side in pair])
    if rank == 1:
        extra = [0, *extra]
    _emit(node, writer, node.input(0), rank, windows, {"output_padding": extra} if any(extra) else {})


def _transpose_and_cut(node: OnnxNode, writer: BlockWriter, windows: Windows, extra: list[int]) -> None:
    """A transposed convolution without padding, whose borders a `pad_nd` by computed sizes cuts; the bias."""
    rank, x, out = len(windows.kernel), node.input(0), node.output()
    whole = writer.new_name(out)
    _emit(node, writer, x, rank, windows, {}, whole)
    if node.has("output_shape"):
        size = Sizes.constant(writer, (node.integers("output_shape") or [])[-rank:], out)
    else:
        size = Sizes.of(writer, x, 2, rank) * Sizes.constant(writer, windows.strides, out)
    more = Sizes.constant(writer, extra, out)
    total = Sizes.of(writer, whole, 2, rank) + more - size
    cut = total.max(0)
    less = cut // 2
    sides = [less, cut - less]
    before, after = sides if node.string("auto_pad", "") == "SAME_UPPER" else sides[::-1]
    bias = node.optional(2)
    padded = out if bias is None else writer.new_name(out)
    pad_by(writer, whole, before * -1, more + cut - total - after, rank, padded)
    if bias is not None:
        column = writer.unary("unsqueeze2", bias, {"axes": [*range(1, rank + 1)]})
        writer.binary("elementwise_add", padded, column, out=out)


@onnx_op("DeformConv")
def deform_conv(node: OnnxNode, writer: BlockWriter) -> None:
    """`deformable_conv`, which supports images only."""
    if _rank(node, writer) != 2:
        raise node.error("only images [N, C, H, W] are supported")
    windows = read_windows(node, writer, node.input(0), _kernel_sizes(node, writer, 2) or [1, 1])
    writer.emit(
        "deformable_conv",
        {
            "Input": node.input(0),
            "Filter": node.input(1),
            "Offset": node.input(2),
            "Bias": node.optional(3),
            "Mask": node.optional(4),
        },
        {"Output": node.output()},
        {
            "strides": windows.strides,
            "paddings": windows.paddings,
            "dilations": windows.dilations,
            "groups": node.integer("group", 1),
            "deformable_groups": node.integer("offset_group", 1),
        },
    )


def _kernel_sizes(node: OnnxNode, writer: BlockWriter, rank: int) -> list[int] | None:
    """The sizes of the filter, from the attribute or from the shape of the weights; None if unknown."""
    kernel_shape = node.integers("kernel_shape")
    if kernel_shape:
        return kernel_shape
    shape = writer.shape(node.input(1))
    sizes = [] if shape is None else [dim for dim in shape[2:] if isinstance(dim, int)]
    return sizes if len(sizes) == rank else None


def _rank(node: OnnxNode, writer: BlockWriter) -> int:
    rank = spatial_rank(node, writer, node.input(1), node.input(0))
    if rank is None:
        raise node.error(f"the rank of {node.input(0)!r} is unknown; add its shape to the model")
    if rank not in (1, 2, 3):
        raise node.error(f"expected 1 to 3 spatial axes, got {rank}")
    return rank


def _totals(node: OnnxNode, writer: BlockWriter, windows: Windows, extra: list[int]) -> list[int] | None:
    """The total padding along each axis, negative where the output is extended; None if it is unknown."""
    output_shape = node.integers("output_shape")
    if output_shape is None:
        spans = zip(windows.extents, extra, windows.strides, strict=True)
        return [extent + more - stride for extent, more, stride in spans]
    output_shape = output_shape[-len(windows.kernel) :]
    shape = writer.shape(node.input(0)) or ()
    sizes = [dim for dim in shape[2:] if isinstance(dim, int)]
    if len(sizes) != len(output_shape):
        return None
    return [
        stride * (size - 1) + more + extent - out
        for stride, size, more, extent, out in zip(
            windows.strides, sizes, extra, windows.extents, output_shape, strict=True
        )
    ]


def _emit(
    node: OnnxNode,
    writer: BlockWriter,
    x: str,
    rank: int,
    windows: Windows,
    attrs: dict[str, AttrValue],
    whole: str | None = None,
) -> None:
    """Write the convolution of `x`; a result `whole` has no bias."""
    weight, out = node.input(1), whole or node.output()
    target = out
    if rank == 1:
        x, weight, windows, target = (
            as_image(writer, x),
            as_image(writer, weight),
            windows.as_image(),
            writer.new_name(out),
        )
    writer.emit(
        _OPS[node.op][rank],
        {"Input": x, "Filter": weight, "Bias": None if whole else node.optional(2)},
        {"Output": target},
        {
            "strides": windows.strides,
            "paddings": windows.paddings,
            "padding_algorithm": windows.algorithm,
            "dilations": windows.dilations,
            "groups": node.integer("group", 1),
            **attrs,
        },
    )
    if rank == 1:
        as_line(writer, target, out)
