"""Reductions, cumulative sums and products, and losses."""

from __future__ import annotations

from lite.ir.program import AttrValue
from lite.ir.types import DType
from lite.model_parser.onnx.block_writer import BlockWriter
from lite.model_parser.onnx.integer_operand import IntegerOperand, integer_operand, integers_of
from lite.model_parser.onnx.node import OnnxNode
from lite.model_parser.onnx.sizes import Sizes
from lite.model_parser.onnx.translations import onnx_op

_REDUCTIONS = {
    "ReduceL1": ("abs", "reduce_sum", ""),
    "ReduceL2": ("square", "reduce_sum", "sqrt"),
    "ReduceLogSum": ("", "reduce_sum", "log"),
    "ReduceLogSumExp": ("", "logsumexp", ""),
    "ReduceMax": ("", "reduce_max", ""),
    "ReduceMean": ("", "reduce_mean", ""),
    "ReduceMin": ("", "reduce_min", ""),
    "ReduceProd": ("", "reduce_prod", ""),
    "ReduceSum": ("", "reduce_sum", ""),
    "ReduceSumSquare": ("square", "reduce_sum", ""),
}
"""ONNX op → op on each element, reduction, op on each result."""

_CUMULATIVE: dict[str, tuple[str, str, dict[str, AttrValue]]] = {
    "CumProd": ("cumprod", "dim", {}),
    "CumSum": ("cumsum", "axis", {"keep_single": False}),
}
"""ONNX op → op, its attribute for the axis, and attributes that give it ONNX's meaning."""


@onnx_op(*_REDUCTIONS)
def reduce(node: OnnxNode, writer: BlockWriter) -> None:
    """A reduction over the axes in an attribute or input, with an op before and after it.

    Without axes it spans all, or none with noop_with_empty_axes.
    """
    before, op, after = _REDUCTIONS[node.op]
    source = node.input(0)
    axes = integer_operand(node, writer, "axes", 1) or IntegerOperand([], count=0)
    noop = bool(node.integer("noop_with_empty_axes", 0))
    if noop and axes.values is None and axes.count is None:
        _reduce_axes_or_none(node, writer, axes.name)
        return
    is_reduced = not (noop and axes.values == [])
    steps = [step for step in (before, op if is_reduced else "", after) if step]
    if not steps:
        writer.unary("assign", source, out=node.output())
    for n, step in enumerate(steps, 1):
        out = node.output() if n == len(steps) else writer.new_name(source)
        if step == op and is_reduced:
            attrs = {"keep_dim": bool(node.integer("keepdims", 1)), **axes.attr("dim")}
            if axes.values == []:
                attrs |= {"reduce_all": True}
            writer.emit(op, {"X": source, **axes.slot("AxisTensor")}, {"Out": out}, attrs)
        else:
            writer.unary(step, source, out=out)
        source = out


def _reduce_axes_or_none(node: OnnxNode, writer: BlockWriter, axes: str) -> None:
    """A reduction over computed axes, none where there are none.

    The tensor gets a first axis of size 1, which is reduced, too: an op without axes would reduce all.
    """
    before, op, after = _REDUCTIONS[node.op]
    source, out = node.input(0), node.output()
    keeps = bool(node.integer("keepdims", 1))
    rank = Sizes(writer, writer.cast(writer.shape_of(writer.shape_of(source)), DType.INT64))
    counted = Sizes(writer, writer.binary("elementwise_mod", axes, rank.name)) + 1
    reduced_axes = Sizes.constant(writer, [0], axes).followed_by(counted).name
    source = writer.unary(before, source) if before else source
    source = writer.unary("unsqueeze2", source, {"axes": [0]})
    reduced = writer.new_name(out)
    inputs = {"X": source, "AxisTensor": reduced_axes}
    writer.emit(op, inputs, {"Out": reduced}, {"keep_dim": keeps})
    if keeps:
        reduced = writer.unary("squeeze2", reduced, {"axes": [0]})
    writer.unary(after or "assign", reduced, out=out)


@onnx_op(*_CUMULATIVE)
def cumulative(node: OnnxNode, writer: BlockWriter) -> None:
    """`cumsum` or `cumprod`; the axis is an input."""
    op, name, attrs = _CUMULATIVE[node.op]
    attrs = {**attrs, **{key: bool(node.integer(key, 0)) for key in ("exclusive", "reverse")}}
    axis = integers_of(writer, node.input(1))
    if axis.values is not None:
        attrs[name] = axis.values[0]
    writer.emit(op, {"X": node.input(0), **axis.slot("AxisTensor")}, {"Out": node.output()}, attrs)


@onnx_op("NegativeLogLikelihoodLoss")
def negative_log_likelihood_loss(node: OnnxNode, writer: BlockWriter) -> None:
    """`nll_loss`."""
    _nll_loss(node, writer, node.input(0))


@onnx_op("SoftmaxCrossEntropyLoss")
def softmax_cross_entropy_loss(node: OnnxNode, writer: BlockWriter) -> None:
    """`log_softmax` over the classes, then `nll_loss`."""
    attrs: dict[str, AttrValue] = {"axis": 1}
    _nll_loss(node, writer, writer.unary("log_softmax", node.input(0), attrs, node.optional_output(1)))


def _nll_loss(node: OnnxNode, writer: BlockWriter, log_probabilities: str) -> None:
    attrs: dict[str, AttrValue] = {"reduction": node.string("reduction", "mean")}
    if node.has("ignore_index"):
        attrs["ignore_index"] = node.integer("ignore_index", 0)
    writer.emit(
        "nll_loss",
        {"X": log_probabilities, "Label": node.input(1), "Weight": node.optional(2)},
        {"Out": node.output()},
        attrs,
    )
