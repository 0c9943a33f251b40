"""Resizing, and ops that move pixels between space and channels."""

from __future__ import annotations

from lite.errors import ModelParseError
from lite.ir.program import AttrValue
from lite.ir.types import DType
from lite.model_parser.tflite.graph_writer import GraphWriter, Names
from lite.model_parser.tflite.node import TfliteNode
from lite.model_parser.tflite.translations import tflite_op

_PIXEL_CENTRES: dict[str, AttrValue] = {
    "mode": "nearest",
    "coordinate_transformation_mode": "half_pixel",
    "nearest_mode": "round_prefer_ceil",
    "axes": [2, 3],
}
"""The attributes of `resize` that place samples at the centres of pixels."""


@tflite_op("RESIZE_BILINEAR")
def resize_bilinear(node: TfliteNode, writer: GraphWriter) -> None:
    """`bilinear_interp_v2` to a size that may be computed."""
    align_mode = 0 if node.flag("half_pixel_centers") else 1
    inputs, attrs = _size(node, writer)
    attrs |= {"align_corners": node.flag("align_corners"), "align_mode": align_mode}
    inputs["X"] = writer.image(node.input(0))
    writer.write(node, "bilinear_interp_v2", inputs, attrs, is_image=True)


@tflite_op("RESIZE_NEAREST_NEIGHBOR")
def resize_nearest(node: TfliteNode, writer: GraphWriter) -> None:
    """`nearest_interp_v2`, or `resize` for the centres of pixels.

    Where each pixel is repeated a whole number of times, both are the same.
    """
    source, size = node.input(0), node.input(1)
    _, is_stored = writer.moved(node, [source])
    image = writer.stored_image(source) if is_stored else writer.image(source)
    inputs: dict[str, Names]
    if node.flag("half_pixel_centers") and not _is_repetition(node):
        sizes = writer.unary("cast", writer.name(size), {"out_dtype": DType.INT64.code})
        op, inputs, attrs = "resize", {"Sizes": sizes}, dict(_PIXEL_CENTRES)
    else:
        op = "nearest_interp_v2"
        inputs, attrs = _size(node, writer)
        attrs["align_corners"] = node.flag("align_corners") and not node.flag("half_pixel_centers")
    writer.write(node, op, {"X": image, **inputs}, attrs, is_image=True, is_stored=is_stored)


def _is_repetition(node: TfliteNode) -> bool:
    """Whether height and width are known, and grow by whole factors."""
    if node.input(1).elements is None or node.input(0).rank != 4:
        return False
    sizes = zip(node.input(0).shape[1:3], node.integers(1), strict=True)
    return all(isinstance(size, int) and size > 0 and out % size == 0 for size, out in sizes)


def _size(node: TfliteNode, writer: GraphWriter) -> tuple[dict[str, Names], dict[str, AttrValue]]:
    """The size of the result: an input if it is computed, else attributes."""
    size = node.input(1)
    if size.elements is None:
        return {"OutSize": writer.name(size)}, {}
    height, width = node.integers(1)
    return {}, {"out_h": height, "out_w": width}


@tflite_op("DEPTH_TO_SPACE", "SPACE_TO_DEPTH")
def depth_and_space(node: TfliteNode, writer: GraphWriter) -> None:
    """A reshape to six axes, a transpose, and a reshape."""
    block, source = node.integer("block_size"), node.input(0)
    sizes = [size if isinstance(size, int) else -1 for size in source.shape]
    if len(sizes) != 4 or block < 1 or min(sizes[1:]) < 1:
        raise ModelParseError(f"expected a block and an image of known size, got {block} and {sizes}")
    batch, height, width, depth = sizes
    if node.op == "SPACE_TO_DEPTH":
        split = [batch, height // block, block, width // block, block, depth]
        joined = [batch, height // block, width // block, block * block * depth]
    else:
        split = [batch, height, width, block, block, depth // (block * block)]
        joined = [batch, height * block, width * block, depth // (block * block)]
    (name,), is_stored = writer.moved(node, [source])
    parts = writer.unary("reshape2", name, {"shape": split})
    moved = writer.unary("transpose2", parts, {"axis": [0, 1, 3, 2, 4, 5]})
    writer.write(node, "reshape2", {"X": moved}, {"shape": joined}, is_stored=is_stored)
