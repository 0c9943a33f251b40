"""Shapes and the order of axes."""

from __future__ import annotations

from lite.ir.program import AttrValue
from lite.ir.types import DType
from lite.model_parser.pnnx.call import Call
from lite.model_parser.pnnx.registry import pnnx_op
from lite.model_parser.pnnx.value import Results, Value


@pnnx_op("Tensor.reshape", "Tensor.view", "torch.reshape")
def reshape(call: Call) -> Value:
    """reshape2; the sizes may be operands."""
    return call.writer.reshape(call.x, call.sizes("shape"))


@pnnx_op("Tensor.permute", "torch.permute")
def permute(call: Call) -> Value:
    """transpose2."""
    axes = call.axes("dims", call.x)
    if sorted(axes) != list(range(call.writer.rank(call.x))):
        raise call.error(f"parameter dims: expected every axis once, got {axes}")
    return call.writer.transpose(call.x, axes)


@pnnx_op("torch.transpose", "torch.t", "Tensor.t")
def transpose(call: Call) -> Value:
    """transpose2 with two axes exchanged."""
    axes = list(range(call.writer.rank(call.x)))
    if not axes:
        return call.x
    first, second = call.axis("dim0", call.x, 0), call.axis("dim1", call.x, len(axes) - 1)
    axes[first], axes[second] = axes[second], axes[first]
    return call.writer.transpose(call.x, axes)


@pnnx_op("torch.flatten", "nn.Flatten")
def flatten(call: Call) -> Value:
    """flatten_contiguous_range."""
    start = 1 if call.type == "nn.Flatten" else 0
    attrs: dict[str, AttrValue] = {
        "start_axis": call.axis("start_dim", call.x, start),
        "stop_axis": call.axis("end_dim", call.x, -1),
    }
    return call.writer.unary("flatten_contiguous_range", call.x, attrs)


@pnnx_op("torch.unflatten", "nn.Unflatten")
def unflatten(call: Call) -> Value:
    """An axis becomes several."""
    axis = call.axis("dim", call.x)
    kept = [call.writer.size(call.x, n) for n in range(call.writer.rank(call.x))]
    sizes = call.sizes("sizes" if call.has("sizes") else "unflattened_size")
    return call.writer.reshape(call.x, [*kept[:axis], *sizes, *kept[axis + 1 :]])


@pnnx_op("torch.unsqueeze")
def unsqueeze(call: Call) -> Value:
    """unsqueeze2."""
    return call.writer.unary("unsqueeze2", call.x, {"axes": call.integers("dim")})


@pnnx_op("torch.squeeze")
def squeeze(call: Call) -> Value:
    """squeeze2; of all axes of size 1 without ``dim``."""
    axes = call.axes("dim", call.x) if call.has("dim") else []
    return call.writer.unary("squeeze2", call.x, {"axes": axes})


@pnnx_op("Tensor.expand")
def expand(call: Call) -> Value:
    """expand_v2; -1 keeps a size."""
    attrs, inputs = call.writer.integers("shape", "expand_shapes_tensor", call.sizes("sizes"))
    return call.writer.one("expand_v2", {"X": call.x, **inputs}, attrs)


@pnnx_op("Tensor.expand_as")
def expand_as(call: Call) -> Value:
    """expand_v2 to the shape of another tensor."""
    other = call.tensor(1)
    sizes = [call.writer.size(other, axis) for axis in range(call.writer.rank(other))]
    attrs, inputs = call.writer.integers("shape", "expand_shapes_tensor", sizes)
    return call.writer.one("expand_v2", {"X": call.x, **inputs}, attrs)


@pnnx_op("Tensor.repeat", "torch.tile")
def repeat(call: Call) -> Value:
    """tile."""
    counts = call.sizes("sizes" if call.has("sizes") else "dims")
    attrs, inputs = call.writer.integers("repeat_times", "repeat_times_tensor", counts)
    return call.writer.one("tile", {"X": call.x, **inputs}, attrs)


