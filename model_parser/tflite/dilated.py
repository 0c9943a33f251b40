"""Convolutions with dilation, which TensorFlow writes as convolutions of blocks of pixels."""

from __future__ import annotations

from lite.dataclass import dataclass
from lite.model_parser.tflite.graph_writer import GraphWriter, are_equal
from lite.model_parser.tflite.node import TfliteNode
from lite.model_parser.tflite.tensors import Tensor
from lite.model_parser.tflite.windows import dilations, is_valid, strides


@dataclass(frozen=True)
class DilatedConvolution:
    """The operator of the convolution, what it would read without blocks, and the windows.

    `source` is an image, or lines [N, W, C], which the operator has as images of height 1.
    """

    node: TfliteNode
    source: Tensor
    dilations: list[int]
    paddings: list[int]


def dilated_convolution(node: TfliteNode, writer: GraphWriter) -> DilatedConvolution | None:
    """The dilated convolution that a BATCH_TO_SPACE_ND ends.

    ``batch_to_space(conv(space_to_batch(x)))`` → ``conv(x)`` with the blocks as dilations.  The converter of
    TensorFlow leaves three operators where the batch is unknown.  None for every other BATCH_TO_SPACE_ND.
    """
    convolution = writer.producers.get(_image(node.input(0), writer).name)
    if convolution is None or convolution.op not in ("CONV_2D", "DEPTHWISE_CONV_2D"):
        return None
    is_plain = {*strides(convolution), *dilations(convolution)} == {1} and is_valid(convolution)
    split = writer.producers.get(_line(convolution.input(0), writer).name)
    if not is_plain or split is None or split.op != "SPACE_TO_BATCH_ND":
        return None
    blocks, source, result = split.integers(1), split.input(0), node.output()
    if blocks != node.integers(1) or {source.rank, result.rank} != {len(blocks) + 2}:
        return None
    read = (source, split.output(), convolution.input(0))
    written = (convolution.output(), node.input(0), result)
    paddings = [width - crop for width, crop in zip(split.integers(2), node.integers(2), strict=True)]
    if min(paddings) < 0 or not (_have_one_scale(*read) and _have_one_scale(*written)):
        return None
    is_line = len(blocks) == 1
    return DilatedConvolution(convolution, source, [1] * is_line + blocks, [0, 0] * is_line + paddings)


def _image(tensor: Tensor, writer: GraphWriter) -> Tensor:
    """The images of height 1 that an operator makes lines, or the tensor itself."""
    node = writer.producers.get(tensor.name)
    if node is None or node.op not in ("RESHAPE", "SQUEEZE") or not _are_lines(node.input(0), tensor):
        return tensor
    return node.input(0)


def _line(tensor: Tensor, writer: GraphWriter) -> Tensor:
    """The lines that an operator makes images of height 1, or the tensor itself."""
    node = writer.producers.get(tensor.name)
    if node is None or node.op not in ("RESHAPE", "EXPAND_DIMS") or not _are_lines(tensor, node.input(0)):
        return tensor
    return node.input(0)


def _have_one_scale(first: Tensor, *others: Tensor) -> bool:
    """Whether all are quantised in the same way, or not at all."""
    return all(are_equal(first.quantisation, other.quantisation) for other in others)


def _are_lines(image: Tensor, line: Tensor) -> bool:
    """Whether images have height 1 and are otherwise of the sizes of lines, all known but the batch's."""
    known = [size for size in line.shape[1:] if isinstance(size, int)]
    return line.rank == 3 and len(known) == 2 and image.shape[1:] == (1, *known)
