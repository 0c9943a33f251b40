"""Comparisons, limits, choices by condition, indices into weights, and constants."""

from __future__ import annotations

from lite.ir.program import AttrValue
from lite.ir.types import DType
from lite.model_parser.pnnx import arithmetic
from lite.model_parser.pnnx.call import Call
from lite.model_parser.pnnx.promotion import common_dtype
from lite.model_parser.pnnx.registry import pnnx_op
from lite.model_parser.pnnx.value import Value

_COMPARISONS = {
    "torch.eq": "equal",
    "torch.ge": "greater_equal",
    "torch.gt": "greater_than",
    "torch.le": "less_equal",
    "torch.lt": "less_than",
    "torch.ne": "not_equal",
}


@pnnx_op(*_COMPARISONS)
def compare(call: Call) -> Value:
    """A comparison with a tensor or a number."""
    first = arithmetic.as_term(call.value(0))
    second = arithmetic.as_term(call.inputs[1] if len(call.inputs) > 1 else call.arg("other"))
    dtype = common_dtype(call.writer, [first, second])
    x, y = (arithmetic.as_var(call.writer, term, dtype) for term in (first, second))
    return call.writer.binary(_COMPARISONS[call.type], x, y)


@pnnx_op("torch.logical_not")
def logical_not(call: Call) -> Value:
    """logical_not."""
    return call.writer.unary("logical_not", call.writer.cast(call.x, DType.BOOL))


@pnnx_op("torch.where")
def where(call: Call) -> Value:
    """where, with a common type of both sides."""
    first, second = arithmetic.as_term(call.arg("input")), arithmetic.as_term(call.arg("other"))
    dtype = common_dtype(call.writer, [first, second])
    x, y = (arithmetic.as_var(call.writer, term, dtype) for term in (first, second))
    return call.writer.one("where", {"Condition": call.tensor("condition"), "X": x, "Y": y})


@pnnx_op("Tensor.masked_fill", "torch.masked_fill")
def masked_fill(call: Call) -> Value:
    """A value where the mask holds, else the input."""
    value = arithmetic.as_var(call.writer, arithmetic.as_term(call.arg("value")), call.writer.dtype(call.x))
    return call.writer.one("where", {"Condition": call.tensor("mask"), "X": value, "Y": call.x})


@pnnx_op("torch.clamp", "torch.clip", "torch.clamp_min", "torch.clamp_max")
def clamp(call: Call) -> Value:
    """The larger of the input and a lower limit, then the smaller of that and an upper one."""
    result: Value = call.x
    for name, function in (("min", "maximum"), ("max", "minimum")):
        if call.has(name):
            result = arithmetic.binary(call.writer, function, result, call.arg(name))
    return result


@pnnx_op("nn.Embedding", "F.embedding")
def embedding(call: Call) -> Value:
    """lookup_table_v2."""
    weight = call.weight("weight") if call.type == "nn.Embedding" else call.tensor("weight")
    return call.writer.one("lookup_table_v2", {"W": weight, "Ids": call.x})


@pnnx_op("torch.zeros", "torch.ones", "torch.full", "torch.new_zeros", "torch.new_ones")
def filled(call: Call) -> Value:
    """fill_constant; the sizes may be operands."""
    value = call.real("fill_value") if call.type == "torch.full" else float(call.type.endswith("ones"))
    like = call.type.startswith("torch.new")
    attrs, inputs = call.writer.integers("shape", "ShapeTensorList", call.sizes("size"))
    default = call.writer.dtype(call.x) if like else DType.FLOAT32
    attrs |= {"dtype": call.dtype("dtype", default).code, "value": value}
    return call.writer.one("fill_constant", inputs, attrs)


@pnnx_op("torch.zeros_like", "torch.ones_like", "torch.full_like")
def filled_like(call: Call) -> Value:
    """fill_any_like."""
    value = call.real("fill_value") if call.type == "torch.full_like" else float("ones" in call.type)
    dtype = call.dtype("dtype", call.writer.dtype(call.x))
    attrs: dict[str, AttrValue] = {"value": value, "dtype": dtype.code}
    return call.writer.unary("fill_any_like", call.x, attrs)
