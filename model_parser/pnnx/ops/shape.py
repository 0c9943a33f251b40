"""Shapes and the order of axes."""

from __future__ import annotations

import numpy as np

from lite.ir.program import AttrValue
from lite.ir.types import DType
from lite.model_parser.pnnx import arithmetic
from lite.model_parser.pnnx.call import Call
from lite.model_parser.pnnx.translations import pnnx_op
from lite.model_parser.pnnx.value import Value, Var


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


@pnnx_op("torch.movedim")
def movedim(call: Call) -> Value:
    """`transpose2` that moves axes."""
    axes, targets = call.axes("source", call.x), call.axes("destination", call.x)
    order = [axis for axis in range(call.writer.rank(call.x)) if axis not in axes]
    for target, axis in sorted(zip(targets, axes, strict=True)):
        order.insert(target, axis)
    return call.writer.transpose(call.x, order)


@pnnx_op("torch.numpy_T")
def reversed_axes(call: Call) -> Value:
    """`transpose2` that reverses the axes."""
    return call.writer.transpose(call.x, [*reversed(range(call.writer.rank(call.x)))])


@pnnx_op("torch.repeat_interleave", "Tensor.repeat_interleave")
def repeat_interleave(call: Call) -> Value:
    """Each slice of an axis, or of the flattened tensor, repeated: by a number, or by one for each."""
    writer, repeats = call.writer, call.arg("repeats")
    x = call.x if call.has("dim") else writer.reshape(call.x, [-1])
    axis = call.axis("dim", x) if call.has("dim") else 0
    if isinstance(repeats, Var) and not repeats.is_number and writer.shape(repeats) not in ((), (1,)):
        return _repeated_each(call, x, axis, repeats)
    count = repeats if isinstance(repeats, int | Var) else call.integer("repeats")
    sizes: list[Value] = [writer.size(x, n) for n in range(writer.rank(x))]
    spread = writer.unary("unsqueeze2", x, {"axes": [axis + 1]})
    counts: list[Value] = [count if n == axis + 1 else 1 for n in range(len(sizes) + 1)]
    attrs, inputs = writer.integers("repeat_times", "repeat_times_tensor", counts)
    tiled = writer.emit_one("tile", {"X": spread, **inputs}, attrs)
    sizes[axis] = arithmetic.binary(writer, "mul", sizes[axis], count)
    return writer.reshape(tiled, sizes)


def _repeated_each(call: Call, x: Var, axis: int, repeats: Var) -> Var:
    """`take` at the number of sums of repeats that each position of the result has passed."""
    writer = call.writer
    counts = writer.cast(repeats, DType.INT64)
    ends = writer.unary("cumsum", counts, {"axis": 0})
    total = writer.unary("reduce_sum", counts, {"dim": [0], "keep_dim": True})
    bounds = {"Start": writer.constant(np.zeros(1, np.int64)), "Step": writer.constant(np.ones(1, np.int64))}
    places = writer.emit_one("range", {**bounds, "End": total}, {"allow_empty": True})
    passed = writer.binary("greater_equal", writer.unary("unsqueeze2", places, {"axes": [1]}), ends)
    index = writer.unary("reduce_sum", writer.cast(passed, DType.INT64), {"dim": [1]})
    result = writer.emit_one("take", {"X": x, "Index": index}, {"axis": axis})
    writer.mark_unsized(result)
    return result


@pnnx_op("Tensor.unfold")
def unfold(call: Call) -> Value:
    """The windows of a size along an axis of fixed size, whose elements become a last axis: `take`."""
    writer, axis = call.writer, call.axis("dimension", call.x)
    length, size, step = writer.size(call.x, axis), call.integer("size"), call.integer("step", 1)
    if not isinstance(length, int) or step < 1 or size > length:
        raise call.error(f"expected an axis of a fixed size from {size} on, got {length}")
    starts = np.arange(0, length - size + 1, step)
    windows = writer.constant(starts[:, None] + np.arange(size))
    taken = writer.emit_one("take", {"X": call.x, "Index": windows}, {"axis": axis})
    rank = writer.rank(taken)
    return writer.transpose(taken, [*(n for n in range(rank) if n != axis + 1), axis + 1])
