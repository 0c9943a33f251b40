"""Ops that move blocks of pixels, or of the elements of lines, between space and batch."""

from __future__ import annotations

import math
from dataclasses import replace

from lite.errors import ModelParseError
from lite.ir.program import AttrValue
from lite.model_parser.tflite.dilated import DilatedConvolution, dilated_convolution
from lite.model_parser.tflite.graph_writer import GraphWriter
from lite.model_parser.tflite.node import TfliteNode
from lite.model_parser.tflite.ops.convolution import convolution
from lite.model_parser.tflite.tensors import Tensor
from lite.model_parser.tflite.translations import tflite_op


@tflite_op("SPACE_TO_BATCH_ND")
def space_to_batch(node: TfliteNode, writer: GraphWriter) -> None:
    """A pad, and a transpose between reshapes; the batch may be unknown."""
    blocks, before, after = _ranges(node)
    batch, *image = _sizes(node, blocks)
    source = node.input(0)
    (name,), is_stored = writer.moved(node, [source])
    quantisation = source.quantisation if is_stored else None
    value = 0.0 if quantisation is None else float(quantisation.zero_point[0])
    rest = [0] * (source.rank - 1 - len(blocks))
    paddings = [0, *before, *rest, 0, *after, *rest]
    name = writer.unary("pad_nd", name, {"paddings": paddings, "value": value})
    split, joined = [batch], [batch * math.prod(blocks) if batch > 0 else -1]
    for size, block, *widths in zip(image, blocks, before, after, strict=False):
        split += [(size + sum(widths)) // block, block]
        joined.append((size + sum(widths)) // block)
    depth = image[len(blocks) :]
    name = writer.unary("reshape2", name, {"shape": [*split, *depth]})
    inner = range(2, 2 * len(blocks) + 1, 2)
    order = [*inner, 0, *(axis - 1 for axis in inner), *range(len(split), len(split) + len(depth))]
    name = writer.unary("transpose2", name, {"axis": order})
    writer.write(node, "reshape2", {"X": name}, {"shape": [*joined, *depth]}, is_stored=is_stored)


@tflite_op("BATCH_TO_SPACE_ND")
def batch_to_space(node: TfliteNode, writer: GraphWriter) -> None:
    """A transpose between reshapes, and a crop; after a convolution of blocks, `conv2d` with dilation.

    The batch may be unknown.
    """
    blocks, before, after = _ranges(node)
    if (dilated := dilated_convolution(node, writer)) is not None:
        _convolve(dilated, node.output(), writer)
        return
    batch, *image = _sizes(node, blocks)
    count = len(blocks)
    (name,), is_stored = writer.moved(node, [node.input(0)])
    outer = batch // math.prod(blocks) if batch > 0 else -1
    name = writer.unary("reshape2", name, {"shape": [*blocks, outer, *image]})
    order = [count]
    for axis in range(count):
        order += [count + 1 + axis, axis]
    order += range(2 * count + 1, count + 1 + len(image))
    name = writer.unary("transpose2", name, {"axis": order})
    whole = [size * block for size, block in zip(image, blocks, strict=False)]
    name = writer.unary("reshape2", name, {"shape": [outer, *whole, *image[count:]]})
    ends = [size - less for size, less in zip(whole, after, strict=True)]
    attrs: dict[str, AttrValue] = {"axes": [*range(1, count + 1)], "starts": before, "ends": ends}
    writer.write(node, "slice", {"Input": name}, attrs, is_stored=is_stored)


def _convolve(dilated: DilatedConvolution, output: Tensor, writer: GraphWriter) -> None:
    """Write a convolution with dilation; lines become images of height 1 and back."""
    source, result = dilated.source, output
    if output.rank == 3:
        batch, *sizes = source.shape
        source = replace(source, name=writer.new_name(source.name), shape=(batch, 1, *sizes))
        writer.emit("unsqueeze2", {"X": writer.name(dilated.source)}, {"Out": source.name}, {"axes": [1]})
        batch, *sizes = output.shape
        result = replace(output, name=writer.new_name(output.name), shape=(batch, 1, *sizes))
    node = dilated.node.between([source, *dilated.node.inputs[1:]], [result])
    attrs: dict[str, AttrValue] = {"dilations": dilated.dilations, "paddings": dilated.paddings}
    convolution(node, writer, attrs)
    if result is not output:
        writer.emit("squeeze2", {"X": result.name}, {"Out": output.name}, {"axes": [1]})
        writer.declare(output)


def _ranges(node: TfliteNode) -> tuple[list[int], list[int], list[int]]:
    """The blocks, and what is padded or cropped before and after each axis."""
    blocks, ranges = node.integers(1), node.integers(2)
    if len(ranges) != 2 * len(blocks) or min(blocks, default=0) < 1 or min(ranges) < 0:
        raise ModelParseError(f"expected blocks, and two ranges for each, got {blocks} and {ranges}")
    return blocks, ranges[::2], ranges[1::2]


def _sizes(node: TfliteNode, blocks: list[int]) -> list[int]:
    """The sizes of the input; -1 for a batch of unknown size."""
    shape = node.input(0).shape
    sizes = [size if isinstance(size, int) else -1 for size in shape]
    if len(sizes) <= len(blocks) or sizes[0] == 0 or min(sizes[1:]) < 1:
        raise ModelParseError(f"expected known sizes for the blocks {blocks}, got {list(shape)}")
    return sizes
