"""Convolutions and transposed convolutions of volumes [N, D, H, W, C]."""

from __future__ import annotations

from lite.errors import ModelParseError
from lite.ir.program import AttrValue
from lite.model_parser.tflite.graph_writer import GraphWriter
from lite.model_parser.tflite.node import TfliteNode
from lite.model_parser.tflite.tensors import Tensor
from lite.model_parser.tflite.translations import tflite_op
from lite.model_parser.tflite.windows import (
    dilations,
    same_paddings,
    strides,
    transposed_paddings,
    transposed_sizes,
)

_TO_NCDHW = [0, 4, 1, 2, 3]
_TO_NDHWC = [0, 2, 3, 4, 1]


@tflite_op("CONV_3D")
def conv3d(node: TfliteNode, writer: GraphWriter) -> None:
    """`conv3d`; filters [D, H, W, I, O] become [O, I, D, H, W]."""
    kernel, steps, dilated = _kernel(node), strides(node), dilations(node)
    attrs: dict[str, AttrValue] = {"strides": steps, "dilations": dilated}
    attrs |= same_paddings(node, kernel, steps, dilated)
    _write(node, writer, "conv3d", node.input(0), attrs, node.optional(2))


@tflite_op("CONV_3D_TRANSPOSE")
def conv3d_transpose(node: TfliteNode, writer: GraphWriter) -> None:
    """`conv3d_transpose` to known sizes; filters [D, H, W, O, I] become [I, O, D, H, W]."""
    kernel, steps, size = _kernel(node), strides(node), transposed_sizes(node)
    if size is None:
        raise ModelParseError(f"expected known sizes of the result, got {list(node.output().shape)}")
    if max(dilations(node)) > 1:
        raise ModelParseError(f"expected dilations of 1, got {dilations(node)}")
    source = node.input(2)
    paddings = transposed_paddings(node, source, size, kernel, steps)
    lengths = [length for length in source.shape[1:4] if isinstance(length, int)]
    extra: list[int] = []
    for axis, (length, target) in enumerate(zip(lengths, size, strict=True)):
        covered = (length - 1) * steps[axis] + kernel[axis] - paddings[2 * axis]
        paddings[2 * axis + 1] = max(covered - target, 0)
        extra.append(max(target - covered, 0))
    attrs: dict[str, AttrValue] = {"strides": steps, "paddings": paddings, "output_padding": extra}
    _write(node, writer, "conv3d_transpose", source, attrs, node.optional(3))


def _kernel(node: TfliteNode) -> list[int]:
    """The sizes of the filters along depth, height and width."""
    sizes = [size for size in node.input(1).shape if isinstance(size, int)]
    if len(sizes) != 5 or node.input(1).rank != 5:
        raise ModelParseError(f"expected filters of 5 known sizes, got {list(node.input(1).shape)}")
    return sizes[:3]


def _write(
    node: TfliteNode,
    writer: GraphWriter,
    op: str,
    source: Tensor,
    attrs: dict[str, AttrValue],
    bias: Tensor | None,
) -> None:
    """Add the convolution between transposes."""
    if source.rank != 5:
        raise ModelParseError(f"input {source.name!r}: expected a volume of rank 5, got rank {source.rank}")
    inputs = {
        "Input": writer.unary("transpose2", writer.real(source), {"axis": _TO_NCDHW}),
        "Filter": writer.filters(node.input(1), [4, 3, 0, 1, 2]),
        "Bias": None if bias is None else writer.real(bias),
    }
    product = writer.new_name(node.output().name)
    writer.emit(op, inputs, {"Output": product}, attrs)
    writer.write(node, "transpose2", {"X": product}, {"axis": _TO_NDHWC})
