"""Padding of tensors and of images."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lite.ir.program import AttrValue
from lite.model_parser.pnnx.call import Call
from lite.model_parser.pnnx.images import batched, pad_image
from lite.model_parser.pnnx.translations import pnnx_op
from lite.model_parser.pnnx.value import Value, Var


@pnnx_op("F.pad")
def pad(call: Call) -> Value:
    """`pad` for mode constant, else `pad3d`; a negative border becomes a slice.

    The borders are (before, after) pairs, the last axis first.  They may be operands, then for `pad3d` only.
    """
    mode = call.choice("mode", "constant", "constant", "reflect", "replicate", "circular")
    amounts = call.sizes("pad")
    if len(amounts) % 2 or len(amounts) > 2 * call.writer.rank(call.x):
        raise call.error(f"argument pad: expected two numbers for each padded axis, got {amounts}")
    value = call.real("value", 0.0)
    if not all(isinstance(amount, int) for amount in amounts):
        return _pad_by_operands(call, amounts, mode, value)
    numbers = [int(amount) for amount in amounts if isinstance(amount, int)]
    x = _cropped(call, numbers)
    borders = [max(number, 0) for number in numbers]
    rank, axes = call.writer.rank(x), len(numbers) // 2
    pairs = [borders[2 * n : 2 * n + 2] for n in reversed(range(axes))]
    if mode == "constant":
        paddings: list[int] = [0, 0] * (rank - axes) + [part for pair in pairs for part in pair]
        return call.writer.unary("pad", x, {"paddings": paddings, "pad_value": value})
    if rank == axes + 1:
        single = call.writer.unary("unsqueeze2", x, {"axes": [0]})
        padded = pad_image(call, single, [part for pair in pairs for part in pair], mode, axes)
        return call.writer.unary("squeeze2", padded, {"axes": [0]})
    if rank - 2 < axes:
        raise call.error(f"mode {mode} pads spatial axes only, got {axes} axes of {rank}")
    all_pairs = [[0, 0]] * (rank - 2 - axes) + pairs
    return pad_image(call, x, [part for pair in all_pairs for part in pair], mode, rank - 2)


def _cropped(call: Call, numbers: Sequence[int]) -> Var:
    """The input without the elements that negative borders remove."""
    rank = call.writer.rank(call.x)
    crops = [(rank - 1 - n // 2, n % 2, amount) for n, amount in enumerate(numbers) if amount < 0]
    x = call.x
    for axis, is_end, amount in crops:
        start, end = (0, amount) if is_end else (-amount, 2**31 - 1)
        attrs: dict[str, AttrValue] = {"axes": [axis], "starts": [start], "ends": [end]}
        x = call.writer.emit_one("slice", {"Input": x}, attrs)
    return x


def _pad_by_operands(call: Call, amounts: Sequence[Value], mode: str, value: float) -> Var:
    """`pad3d` with the paddings as a tensor int32[6], the last axis first as in torch."""
    writer = call.writer
    axes = writer.rank(call.x) - 2
    if not 1 <= axes <= 3 or len(amounts) > 2 * axes:
        raise call.error(
            "computed paddings: expected 1 to 3 spatial axes and two paddings for each at most, "
            f"got {axes} spatial axes and {len(amounts)} paddings"
        )
    all_amounts = [*amounts, *[0] * (6 - len(amounts))]
    columns = [writer.reshape(writer.index(amount), [1]) for amount in all_amounts]
    new_axes = list(range(2, 5 - axes))
    x = writer.unary("unsqueeze2", call.x, {"axes": new_axes}) if new_axes else call.x
    inputs = {"X": x, "Paddings": writer.emit_one("concat", {"X": columns}, {"axis": 0})}
    padded = writer.emit_one("pad3d", inputs, {"mode": mode, "value": value})
    if not new_axes:
        return padded
    # The sizes are unknown after pad3d, so a squeeze could not infer the rank; a slice can.
    attrs: dict[str, AttrValue] = {
        "axes": new_axes,
        "starts": [0] * len(new_axes),
        "ends": [1] * len(new_axes),
        "decrease_axis": new_axes,
    }
    return writer.emit_one("slice", {"Input": padded}, attrs)


@pnnx_op(*(f"nn.{kind}Pad{axes}d" for kind in ("Zero", "Constant") for axes in (1, 2, 3)))
def constant_pad(call: Call) -> Value:
    """`pad_nd` of the last axes with one value; the borders are (before, after) pairs, last axis first.

    A negative border removes elements.
    """
    axes = int(call.type[-2])
    numbers = call.integers("padding", 2 * axes)
    attrs: dict[str, AttrValue] = {
        "paddings": [*numbers[-2::-2], *numbers[-1::-2]],
        "axes": [*range(-axes, 0)],
        "value": call.real("value", 0.0),
    }
    return call.writer.unary("pad_nd", call.x, attrs)


@pnnx_op("nn.CircularPad1d", "nn.CircularPad2d", "nn.CircularPad3d")
@batched
def circular_pad(call: Call) -> Value:
    """`pad3d` in mode circular: the image is repeated."""
    return _bordered(call, "circular")


@pnnx_op("nn.ReflectionPad1d", "nn.ReflectionPad2d", "nn.ReflectionPad3d")
@batched
def reflection_pad(call: Call) -> Value:
    """`pad3d` in mode reflect: the image is mirrored at its edge."""
    return _bordered(call, "reflect")


@pnnx_op("nn.ReplicationPad1d", "nn.ReplicationPad2d", "nn.ReplicationPad3d")
@batched
def replication_pad(call: Call) -> Value:
    """`pad3d` in mode replicate: the edge of the image is repeated."""
    return _bordered(call, "replicate")


def _bordered(call: Call, mode: str) -> Value:
    axes = int(call.type[-2])
    numbers = call.integers("padding", 2 * axes)
    pairs = [numbers[2 * n : 2 * n + 2] for n in reversed(range(axes))]
    return pad_image(call, call.image(axes), np.ravel(pairs).tolist(), mode, axes)
