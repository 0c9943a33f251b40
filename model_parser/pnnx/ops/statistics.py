"""Variances and standard deviations."""

from __future__ import annotations

from lite.model_parser.pnnx.call import Call
from lite.model_parser.pnnx.reductions import reduction_attrs
from lite.model_parser.pnnx.translations import pnnx_op
from lite.model_parser.pnnx.value import Results, Value, Var


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
