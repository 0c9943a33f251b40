"""Reductions, variances, and cumulative sums."""

from __future__ import annotations

import math

from lite.ir.program import AttrValue
from lite.ir.types import DType
from lite.model_parser.pnnx import arithmetic
from lite.model_parser.pnnx.call import Call
from lite.model_parser.pnnx.reductions import reduction_attrs
from lite.model_parser.pnnx.translations import pnnx_op
from lite.model_parser.pnnx.value import Results, Value, Var

_REDUCTIONS = {
    "torch.all": "reduce_all",
    "torch.amax": "reduce_max",
    "torch.amin": "reduce_min",
    "torch.any": "reduce_any",
    "torch.mean": "reduce_mean",
    "torch.prod": "reduce_prod",
    "torch.sum": "reduce_sum",
}

_WITH_INDEX = {"torch.max": ("reduce_max", "arg_max"), "torch.min": ("reduce_min", "arg_min")}


@pnnx_op(*_REDUCTIONS)
def reduction(call: Call) -> Value:
    """The op of the table; sums and products of integers are int64, as in torch."""
    writer, x = call.writer, call.x
    if call.type in ("torch.sum", "torch.prod", "torch.mean") and call.has("dtype"):
        x = writer.cast(x, call.dtype("dtype", writer.dtype(x)))
    elif call.type in ("torch.sum", "torch.prod") and not writer.dtype(x).is_float:
        x = writer.cast(x, DType.INT64)
    elif call.type in ("torch.all", "torch.any"):
        x = writer.cast(x, DType.BOOL)
    elif call.type == "torch.mean":
        # pnnx leaves the type out.
        x = arithmetic.real(writer, x)
    return writer.unary(_REDUCTIONS[call.type], x, reduction_attrs(call))


@pnnx_op(*_WITH_INDEX)
def with_index(call: Call) -> Value | Results:
    """The extreme and its index, or the elementwise extreme of two tensors."""
    writer = call.writer
    if len(call.inputs) == 2 and not call.has("dim"):
        return arithmetic.binary(writer, call.type.removeprefix("torch."), call.tensor(0), call.tensor(1))
    extreme, index = _WITH_INDEX[call.type]
    values: list[Value] = [writer.unary(extreme, call.x, reduction_attrs(call))]
    if len(call.operator.outputs) > 1:
        attrs: dict[str, AttrValue] = {
            "axis": call.axis("dim", call.x),
            "keepdims": call.flag("keepdim", False),
        }
        values.append(writer.unary(index, call.x, attrs))
    return Results(values)


_ORDERS: dict[str | None, float] = {None: 2, "fro": 2, "inf": math.inf, "-inf": -math.inf}
"""The number of an order with a name; without an order it is 2."""


@pnnx_op("torch.norm", "torch.linalg_norm")
def norm(call: Call) -> Value:
    """`p_norm` along one axis or of all elements; over several axes, the root of the sum of squares."""
    writer, order = call.writer, call.arg("p")
    if order is None or isinstance(order, str):
        order = _ORDERS.get(order, order)
    if not isinstance(order, int | float):
        raise call.error(f"parameter p: expected a number, got {order!r}")
    x = arithmetic.real(writer, call.x)
    attrs: dict[str, AttrValue] = {"porder": float(order), "keepdim": call.flag("keepdim", False)}
    if not call.has("dim"):
        return writer.unary("p_norm", x, {**attrs, "asvector": True})
    axes = call.axes("dim", x)
    if len(axes) == 1:
        return writer.unary("p_norm", x, {**attrs, "axis": axes[0]})
    if order != 2:
        raise call.error(f"parameter p: expected 2 over several axes, got {order}")
    return writer.unary("sqrt", writer.unary("reduce_sum", writer.unary("square", x), reduction_attrs(call)))


