"""Reductions and running sums."""

from __future__ import annotations

from lite.errors import ModelParseError
from lite.ir.program import AttrValue
from lite.model_parser.paddle.pir.block_writer import BlockWriter
from lite.model_parser.paddle.pir.node import PirNode
from lite.model_parser.paddle.pir.shape_operand import ShapeOperands
from lite.model_parser.paddle.pir.translations import pir_op, pir_ops
from lite.model_parser.paddle.pir.types import PirType

_BY_OPERAND = {
    "amax": "reduce_max",
    "amin": "reduce_min",
    "max": "reduce_max",
    "mean": "reduce_mean",
    "min": "reduce_min",
    "prod": "reduce_prod",
    "sum": "reduce_sum",
}
"""PIR op → op; the axes are an operand, or an attribute in some versions of Paddle."""

_BY_ATTRIBUTE = {"all": "reduce_all", "any": "reduce_any", "logsumexp": "logsumexp"}
"""PIR op → op; the axes are an attribute."""

pir_ops(
    {
        "cumprod": "cumprod X -> Out | dim exclusive reverse",
        "mean_all": "mean X -> Out",
        "p_norm": "p_norm X -> Out | porder axis epsilon keepdim asvector",
    }
)


@pir_op(*_BY_OPERAND, *_BY_ATTRIBUTE)
def reduce(node: PirNode, writer: BlockWriter) -> None:
    """A reduction over the axes, all of them for an empty list, in the element type of the result."""
    op = _BY_OPERAND.get(node.op) or _BY_ATTRIBUTE[node.op]
    source, output = node.input(0), node.output()
    operands = ShapeOperands(writer)
    operands.add(node.optional(1), "dim", "AxisTensor")
    attrs: dict[str, AttrValue] = {"keep_dim": node.boolean("keepdim", False), **operands.attrs}
    if node.has("axis"):
        attrs["dim"] = node.integers("axis")
    if not operands.inputs and (node.boolean("reduce_all", False) or not attrs.get("dim")):
        attrs |= {"reduce_all": True, "dim": []}
    dtype = output.type.dtype
    if op in ("reduce_sum", "reduce_prod") and dtype is not None and source.type.dtype is not dtype:
        cast = writer.new(source, PirType("cast", dtype, source.shape))
        writer.emit("cast", {"X": source}, {"Out": cast}, {"out_dtype": dtype.code})
        source = cast
    writer.emit(op, {"X": source, **operands.inputs}, {"Out": output}, attrs)


@pir_op("argmax", "argmin")
def arg(node: PirNode, writer: BlockWriter) -> None:
    """`arg_max` or `arg_min` along a constant axis."""
    axes = node.input(1).integers()
    if axes is None or len(axes) != 1:
        raise ModelParseError("operand 'axis': expected one constant; export the axis as a number")
    dtype = node.dtype()
    attrs: dict[str, AttrValue] = {
        "axis": axes[0],
        "keepdims": node.boolean("keepdims", False),
        "flatten": node.boolean("flatten", False),
        "dtype": -1 if dtype is None else dtype.code,
    }
    writer.emit(f"arg_{node.op[3:]}", {"X": node.input(0)}, {"Out": node.output()}, attrs)


@pir_op("cumsum")
def cumsum(node: PirNode, writer: BlockWriter) -> None:
    """`cumsum`."""
    attrs: dict[str, AttrValue] = {
        name: node.boolean(name, False) for name in ("flatten", "exclusive", "reverse")
    }
    operands = ShapeOperands(writer)
    operands.add(node.input(1), "axis", "AxisTensor")
    axis = operands.attrs.get("axis")
    if isinstance(axis, list):
        if len(axis) != 1:
            raise ModelParseError(f"operand 'axis': expected one axis, got {axis}")
        attrs["axis"] = axis[0]
    writer.emit("cumsum", {"X": node.input(0), **operands.inputs}, {"Out": node.output()}, attrs)
