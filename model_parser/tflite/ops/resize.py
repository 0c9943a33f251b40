"""Resizing, and ops that move pixels between space and channels or batch."""

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
    """`nearest_interp_v2`, or `resize` for the centres of pixels."""
    source, size = node.input(0), node.input(1)
    _, is_stored = writer.moved(node, [source])
    image = writer.stored_image(source) if is_stored else writer.image(source)
    inputs: dict[str, Names]
    if node.flag("half_pixel_centers"):
        sizes = writer.unary("cast", writer.name(size), {"out_dtype": DType.INT64.code})
        op, inputs, attrs = "resize", {"Sizes": sizes}, dict(_PIXEL_CENTRES)
    else:
        op = "nearest_interp_v2"
        inputs, attrs = _size(node, writer)
        attrs["align_corners"] = node.flag("align_corners")
    writer.write(node, op, {"X": image, **inputs}, attrs, is_image=True, is_stored=is_stored)


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


@tflite_op("BATCH_TO_SPACE_ND", "SPACE_TO_BATCH_ND")
def batch_and_space(node: TfliteNode, writer: GraphWriter) -> None:
    """Reshapes and a transpose, with a pad or a crop of constant size, for images."""
    blocks, ranges = node.integers(1), node.integers(2)
    source = node.input(0)
    sizes = [size if isinstance(size, int) else -1 for size in source.shape]
    if len(sizes) != 4 or len(blocks) != 2 or len(ranges) != 4 or min(*blocks, *sizes) < 1:
        raise ModelParseError(f"expected an image of known size and two blocks, got {sizes} and {blocks}")
    batch, height, width, depth = sizes
    (name,), is_stored = writer.moved(node, [source])
    rows, columns = blocks
    if node.op == "SPACE_TO_BATCH_ND":
        padded = [height + ranges[0] + ranges[1], width + ranges[2] + ranges[3]]
        quantisation = source.quantisation if is_stored else None
        value = 0.0 if quantisation is None else float(quantisation.zero_point[0])
        paddings = [0, ranges[0], ranges[2], 0, 0, ranges[1], ranges[3], 0]
        name = writer.unary("pad_nd", name, {"paddings": paddings, "value": value})
        split = [batch, padded[0] // rows, rows, padded[1] // columns, columns, depth]
        joined = [batch * rows * columns, padded[0] // rows, padded[1] // columns, depth]
        name = writer.unary("reshape2", name, {"shape": split})
        name = writer.unary("transpose2", name, {"axis": [2, 4, 0, 1, 3, 5]})
        writer.write(node, "reshape2", {"X": name}, {"shape": joined}, is_stored=is_stored)
        return
    split = [rows, columns, batch // (rows * columns), height, width, depth]
    joined = [batch // (rows * columns), height * rows, width * columns, depth]
    name = writer.unary("reshape2", name, {"shape": split})
    name = writer.unary("transpose2", name, {"axis": [2, 3, 0, 4, 1, 5]})
    name = writer.unary("reshape2", name, {"shape": joined})
    ends = [joined[1] - ranges[1], joined[2] - ranges[3]]
    attrs: dict[str, AttrValue] = {"axes": [1, 2], "starts": [ranges[0], ranges[2]], "ends": ends}
    writer.write(node, "slice", {"Input": name}, attrs, is_stored=is_stored)