@pnnx_op("torch.count_nonzero")
def count_nonzero(call: Call) -> Value:
    """The sum of truth values."""
    truth = call.writer.cast(call.writer.cast(call.x, DType.BOOL), DType.INT64)
    return call.writer.unary("reduce_sum", truth, reduction_attrs(call))


@pnnx_op("torch.aminmax")
def aminmax(call: Call) -> Results:
    """The least and the greatest element."""
    attrs = reduction_attrs(call)
    return Results([call.writer.unary(op, call.x, attrs) for op in ("reduce_min", "reduce_max")])


@pnnx_op("torch.nansum", "torch.nanmean")
def without_nan(call: Call) -> Value:
    """The sum or the mean of the elements that are numbers."""
    writer, attrs = call.writer, reduction_attrs(call)
    x = arithmetic.real(writer, call.x)
    is_nan = writer.unary("isnan_v2", x)
    zero = writer.literal(0.0, writer.dtype(x))
    total = writer.unary(
        "reduce_sum", writer.emit_one("where", {"Condition": is_nan, "X": zero, "Y": x}), attrs
    )
    if call.type == "torch.nansum":
        return total
    numbers = writer.cast(writer.unary("logical_not", is_nan), writer.dtype(x))
    return writer.binary("elementwise_div", total, writer.unary("reduce_sum", numbers, attrs))


@pnnx_op("torch.logsumexp")
def logsumexp(call: Call) -> Value:
    """``max + log(sum(exp(x - max)))``, which does not overflow."""
    writer = call.writer
    attrs = reduction_attrs(call)
    maximum = writer.unary("reduce_max", call.x, {**attrs, "keep_dim": True})
    powers = writer.unary("exp", writer.binary("elementwise_sub", call.x, maximum))
    logarithm = writer.unary("log", writer.unary("reduce_sum", powers, attrs))
    maximum = writer.unary("reduce_max", call.x, attrs)
    return writer.binary("elementwise_add", logarithm, maximum)


@pnnx_op("torch.cumsum")
def cumsum(call: Call) -> Value:
    """`cumsum`; integers are summed in int64, as in torch."""
    x: Var = call.x if call.writer.dtype(call.x).is_float else call.writer.cast(call.x, DType.INT64)
    return call.writer.unary("cumsum", x, {"axis": call.axis("dim", x)})


@pnnx_op("torch.cumprod")
def cumprod(call: Call) -> Value:
    """`cumprod`; integers are multiplied in int64, as in torch."""
    x: Var = call.x if call.writer.dtype(call.x).is_float else call.writer.cast(call.x, DType.INT64)
    return call.writer.unary("cumprod", x, {"dim": call.axis("dim", x)})


@pnnx_op("torch.var", "torch.std")
def variance(call: Call) -> Value:
    """The sum of squared deviations, divided by the count minus the correction; for std, its root."""
    return _spread(call)


@pnnx_op("torch.var_mean", "torch.std_mean")
def with_mean(call: Call) -> Results:
    """The variance, or its root, and the mean."""
    return Results([_spread(call), call.writer.unary("reduce_mean", call.x, reduction_attrs(call))])


def _spread(call: Call) -> Var:
    writer, attrs = call.writer, reduction_attrs(call)
    mean = writer.unary("reduce_mean", call.x, {**attrs, "keep_dim": True})
    squares = writer.unary("square", writer.binary("elementwise_sub", call.x, mean))
    total = writer.unary("reduce_sum", squares, attrs)
    ones = writer.unary("fill_any_like", call.x, {"value": 1.0, "dtype": -1})
    count = writer.unary("reduce_sum", ones, attrs)
    correction = _correction(call)
    divisor = writer.unary("scale", count, {"bias": -correction}) if correction else count
    result = writer.binary("elementwise_div", total, divisor)
    return writer.unary("sqrt", result) if "std" in call.type else result


def _correction(call: Call) -> float:
    """What is subtracted from the count: ``correction``, which pnnx also writes as ``unbiased``."""
    return call.real("correction" if call.has("correction") else "unbiased", 1.0)
