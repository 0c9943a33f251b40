"""Convolutions over lines, images and volumes; a line becomes an image one pixel high."""

from __future__ import annotations

from lite.ir.program import AttrValue
from lite.model_parser.onnx.block_writer import BlockWriter
from lite.model_parser.onnx.custom_ops import CustomOp, register_custom_ops
from lite.model_parser.onnx.fused_activation import fused_activation
from lite.model_parser.onnx.node import OnnxNode
from lite.model_parser.onnx.translations import onnx_op, translate
from lite.model_parser.onnx.windows import Windows, as_image, as_line, read_windows, spatial_rank

register_custom_ops({"Col2Im": CustomOp("col2im", "X ImageShape BlockShape")})

_OPS = {
    "Conv": {1: "conv2d", 2: "conv2d", 3: "conv3d"},
    "ConvTranspose": {1: "conv2d_transpose", 2: "conv2d_transpose", 3: "conv3d_transpose"},
}
"""ONNX op → op by the number of spatial axes."""


@onnx_op("Conv")
def conv(node: OnnxNode, writer: BlockWriter) -> None:
    """`conv2d` or `conv3d`."""
    rank = _rank(node, writer)
    windows = read_windows(node, writer, node.input(0), _kernel_sizes(node, writer, rank), same=rank == 2)
    _emit(node, writer, rank, windows, {})


@onnx_op("com.microsoft.FusedConv")
def fused_conv(node: OnnxNode, writer: BlockWriter) -> None:
    """Conv, the sum with a fourth input, and an activation."""
    out, addend = writer.new_name(node.output()), node.optional(3)
    translate(node.as_op("Conv", node.inputs[:3], [out]), writer)
    if addend is not None:
        out = writer.binary("elementwise_add", out, addend)
    fused_activation(node, writer, out, node.reals("activation_params") or [])


@onnx_op("ConvTranspose")
def conv_transpose(node: OnnxNode, writer: BlockWriter) -> None:
    """`conv2d_transpose` or `conv3d_transpose`; output_shape and auto_pad become paddings."""
    rank = _rank(node, writer)
    kernel = _kernel_sizes(node, writer, rank)
    strides = node.integers("strides") or [1] * rank
    dilations = node.integers("dilations") or [1] * rank
    extra = node.integers("output_padding") or [0] * rank
    pads = node.integers("pads") or [0] * (2 * rank)
    output_shape = node.integers("output_shape")
    auto = node.string("auto_pad", "NOTSET")
    unpadded = Windows(kernel, strides, dilations, [0] * (2 * rank))
    sides = [(pads[axis], pads[axis + rank]) for axis in range(rank)]
    if output_shape is not None or auto.startswith("SAME"):
        totals = _totals(node, writer, unpadded, extra, output_shape)
        extra = [size + max(-total, 0) for size, total in zip(extra, totals, strict=True)]
        halves = [(max(total, 0) // 2, max(total, 0) - max(total, 0) // 2) for total in totals]
        sides = halves if auto == "SAME_UPPER" else [(after, before) for before, after in halves]
    elif auto == "VALID":
        sides = [(0, 0)] * rank
    windows = Windows(kernel, strides, dilations, [side for pair in sides for side in pair])
    if rank == 1:
        extra = [0, *extra]
    _emit(node, writer, rank, windows, {"output_padding": extra} if any(extra) else {})


@onnx_op("DeformConv")
def deform_conv(node: OnnxNode, writer: BlockWriter) -> None:
    """`deformable_conv`, which supports images only."""
    if _rank(node, writer) != 2:
        raise node.error("only images [N, C, H, W] are supported")
    windows = read_windows(node, writer, node.input(0), _kernel_sizes(node, writer, 2))
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


def _kernel_sizes(node: OnnxNode, writer: BlockWriter, rank: int) -> list[int]:
    """The sizes of the filter, from the attribute or from the shape of the weights."""
    kernel_shape = node.integers("kernel_shape")
    if kernel_shape:
        return kernel_shape
    shape = writer.shape(node.input(1))
    sizes = [] if shape is None else [dim for dim in shape[2:] if isinstance(dim, int)]
    if len(sizes) != rank:
        raise node.error(f"kernel_shape is missing, and the sizes of {node.input(1)!r} are unknown")
    return sizes


def _rank(node: OnnxNode, writer: BlockWriter) -> int:
    rank = spatial_rank(node, writer, node.input(1), node.input(0))
    if rank not in (1, 2, 3):
        raise node.error(f"expected 1 to 3 spatial axes, got {rank}")
    return rank


def _totals(
    node: OnnxNode,
    writer: BlockWriter,
    windows: Windows,
    extra: list[int],
    output_shape: list[int] | None,
) -> list[int]:
    """The total padding along each axis; negative where the output is extended."""
    if output_shape is None:
        spans = zip(windows.extents, extra, windows.strides, strict=True)
        return [extent + more - stride for extent, more, stride in spans]
    shape = writer.shape(node.input(0)) or ()
    sizes = [dim for dim in shape[2:] if isinstance(dim, int)]
    output_shape = output_shape[-len(windows.kernel) :]
    if len(sizes) != len(output_shape):
        raise node.error(
            f"output_shape {output_shape} needs the sizes of {node.input(0)!r}, got {list(shape)}"
        )
    return [
        stride * (size - 1) + more + extent - out
        for stride, size, more, extent, out in zip(
            windows.strides, sizes, extra, windows.extents, output_shape, strict=True
        )
    ]


def _emit(
    node: OnnxNode, writer: BlockWriter, rank: int, windows: Windows, attrs: dict[str, AttrValue]
) -> None:
    x, weight, out = node.input(0), node.input(1), node.output()
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
        {"Input": x, "Filter": weight, "Bias": node.optional(2)},
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
