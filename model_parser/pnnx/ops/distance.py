"""Distances and similarities."""

from __future__ import annotations

import math

from lite.ir.program import AttrValue
from lite.model_parser.pnnx import arithmetic
from lite.model_parser.pnnx.call import Call
from lite.model_parser.pnnx.translations import pnnx_op
from lite.model_parser.pnnx.value import Value, Var


@pnnx_op("F.cosine_similarity", "nn.CosineSimilarity")
def cosine_similarity(call: Call) -> Value:
    """The sum of products, divided by the product of the norms, which are at least eps."""
    writer = call.writer
    x, y = call.tensor(0), call.tensor(1)
    dot = writer.binary("elementwise_mul", x, y)
    axis = call.integer("dim", 1)
    total = writer.unary("reduce_sum", dot, {"dim": [axis]})
    norms = [
        arithmetic.binary(
            writer, "maximum", _norm(call, part, 2.0, [axis], keepdim=False), call.real("eps", 1e-8)
        )
        for part in (x, y)
    ]
    return arithmetic.binary(writer, "div", total, arithmetic.binary(writer, "mul", *norms))


@pnnx_op("F.pairwise_distance", "nn.PairwiseDistance")
def pairwise_distance(call: Call) -> Value:
    """The norm of the difference plus eps along the last axis."""
    writer = call.writer
    difference = arithmetic.binary(writer, "sub", call.tensor(0), call.tensor(1))
    moved = arithmetic.as_var(writer, arithmetic.binary(writer, "add", difference, call.real("eps", 1e-6)))
    return _norm(call, moved, call.real("p", 2.0), [-1], keepdim=call.flag("keepdim", False))


@pnnx_op("torch.cdist")
def cdist(call: Call) -> Value:
    """The distance of each row of the first input to each of the second."""
    writer = call.writer
    rows = writer.unary("unsqueeze2", call.tensor(0), {"axes": [-2]})
    columns = writer.unary("unsqueeze2", call.tensor(1), {"axes": [-3]})
    difference = writer.binary("elementwise_sub", rows, columns)
    return _norm(call, difference, call.real("p", 2.0), [-1], keepdim=False)


@pnnx_op("torch.dist")
def dist(call: Call) -> Value:
    """The norm of the difference of all elements."""
    difference = arithmetic.as_var(
        call.writer, arithmetic.binary(call.writer, "sub", call.tensor(0), call.tensor(1))
    )
    flat = call.writer.reshape(difference, [-1])
    return _norm(call, flat, call.real("p", 2.0), [0], keepdim=False)


@pnnx_op("torch.isclose")
def isclose(call: Call) -> Value:
    """Whether |x - y| is at most atol + rtol · |y|."""
    writer = call.writer
    x, y = call.tensor(0), call.tensor(1)
    distance = arithmetic.unary(writer, "abs", arithmetic.binary(writer, "sub", x, y))
    size = arithmetic.binary(writer, "mul", arithmetic.unary(writer, "abs", y), call.real("rtol", 1e-5))
    limit = arithmetic.binary(writer, "add", size, call.real("atol", 1e-8))
    near = writer.binary("less_equal", arithmetic.as_var(writer, distance), arithmetic.as_var(writer, limit))
    return writer.binary("logical_or", near, writer.binary("equal", x, y))


def _norm(call: Call, x: Var, order: float, axes: list[int], *, keepdim: bool) -> Var:
    writer = call.writer
    attrs: dict[str, AttrValue] = {"dim": axes, "keep_dim": keepdim}
    if math.isinf(order):
        return writer.unary("reduce_max" if order > 0 else "reduce_min", writer.unary("abs", x), attrs)
    if order == 2:
        return writer.unary("sqrt", writer.unary("reduce_sum", writer.unary("square", x), attrs))
    return writer.unary("p_norm", x, {"porder": order, "axis": axes[0], "keepdim": keepdim})
