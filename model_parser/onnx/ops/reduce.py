"""ONNX reductions."""

from __future__ import annotations

from lite.model_parser.onnx.block_writer import BlockWriter
from lite.model_parser.onnx.node import OnnxNode
from lite.model_parser.onnx.registry import onnx_op
from lite.model_parser.onnx.whole_numbers import WholeNumbers, whole_numbers

_TABLE = {
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
"""ONNX op → what is done to each element before, the reduction, what is done to each result."""


@onnx_op(*_TABLE)
def reduction(node: OnnxNode, writer: BlockWriter) -> None:
    """Axes are an attribute or an input; without any, all axes, or none with noop_with_empty_axes."""
    before, op, behind = _TABLE[node.op]
    source = node.input(0)
    axes = whole_numbers(node, writer, "axes", 1) or WholeNumbers([], count=0)
    no_axes_is_none = bool(node.integer("noop_with_empty_axes", 0))
    if no_axes_is_none and axes.known is None and axes.count is None:
        raise node.error("axes: with noop_with_empty_axes, expected a constant or a known number of axes")
    reduced = not (no_axes_is_none and axes.known == [])
    steps = [step for step, wanted in ((before, before), (op, reduced), (behind, behind)) if wanted]
    if not reduced and op == "logsumexp":
        # Of one element alone, log(sum(exp(x))) is x.
        steps = []
    if not steps:
        writer.unary("assign", source, out=node.output())
    for n, step in enumerate(steps, 1):
        out = node.output() if n == len(steps) else writer.new(source)
        if step == op and reduced:
            attrs = {"keep_dim": bool(node.integer("keepdims", 1)), **axes.attr("dim")}
            if axes.known == []:
                attrs |= {"reduce_all": True}
            writer.emit(op, {"X": source, **axes.slot("AxisTensor")}, {"Out": out}, attrs)
        else:
            writer.unary(step, source, out=out)
        source = out


_SEARCHES = {"ArgMax": "arg_max", "ArgMin": "arg_min"}


@onnx_op(*_SEARCHES)
def search(node: OnnxNode, writer: BlockWriter) -> None:
    """The position of the extreme element along an axis."""
    attrs = {
        "axis": node.integer("axis", 0),
        "keepdims": bool(node.integer("keepdims", 1)),
        "select_last_index": bool(node.integer("select_last_index", 0)),
    }
    writer.unary(_SEARCHES[node.op], node.input(0), attrs, node.output())
