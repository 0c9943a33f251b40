"""Poolings of windows: maxima, averages and p-norms."""

from __future__ import annotations

from lite.model_parser.pnnx import arithmetic
from lite.model_parser.pnnx.call import Call
from lite.model_parser.pnnx.images import batched
from lite.model_parser.pnnx.pools import axes_of, maxima_and_indices, pool, window_size
from lite.model_parser.pnnx.translations import pnnx_op
from lite.model_parser.pnnx.value import Results, Value, Var


@pnnx_op("nn.MaxPool1d", "nn.MaxPool2d", "nn.MaxPool3d", "F.max_pool1d", "F.max_pool2d", "F.max_pool3d")
@batched
def max_pool(call: Call) -> Value | Results:
    """`pool2d` or `pool_nd`, and with ``return_indices`` the positions of the maxima."""
    x = call.image(axes_of(call))
    if call.flag("return_indices", False):
        return Results(maxima_and_indices(call, x))
    return pool(call, x, {"pooling_type": "max"})


@pnnx_op("nn.AvgPool1d", "nn.AvgPool2d", "nn.AvgPool3d", "F.avg_pool1d", "F.avg_pool2d", "F.avg_pool3d")
@batched
def average_pool(call: Call) -> Value:
    """`pool2d` or `pool_nd`; ``divisor_override`` becomes a factor."""
    x = call.image(axes_of(call))
    if not call.has("divisor_override"):
        exclusive = not call.flag("count_include_pad", True)
        return pool(call, x, {"pooling_type": "avg", "exclusive": exclusive})
    divisor = call.integer("divisor_override")
    if call.flag("ceil_mode", False) or divisor == 0:
        raise call.error(f"divisor_override={divisor} with ceil_mode or of 0 is not supported")
    pooled = pool(call, x, {"pooling_type": "avg", "exclusive": False})
    return call.writer.unary("scale", pooled, {"scale": window_size(call) / divisor})


@pnnx_op("nn.LPPool1d", "nn.LPPool2d", "nn.LPPool3d", "F.lp_pool1d", "F.lp_pool2d", "F.lp_pool3d")
@batched
def lp_pool(call: Call) -> Value:
    """The average of powers times the size of the window, to the power of 1 / ``norm_type``.

    As in torch the powers keep their signs, and the result is NaN where their average is below 0.
    """
    writer, order = call.writer, call.real("norm_type")
    if order == 0:
        raise call.error("parameter norm_type: expected a number that is not 0, got 0")
    powers = arithmetic.binary(writer, "pow", call.image(axes_of(call)), order)
    average: Var = pool(call, arithmetic.as_var(writer, powers), {"pooling_type": "avg", "exclusive": False})
    total = writer.unary("scale", average, {"scale": float(window_size(call))})
    return arithmetic.binary(writer, "pow", total, 1 / order)
