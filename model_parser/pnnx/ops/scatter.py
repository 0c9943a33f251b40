"""Elements written or combined along an axis, by index."""

from __future__ import annotations

from lite.ir.program import AttrValue
from lite.model_parser.pnnx import arithmetic
from lite.model_parser.pnnx.call import Call
from lite.model_parser.pnnx.translations import pnnx_op
from lite.model_parser.pnnx.value import Value, Var

_REDUCTIONS = {"sum": "add", "add": "add", "prod": "mul", "multiply": "mul", "amax": "amax", "amin": "amin"}
"""torch's reduction → that of `put_along_axis`."""


@pnnx_op("torch.scatter_add", "torch.scatter", "torch.scatter_reduce")
def scatter(call: Call) -> Value:
    """`put_along_axis`; only as much of the source is read as there are indices."""
    writer, index = call.writer, call.tensor("index")
    axis = call.axis("dim", call.x)
    reduction = "sum" if call.type == "torch.scatter_add" else call.arg("reduce")
    if reduction is not None and reduction not in _REDUCTIONS:
        raise call.error(f"reduce: expected one of {', '.join(_REDUCTIONS)}, got {reduction!r}")
    if not call.flag("include_self", True):
        raise call.error("include_self=False is not supported")
    if not writer.rank(call.x):
        raise call.error("expected a tensor with dimensions")
    attrs: dict[str, AttrValue] = {
        "Axis": axis,
        "Reduce": "assign" if reduction is None else _REDUCTIONS[str(reduction)],
    }
    inputs = {"Input": call.x, "Index": index, "Value": _values(call, index)}
    return writer.emit_one("put_along_axis", inputs, attrs)


def _values(call: Call, index: Var) -> Var:
    writer = call.writer
    given = call.arg("src")
    value = arithmetic.as_var(writer, arithmetic.as_term(given), writer.dtype(call.x))
    if writer.shape(value) in ((), writer.shape(index)):
        return value
    sizes = [writer.size(index, axis) for axis in range(writer.rank(index))]
    axes = [*range(len(sizes))]
    attrs, inputs = writer.integers("ends", "EndsTensorList", sizes)
    attrs |= {"axes": axes, **({"starts": [0] * len(axes)})}
    return writer.emit_one("slice", {"Input": value, **inputs}, attrs)


@pnnx_op("torch.index_add", "torch.index_copy", "torch.index_fill")
def by_slices(call: Call) -> Value:
    """`put_along_axis` of whole slices: the index is repeated along the other axes."""
    writer, x = call.writer, call.x
    axis, index = call.axis("dim", x), call.tensor("index")
    source = arithmetic.as_term(call.arg("src"))
    alpha = call.number("alpha", 1)
    if alpha != 1:
        source = arithmetic.binary(writer, "mul", source, alpha)
    sizes: list[Value] = [writer.size(x, n) for n in range(writer.rank(x))]
    sizes[axis] = writer.size(writer.reshape(index, [-1]), 0)
    column = writer.reshape(index, [-1 if n == axis else 1 for n in range(len(sizes))])
    shape, inputs = writer.integers("shape", "expand_shapes_tensor", sizes)
    repeated = writer.emit_one("expand_v2", {"X": column, **inputs}, shape)
    attrs: dict[str, AttrValue] = {
        "Axis": axis,
        "Reduce": "add" if call.type == "torch.index_add" else "assign",
    }
    value = arithmetic.as_var(writer, source, writer.dtype(x))
    return writer.emit_one("put_along_axis", {"Input": x, "Index": repeated, "Value": value}, attrs)


@pnnx_op("torch.take_along_dim")
def take_along(call: Call) -> Value:
    """`take_along_axis` of tensors of equal sizes along the other axes."""
    inputs = {"Input": call.x, "Index": call.tensor("index")}
    return call.writer.emit_one("take_along_axis", inputs, {"Axis": call.axis("dim", call.x)})