@pnnx_op("torch.flip")
def flip(call: Call) -> Value:
    """flip."""
    return call.writer.unary("flip", call.x, {"axis": call.axes("dims", call.x)})


@pnnx_op("torch.roll")
def roll(call: Call) -> Value:
    """roll; of all elements in a row without ``dims``."""
    writer = call.writer
    shifts = call.integers("shifts")
    if call.has("dims"):
        return writer.unary("roll", call.x, {"axis": call.axes("dims", call.x), "shifts": shifts})
    sizes = [writer.size(call.x, axis) for axis in range(writer.rank(call.x))]
    return writer.reshape(
        writer.unary("roll", writer.reshape(call.x, [-1]), {"axis": [0], "shifts": shifts}), sizes
    )


@pnnx_op("nn.ChannelShuffle", "F.channel_shuffle")
def channel_shuffle(call: Call) -> Value:
    """shuffle_channel."""
    return call.writer.unary("shuffle_channel", call.x, {"group": call.integer("groups")})


@pnnx_op("nn.PixelShuffle", "F.pixel_shuffle")
def pixel_shuffle(call: Call) -> Value:
    """pixel_shuffle."""
    return call.writer.unary("pixel_shuffle", call.x, {"upscale_factor": call.integer("upscale_factor")})


@pnnx_op("nn.PixelUnshuffle", "F.pixel_unshuffle")
def pixel_unshuffle(call: Call) -> Value:
    """Blocks of pixels become channels."""
    writer, factor = call.writer, call.integer("downscale_factor")
    if factor < 1:
        raise call.error(f"parameter downscale_factor: expected 1 or more, got {factor}")
    sizes = [writer.size(call.image(2), axis) for axis in range(4)]
    down, right = (size // factor if isinstance(size, int) else -1 for size in sizes[2:])
    if down == right == -1 or not isinstance(sizes[1], int):
        raise call.error("an input with only one size of the image unknown is expected")
    split = writer.reshape(call.x, [sizes[0], sizes[1], down, factor, right, factor])
    moved = writer.transpose(split, [0, 1, 3, 5, 2, 4])
    ends = [writer.size(moved, 4), writer.size(moved, 5)]
    return writer.reshape(moved, [sizes[0], sizes[1] * factor * factor, *ends])


@pnnx_op("torch.cat", "torch.concat")
def concatenate(call: Call) -> Value:
    """concat; torch lets an empty tensor of one dimension join anything."""
    writer = call.writer
    parts = [call.tensor(n) for n in range(max(len(call.inputs), 1))]
    parts = [part for part in parts if writer.meta(part).shape != (0,)] or parts[:1]
    return writer.one("concat", {"X": parts}, {"axis": call.axis("dim", parts[0], 0)})


@pnnx_op("torch.stack")
def stack(call: Call) -> Value:
    """stack."""
    parts = [call.tensor(n) for n in range(len(call.inputs))]
    return call.writer.one("stack", {"X": parts}, {"axis": call.integer("dim", 0)})


@pnnx_op("torch.unbind")
def unbind(call: Call) -> Results:
    """One result for each element of an axis."""
    attrs: dict[str, AttrValue] = {"axis": call.axis("dim", call.x, 0)}
    return Results(call.writer.emit("unbind", {"X": call.x}, attrs, {"Out": len(call.operator.outputs)}))


@pnnx_op("Tensor.to", "Tensor.type_as", "Tensor.float", "Tensor.long", "Tensor.bool")
def to(call: Call) -> Value:
    """cast."""
    if call.type == "Tensor.type_as":
        return call.writer.cast(call.x, call.writer.dtype(call.tensor(1)))
    known = {"Tensor.float": DType.FLOAT32, "Tensor.long": DType.INT64, "Tensor.bool": DType.BOOL}
    return call.writer.cast(call.x, known.get(call.type) or call.dtype("dtype", call.writer.dtype(call.x)))
