"""Reductions and running sums."""

from __future__ import annotations

from lite.errors import ModelParseError
from lite.ir.program import AttrValue
from lite.model_parser.tflite.graph_writer import TO_NCHW, GraphWriter
from lite.model_parser.tflite.node import TfliteNode
from lite.model_parser.tflite.translations import tflite_op

_REDUCTIONS = {
    "MEAN": "reduce_mean",
    "REDUCE_ALL": "reduce_all",
    "REDUCE_ANY": "reduce_any",
    "REDUCE_MAX": "reduce_max",
    "REDUCE_MIN": "reduce_min",
    "REDUCE_PROD": "reduce_prod",
    "SUM": "reduce_sum",
}


@tflite_op(*_REDUCTIONS)
def reduce(node: TfliteNode, writer: GraphWriter) -> None:
    """A reduction over constant axes; an empty list of axes reduces none."""
    source = node.input(0)
    axes = sorted({source.axis(axis) for axis in node.integers(1)})
    if not axes:
        writer.move(node, "assign")
        return
    keep = node.flag("keep_dims")
    is_image = writer.has_image(source) and (keep or axes == [1, 2])
    name = writer.image(source) if is_image else writer.real(source)
    dims = sorted(TO_NCHW.index(axis) for axis in axes) if is_image else axes
    attrs: dict[str, AttrValue] = {"dim": dims, "keep_dim": keep}
    writer.write(node, _REDUCTIONS[node.op], {"X": name}, attrs, is_image=is_image and keep)


@tflite_op("ARG_MAX", "ARG_MIN")
def arg(node: TfliteNode, writer: GraphWriter) -> None:
    """`arg_max` or `arg_min` along a constant axis."""
    (axis,) = node.integers(1)
    attrs: dict[str, AttrValue] = {
        "axis": node.input(0).axis(axis),
        "dtype": node.output().dtype.code,
    }
    writer.write(node, node.op.lower(), {"X": writer.real(node.input(0))}, attrs)


@tflite_op("CUMSUM")
def cumsum(node: TfliteNode, writer: GraphWriter) -> None:
    """`cumsum` along a constant axis."""
    (axis,) = node.integers(1)
    attrs: dict[str, AttrValue] = {
        "axis": node.input(0).axis(axis),
        "exclusive": node.flag("exclusive"),
        "reverse": node.flag("reverse"),
        "keep_single": False,
    }
    writer.write(node, "cumsum", {"X": writer.real(node.input(0))}, attrs)


@tflite_op("L2_NORMALIZATION")
def l2_normalization(node: TfliteNode, writer: GraphWriter) -> None:
    """x divided by its Euclidean length along the last axis, at least 1e-6."""
    source = writer.real(node.input(0))
    squares = writer.unary("square", source)
    total = writer.unary("reduce_sum", squares, {"dim": [-1], "keep_dim": True})
    length = writer.unary("sqrt", writer.unary("clip", total, {"min": 1e-12, "max": 3e38}))
    writer.write(node, "elementwise_div", {"X": source, "Y": length})


@tflite_op("LOCAL_RESPONSE_NORMALIZATION")
def local_response_normalization(node: TfliteNode, writer: GraphWriter) -> None:
    """`lrn` over the channels."""
    radius = node.integer("radius")
    if radius < 0:
        raise ModelParseError(f"option radius: expected 0 or more, got {radius}")
    attrs: dict[str, AttrValue] = {"n": 2 * radius + 1, "k": node.number("bias")}
    attrs |= {"alpha": node.number("alpha"), "beta": node.number("beta")}
    writer.write(node, "lrn", {"X": writer.image(node.input(0))}, attrs, is_image=True)
