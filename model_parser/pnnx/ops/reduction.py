"""Reductions, and what orders elements."""

from __future__ import annotations

from lite.ir.program import AttrValue
from lite.ir.types import DType
from lite.model_parser.pnnx import arithmetic
from lite.model_parser.pnnx.call import Call
from lite.model_parser.pnnx.registry import pnnx_op
from lite.model_parser.pnnx.value import Results, Value, Var

_PLAIN = {
    "torch.all": "reduce_all",
    "torch.amax": "reduce_max",
    "torch.amin": "reduce_min",
    "torch.any": "reduce_any",
    "torch.mean": "reduce_mean",
    "torch.prod": "reduce_prod",
    "torch.sum": "reduce_sum",
}

_WITH_INDEX = {"torch.max": ("reduce_max", "arg_max"), "torch.min": ("reduce_min", "arg_min")}


def _over(call: Call) -> dict[str, AttrValue]:
    """Attributes of a reduction; of all axes without ``dim``."""
    if not call.has("dim"):
        return {"dim": [0], "reduce_all": True, "keep_dim": call.flag("keepdim", False)}
    return {"dim": list(call.axes("dim", call.x)), "keep_dim": call.flag("keepdim", False)}


@pnnx_op(*_PLAIN)
def plain(call: Call) -> Value:
    """The op of another name; sums of whole numbers are int64, as in torch."""
    writer, x = call.writer, call.x
    if call.type in ("torch.sum", "torch.prod", "torch.mean") and call.has("dtype"):
        x = writer.cast(x, call.dtype("dtype", writer.dtype(x)))
    elif call.type in ("torch.sum", "torch.prod") and not writer.dtype(x).is_float:
        x = writer.cast(x, DType.INT64)
    elif call.type in ("torch.all", "torch.any"):
        x = writer.cast(x, DType.BOOL)
    return writer.unary(_PLAIN[call.type], x, _over(call))


@pnnx_op(*_WITH_INDEX)
def with_index(call: Call) -> Value | Results:
    """An extreme and where it is; of two tensors where there are two."""
    writer = call.writer
    if len(call.inputs) == 2:
        return arithmetic.binary(writer, call.type.removeprefix("torch."), call.tensor(0), call.tensor(1))
    extreme, position = _WITH_INDEX[call.type]
    values: list[Value] = [writer.unary(extreme, call.x, _over(call))]
    if len(call.operator.outputs) > 1:
        attrs: dict[str, AttrValue] = {
            "axis": call.axis("dim", call.x),
            "keepdims": call.flag("keepdim", False),
        }
        values.append(writer.unary(position, call.x, attrs))
    return Results(values)


@pnnx_op("torch.argmax", "torch.argmin")
def position(call: Call) -> Value:
    """arg_max or arg_min, of all elements without ``dim``."""
    attrs: dict[str, AttrValue] = {"keepdims": call.flag("keepdim", False)}
    attrs |= {"axis": call.axis("dim", call.x)} if call.has("dim") else {"flatten": True}
    return call.writer.unary(call.type.replace("torch.arg", "arg_"), call.x, attrs)


@pnnx_op("torch.norm")
def norm(call: Call) -> Value:
    """p_norm along one axis or of all elements; of several axes by powers and roots."""
    writer, order = call.writer, call.arg("p", 2)
    if not isinstance(order, int | float):
        raise call.error(f"parameter p: expected a number, got {order!r}")
    attrs: dict[str, AttrValue] = {"porder": float(order), "keepdim": call.flag("keepdim", False)}
    if not call.has("dim"):
        return writer.unary("p_norm", call.x, {**attrs, "asvector": True})
    axes = call.axes("dim", call.x)
    if len(axes) == 1:
        return writer.unary("p_norm", call.x, {**attrs, "axis": axes[0]})
    if order != 2:
        raise call.error(f"parameter p: expected 2 over several axes, got {order}")
    return writer.unary("sqrt", writer.unary("reduce_sum", writer.unary("square", call.x), _over(call)))


@pnnx_op("torch.var", "torch.std")
def variance(call: Call) -> Value:
    """The mean of the squared distances from the mean, divided by one less where unbiased."""
    writer = call.writer
    over = _over(call)
    mean = writer.unary("reduce_mean", call.x, {**over, "keep_dim": True})
    squares = writer.unary("square", writer.binary("elementwise_sub", call.x, mean))
    total = writer.unary("reduce_sum", squares, over)
    ones = writer.unary("fill_any_like", call.x, {"value": 1.0, "dtype": -1})
    count = writer.unary("reduce_sum", ones, over)
    correction = call.real("correction", 1.0 if call.flag("unbiased", True) else 0.0)
    divisor = writer.unary("scale", count, {"bias": -correction}) if correction else count
    result = writer.binary("elementwise_div", total, divisor)
    return writer.unary("sqrt", result) if call.type == "torch.std" else result


@pnnx_op("torch.logsumexp")
def logsumexp(call: Call) -> Value:
    """The maximum + log of the sum of exp of what lies below it, which does not overflow."""
    writer = call.writer
    over = _over(call)
    highest = writer.unary("reduce_max", call.x, {**over, "keep_dim": True})
    below = writer.unary("exp", writer.binary("elementwise_sub", call.x, highest))
    rest = writer.unary("log", writer.unary("reduce_sum", below, over))
    top = writer.unary("reduce_max", call.x, over)
    return writer.binary("elementwise_add", rest, top)


@pnnx_op("torch.cumsum")
def cumsum(call: Call) -> Value:
    """cumsum; of whole numbers in int64, as in torch."""
    x: Var = call.x if call.writer.dtype(call.x).is_float else call.writer.cast(call.x, DType.INT64)
    return call.writer.unary("cumsum", x, {"axis": call.axis("dim", x)})


@pnnx_op("torch.topk")
def topk(call: Call) -> Results:
    """top_k_v2: values and indices."""
    attrs: dict[str, AttrValue] = {
        "k": call.integer("k"),
        "axis": call.axis("dim", call.x, -1),
        "largest": call.flag("largest", True),
        "sorted": call.flag("sorted", True),
    }
    return Results(call.writer.emit("top_k_v2", {"X": call.x}, attrs, {"Out": 1, "Indices": 1}))
