"""Exchanges of channels and space."""

from __future__ import annotations

from collections.abc import Callable

from lite.model_parser.pnnx import arithmetic
from lite.model_parser.pnnx.call import Call
from lite.model_parser.pnnx.translations import pnnx_op
from lite.model_parser.pnnx.value import Value, Var


@pnnx_op("nn.ChannelShuffle", "F.channel_shuffle")
def channel_shuffle(call: Call) -> Value:
    """`shuffle_channel`."""
    return call.writer.unary("shuffle_channel", call.x, {"group": call.integer("groups")})


@pnnx_op("nn.PixelShuffle", "F.pixel_shuffle")
def pixel_shuffle(call: Call) -> Value:
    """`pixel_shuffle`."""
    factor = call.integer("upscale_factor")
    return _per_image(call, lambda x: call.writer.unary("pixel_shuffle", x, {"upscale_factor": factor}))


@pnnx_op("nn.PixelUnshuffle", "F.pixel_unshuffle")
def pixel_unshuffle(call: Call) -> Value:
    """The inverse of `pixel_shuffle`, by reshapes and a transpose."""
    writer, factor = call.writer, call.integer("downscale_factor")
    if factor < 1:
        raise call.error(f"parameter downscale_factor: expected 1 or more, got {factor}")

    def unshuffled(x: Var) -> Var:
        n, channels, height, width = (writer.size(x, axis) for axis in range(4))
        rows, columns = (arithmetic.binary(writer, "floor_divide", size, factor) for size in (height, width))
        blocks = writer.reshape(x, [n, channels, rows, factor, columns, factor])
        image = writer.transpose(blocks, [0, 1, 3, 5, 2, 4])
        return writer.reshape(
            image, [n, arithmetic.binary(writer, "mul", channels, factor**2), rows, columns]
        )

    return _per_image(call, unshuffled)


def _per_image(call: Call, function: Callable[[Var], Var]) -> Var:
    """A function of ``[N, C, H, W]`` for any number of leading axes."""
    writer, rank = call.writer, call.writer.rank(call.x)
    if rank < 3:
        raise call.error(f"expected an input of 3 or more dimensions, got {rank}")
    if rank == 4:
        return function(call.x)
    sizes = [writer.size(call.x, axis) for axis in range(rank)]
    result = function(writer.reshape(call.x, [-1, *sizes[-3:]]))
    return writer.reshape(result, [*sizes[:-3], *(writer.size(result, axis) for axis in (1, 2, 3))])
