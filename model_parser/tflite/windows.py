"""Strides, dilations and paddings of TFLite's window ops."""

from __future__ import annotations

from collections.abc import Sequence

from lite.errors import ModelParseError
from lite.ir.program import AttrValue
from lite.model_parser.tflite.node import TfliteNode
from lite.model_parser.tflite.tensors import Tensor

_SAME, _VALID = 0, 1


def strides(node: TfliteNode) -> list[int]:
    """The strides along height and width; of a volume along depth too, which is first."""
    return _positive(node, *_axes(node, "stride"))


def dilations(node: TfliteNode) -> list[int]:
    """The dilations along height and width; of a volume along depth too, which is first."""
    return _positive(node, *_axes(node, "dilation"))


def window(node: TfliteNode) -> list[int]:
    """The height and width of a pooling window."""
    return _positive(node, "filter_h", "filter_w")


def same_paddings(
    node: TfliteNode, kernel: Sequence[int], steps: Sequence[int], dilated: Sequence[int]
) -> dict[str, AttrValue]:
    """The attributes for SAME or VALID padding: SAME gives ceil(size / stride) windows.

    If the padding is odd, the side after the image gets one more.  Raises `ModelParseError` for SAME with
    dilation if a size of the image is unknown.
    """
    if is_valid(node):
        return {"paddings": [0] * len(kernel)}
    sizes = node.input(0).shape[1 : 1 + len(kernel)]
    paddings: list[int] = []
    for size, width, step, dilation in zip(sizes, kernel, steps, dilated, strict=True):
        if not isinstance(size, int):
            if max(dilated) > 1:
                raise ModelParseError(
                    "SAME padding with dilation: expected known sizes of the image; export the model with "
                    "fixed input shapes"
                )
            return {"padding_algorithm": "SAME"}
        count = -(-size // step)
        total = max((count - 1) * step + (width - 1) * dilation + 1 - size, 0)
        paddings += [total // 2, total - total // 2]
    return {"paddings": paddings}


def transposed_sizes(node: TfliteNode) -> list[int] | None:
    """The sizes of a transposed convolution's result: (depth,) height and width; None where one is unknown.

    Input 0 has them, or if it is computed, the declared shape: in Keras's models the batch alone is unknown.
    """
    rank, shape = node.input(2).rank, node.input(0)
    sizes = node.output().shape if shape.elements is None else node.integers(0)
    if len(sizes) != rank:
        raise ModelParseError(f"expected an output shape of {rank} sizes, got {list(sizes)}")
    known = [size for size in sizes[1:-1] if isinstance(size, int)]
    return known if len(known) == rank - 2 else None


def transposed_paddings(
    node: TfliteNode, image: Tensor, output: Sequence[int], kernel: Sequence[int], steps: Sequence[int]
) -> list[int]:
    """The paddings that give a transposed convolution the `output` sizes: (depth,) height and width.

    Raises `ModelParseError` if a size of the image is unknown.
    """
    paddings: list[int] = []
    image_sizes = image.shape[1 : 1 + len(kernel)]
    for size, target, width, step in zip(image_sizes, output, kernel, steps, strict=True):
        if not isinstance(size, int):
            raise ModelParseError(
                "transposed convolution: expected known sizes of the image; export the model with "
                "fixed input shapes"
            )
        total = 0 if is_valid(node) else max((size - 1) * step + width - target, 0)
        paddings += [total // 2, total - total // 2]
    return paddings


def _axes(node: TfliteNode, option: str) -> list[str]:
    """The names of an option along each axis; only ops on volumes have it along depth."""
    depth = f"{option}_d"
    return [*([depth] if node.has_option(depth) else []), f"{option}_h", f"{option}_w"]


def is_valid(node: TfliteNode) -> bool:
    """Whether the padding is VALID, that is none; else it is SAME."""
    padding = node.integer("padding")
    if padding not in (_SAME, _VALID):
        raise ModelParseError(f"option padding: expected 0 (SAME) or 1 (VALID), got {padding}")
    return padding == _VALID


def _positive(node: TfliteNode, *names: str) -> list[int]:
    numbers = [node.integer(name) for name in names]
    if min(numbers) < 1:
        raise ModelParseError(f"options {' and '.join(names)}: expected positive numbers, got {numbers}")
    return numbers
