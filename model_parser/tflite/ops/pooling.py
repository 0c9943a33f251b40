"""Pooling."""

from __future__ import annotations

from lite.ir.program import AttrValue
from lite.model_parser.tflite.graph_writer import GraphWriter
from lite.model_parser.tflite.node import TfliteNode
from lite.model_parser.tflite.translations import tflite_op
from lite.model_parser.tflite.windows import same_paddings, strides, window

_KINDS = {"AVERAGE_POOL_2D": "avg", "MAX_POOL_2D": "max"}


@tflite_op(*_KINDS)
def pool2d(node: TfliteNode, writer: GraphWriter) -> None:
    """`pool2d`; the mean is over the elements inside the image."""
    size, steps = window(node), strides(node)
    attrs: dict[str, AttrValue] = {"pooling_type": _KINDS[node.op], "ksize": size, "strides": steps}
    attrs |= {"exclusive": True, **same_paddings(node, size, steps, [1, 1])}
    writer.write(node, "pool2d", {"X": writer.image(node.input(0))}, attrs, is_image=True)


@tflite_op("L2_POOL_2D")
def l2_pool2d(node: TfliteNode, writer: GraphWriter) -> None:
    """The square root of `pool2d` of the squares: the mean is over the elements inside the image."""
    size, steps = window(node), strides(node)
    attrs: dict[str, AttrValue] = {"pooling_type": "avg", "ksize": size, "strides": steps, "exclusive": True}
    attrs |= same_paddings(node, size, steps, [1, 1])
    squares = writer.unary("square", writer.image(node.input(0)))
    writer.write(node, "sqrt", {"X": writer.unary("pool2d", squares, attrs)}, is_image=True)
