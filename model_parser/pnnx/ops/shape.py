"""Shapes and the order of axes."""

from __future__ import annotations

from lite.ir.program import AttrValue
from lite.model_parser.pnnx.call import Call
from lite.model_parser.pnnx.translations import pnnx_op
from lite.model_parser.pnnx.value import Value


@pnnx_op("Tensor.reshape", "Tensor.view", "torch.reshape")
def reshape(call: Call) -> Value:
    """`reshape2`; the sizes may be operands."""
    return call.writer.reshape(call.x, call.sizes("shape"))


@pnnx_op("Tensor.permute", "torch.permute")
def permute(call: Call) -> Value:
    """`transpose2`."""
    axes = call.axes("dims", call.x)
    if sorted(axes) != list(range(call.writer.rank(call.x))):
        raise call.error(f"parameter dims: expected every axis once, got {axes}")
    return call.writer.transpose(call.x, axes)


@pnnx_op("torch.transpose", "torch.t", "Tensor.t")
def transpose(call: Call) -> Value:
    """`transpose2` that exchanges two axes."""
    axes = list(range(call.writer.rank(call.x)))
    if not axes:
        return call.x
    first, second = call.axis("dim0", call.x, 0), call.axis("dim1", call.x, len(axes) - 1)
    axes[first], axes[second] = axes[second], axes[first]
    return call.writer.transpose(call.x, axes)


@pnnx_op("torch.flatten", "nn.Flatten")
def flatten(call: Call) -> Value:
    """`flatten_contiguous_range`."""
    start = 1 if call.type == "nn.Flatten" else 0
    attrs: dict[str, AttrValue] = {
        "start_axis": call.axis("start_dim", call.x, start),
        "stop_axis": call.axis("end_dim", call.x, -1),
    }
    return call.writer.unary("flatten_contiguous_range", call.x, attrs)


@pnnx_op("Tensor.reshape_as", "torch.reshape_as")
def reshape_as(call: Call) -> Value:
    """`reshape2` to the shape of another tensor."""
    other = call.tensor(1)
    sizes = [call.writer.size(other, axis) for axis in range(call.writer.rank(other))]
    return call.writer.reshape(call.x, sizes)


@pnnx_op("torch.unflatten", "Tensor.unflatten", "nn.Unflatten")
def unflatten(call: Call) -> Value:
    """`reshape2` of one axis to several."""
    axis = call.axis("dim", call.x)
    kept = [call.writer.size(call.x, n) for n in range(call.writer.rank(call.x))]
    sizes = call.sizes("sizes" if call.has("sizes") else "unflattened_size")
    return call.writer.reshape(call.x, [*kept[:axis], *sizes, *kept[axis + 1 :]])


@pnnx_op("torch.unsqueeze")
def unsqueeze(call: Call) -> Value:
    """`unsqueeze2`."""
    return call.writer.unary("unsqueeze2", call.x, {"axes": call.integers("dim")})


@pnnx_op("torch.squeeze")
def squeeze(call: Call) -> Value:
    """`squeeze2`, without ``dim`` of all axes of size 1."""
    axes = call.axes("dim", call.x) if call.has("dim") else []
    return call.writer.unary("squeeze2", call.x, {"axes": axes})


@pnnx_op("Tensor.expand")
def expand(call: Call) -> Value:
    """`expand_v2`; -1 keeps a size."""
    attrs, inputs = call.writer.integers("shape", "expand_shapes_tensor", call.sizes("sizes"))
    return call.writer.emit_one("expand_v2", {"X": call.x, **inputs}, attrs)


@pnnx_op("Tensor.expand_as")
def expand_as(call: Call) -> Value:
    """`expand_v2` to the shape of another tensor."""
    other = call.tensor(1)
    sizes = [call.writer.size(other, axis) for axis in range(call.writer.rank(other))]
    attrs, inputs = call.writer.integers("shape", "expand_shapes_tensor", sizes)
    return call.writer.emit_one("expand_v2", {"X": call.x, **inputs}, attrs)


@pnnx_op("Tensor.repeat", "torch.tile")
def repeat(call: Call) -> Value:
    """`tile`."""
    counts = call.sizes("sizes" if call.has("sizes") else "dims")
    attrs, inputs = call.writer.integers("repeat_times", "repeat_times_tensor", counts)
    return call.writer.emit_one("tile", {"X": call.x, **inputs}, attrs)


@pnnx_op("torch.flip")
def flip(call: Call) -> Value:
    """`flip`."""
    return call.writer.unary("flip", call.x, {"axis": call.axes("dims", call.x)})


@pnnx_op("torch.roll")
def roll(call: Call) -> Value:
    """`roll`, without ``dims`` of the flattened tensor."""
    writer = call.writer
    shifts = call.integers("shifts")
    if call.has("dims"):
        return writer.unary("roll", call.x, {"axis": call.axes("dims", call.x), "shifts": shifts})
    sizes = [writer.size(call.x, axis) for axis in range(writer.rank(call.x))]
    return writer.reshape(
        writer.unary("roll", writer.reshape(call.x, [-1]), {"axis": [0], "shifts": shifts}), sizes
    )
