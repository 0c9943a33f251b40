"""Constants, and weights as operands."""

from __future__ import annotations

from lite.ir.program import AttrValue
from lite.ir.types import DType
from lite.model_parser.pnnx.call import Call
from lite.model_parser.pnnx.translations import pnnx_op
from lite.model_parser.pnnx.value import Complex, Value

_NEW = ("torch.new_zeros", "torch.new_ones", "Tensor.new_zeros", "Tensor.new_ones", "Tensor.new_full")


@pnnx_op("torch.zeros", "torch.ones", "torch.full", *_NEW)
def filled(call: Call) -> Value:
    """`fill_constant`; the sizes may be operands."""
    value = call.real("fill_value") if call.type.endswith("full") else float(call.type.endswith("ones"))
    has_input = call.type in _NEW
    attrs, inputs = call.writer.integers("shape", "ShapeTensorList", call.sizes("size"))
    default = call.writer.dtype(call.x) if has_input else DType.FLOAT32
    attrs |= {"dtype": call.dtype("dtype", default).code, "value": value}
    return call.writer.emit_one("fill_constant", inputs, attrs)


@pnnx_op("torch.zeros_like", "torch.ones_like", "torch.full_like")
def filled_like(call: Call) -> Value:
    """`fill_any_like`."""
    value = call.real("fill_value") if call.type == "torch.full_like" else float("ones" in call.type)
    dtype = call.dtype("dtype", call.writer.dtype(call.x))
    attrs: dict[str, AttrValue] = {"value": value, "dtype": dtype.code}
    return call.writer.unary("fill_any_like", call.x, attrs)


@pnnx_op("pnnx.Attribute")
def attribute(call: Call) -> Value:
    """A parameter of the program."""
    if len(call.operator.weights) != 1:
        raise call.error(f"expected one weight, got {list(call.operator.weights) or 'none'}")
    name = next(iter(call.operator.weights))
    return Complex(call.weight(name)) if call.operator.is_complex(name) else call.weight(name)
