"""Tensors with a part replaced: copies to slices, and fills."""

from __future__ import annotations

from lite.ir.program import AttrValue
from lite.model_parser.pnnx import arithmetic
from lite.model_parser.pnnx.call import Call
from lite.model_parser.pnnx.ranges import end_of_one, ranges_of
from lite.model_parser.pnnx.translations import pnnx_op
from lite.model_parser.pnnx.value import Value, Var
from lite.model_parser.pnnx.writer import Names


@pnnx_op("Tensor.slice_copy", "torch.slice_scatter")
def slice_copy(call: Call) -> Value:
    """`set_value`: the first input with a slice replaced by the second, which broadcasts to it."""
    ranges, writer = ranges_of(call), call.writer
    attrs: dict[str, AttrValue] = {"axes": ranges.axes, "decrease_axes": ranges.selected}
    inputs: dict[str, Names] = {"Input": call.x, "ValueTensor": _as_type_of(call, call.tensor(1))}
    for attr, column in (("starts", ranges.starts), ("ends", ranges.ends), ("steps", ranges.steps)):
        constant, computed = writer.integers(attr, f"{attr.title()}TensorList", column)
        attrs |= constant
        inputs |= computed
    return writer.emit_one("set_value", inputs, attrs)


@pnnx_op("aten::select_scatter", "torch.select_scatter")
def select_scatter(call: Call) -> Value:
    """`set_value` of one element of an axis; the inputs are the tensor, the value, the axis and the index."""
    named = call.as_type("torch.select_scatter", ("input", "src", "dim", "index"), {})
    axis, index = named.axis("dim", call.x), named.sizes("index")[0]
    starts, first = call.writer.integers("starts", "StartsTensorList", [index])
    ends, last = call.writer.integers("ends", "EndsTensorList", [end_of_one(call, index)])
    attrs: dict[str, AttrValue] = {"axes": [axis], "decrease_axes": [axis], "steps": [1], **starts, **ends}
    inputs = {"Input": call.x, "ValueTensor": _as_type_of(call, call.tensor(1)), **first, **last}
    return call.writer.emit_one("set_value", inputs, attrs)


@pnnx_op("Tensor.copy", "aten::copy")
def copy(call: Call) -> Value:
    """The second input in the shape and type of the first.

    Raises `ModelParseError` where the first is a part of a tensor that the result is declared to be: pnnx
    replaces such copies at optlevel 2.
    """
    declared, shape = call.operator.types.get(call.operator.outputs[0]), call.writer.shape(call.x)
    if declared is not None and (
        len(declared.shape) != len(shape)
        or any(
            isinstance(size, int) and isinstance(other, int) and size != other
            for size, other in zip(declared.shape, shape, strict=True)
        )
    ):
        raise call.error("a copy to a part of a tensor is not supported; convert with optlevel=2")
    value = _as_type_of(call, call.tensor(1))
    return call.writer.emit_one("expand_as_v2", {"X": value, "Y": call.x})


@pnnx_op("Tensor.fill", "aten::fill")
def fill(call: Call) -> Value:
    """A tensor shaped like the input, of one value, which may be a tensor."""
    value = call.inputs[1] if len(call.inputs) > 1 else call.arg("value")
    if isinstance(value, bool | int | float):
        return call.writer.unary("fill_any_like", call.x, {"value": float(value), "dtype": -1})
    filled = _as_type_of(call, arithmetic.as_var(call.writer, arithmetic.as_term(value)))
    return call.writer.emit_one("expand_as_v2", {"X": filled, "Y": call.x})


@pnnx_op("aten::zero", "Tensor.zero")
def zero(call: Call) -> Value:
    """Zeros shaped like the input."""
    return call.writer.unary("fill_any_like", call.x, {"value": 0.0, "dtype": -1})


def _as_type_of(call: Call, value: Var) -> Var:
    return call.writer.cast(value, call.writer.dtype(call.x))
