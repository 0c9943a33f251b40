"""Losses of two tensors."""

from __future__ import annotations

from lite.model_parser.pnnx import arithmetic
from lite.model_parser.pnnx.call import Call
from lite.model_parser.pnnx.expression import lower, parse
from lite.model_parser.pnnx.translations import pnnx_op
from lite.model_parser.pnnx.value import Value

_LOSSES = {"F.mse_loss": "square(sub(@0,@1))", "F.l1_loss": "abs(sub(@0,@1))"}

_REDUCTIONS = (None, "reduce_mean", "reduce_sum")
"""torch's number of a reduction → op."""


@pnnx_op(*_LOSSES)
def loss(call: Call) -> Value:
    """The loss of each element, or their mean or sum."""
    return _reduced(call, lower(parse(_LOSSES[call.type]), call.inputs[:2], call.writer))


@pnnx_op("F.smooth_l1_loss", "F.huber_loss")
def smooth_loss(call: Call) -> Value:
    """Half of the square up to a limit, and a line above; for smooth_l1, divided by the limit."""
    is_huber = call.type == "F.huber_loss"
    limit = call.real("delta" if is_huber else "beta", 1.0)
    if limit <= 0:
        raise call.error(f"expected a limit above 0, got {limit}")
    size = lower(parse("abs(sub(@0,@1))"), call.inputs[:2], call.writer)
    # With m = min(size, limit): m²/2 + limit·(size - m).
    text = f"add(mul(square(minimum(@0,{limit!r})),0.5),mul(sub(@0,minimum(@0,{limit!r})),{limit!r}))"
    value = lower(parse(text), [size], call.writer)
    return _reduced(call, value if is_huber else arithmetic.binary(call.writer, "div", value, limit))


def _reduced(call: Call, value: Value) -> Value:
    number = call.integer("reduction", 1)
    if not 0 <= number < len(_REDUCTIONS):
        raise call.error(f"reduction: expected 0 to 2, got {number}")
    op, var = _REDUCTIONS[number], arithmetic.as_var(call.writer, arithmetic.as_term(value))
    return var if op is None else call.writer.unary(op, var, {"dim": [0], "reduce_all": True})
