"""Reshapes signals [N, C, W] to images [N, C, 1, W] and back, gives images a batch, and pads them."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence

from lite.ir.program import AttrValue
from lite.model_parser.pnnx.call import Call
from lite.model_parser.pnnx.value import Results, Value, Var
from lite.model_parser.pnnx.writer import Writer

Translate = Callable[[Call], Value | Results]


def batched(translate: Translate) -> Translate:
    """`translate` also for an input ``[C, ...]`` without a batch: the results lose the batch of one again.

    The last letters of the operator's type, as ``2d``, tell its number of spatial axes.
    """

    @functools.wraps(translate)
    def translated(call: Call) -> Value | Results:
        writer = call.writer
        if writer.rank(call.x) != int(call.type[-2]) + 1:
            return translate(call)
        result = translate(call.with_input(0, writer.unary("unsqueeze2", call.x, {"axes": [0]})))
        if isinstance(result, Results):
            return Results([_without_batch(writer, value) for value in result.values])
        return _without_batch(writer, result)

    return translated


def _without_batch(writer: Writer, x: Value) -> Value:
    return writer.unary("squeeze2", x, {"axes": [0]}) if isinstance(x, Var) else x


def as_image(writer: Writer, x: Var, axes: int) -> Var:
    """``[N, C, W]`` as ``[N, C, 1, W]`` if it has one spatial axis (`axes`); else `x` itself."""
    return writer.unary("unsqueeze2", x, {"axes": [2]}) if axes == 1 else x


def from_image(writer: Writer, x: Var, axes: int) -> Var:
    """The inverse of `as_image`."""
    return writer.unary("squeeze2", x, {"axes": [2]}) if axes == 1 else x


def image_integers(call: Call, name: str, axes: int, fill: int) -> list[int]:
    """A parameter as one integer for each spatial axis of the result of `as_image`.

    `fill` is the default of the parameter, and the integer of the new axis.
    """
    numbers = call.integers(name, axes, [fill])
    return [fill, *numbers] if axes == 1 else numbers


def pad_image(call: Call, x: Var, paddings: Sequence[int], mode: str, axes: int, value: float = 0.0) -> Var:
    """Pad the `axes` spatial axes of ``[N, C, ...]``, up to three, with `pad3d`.

    `paddings` has (before, after) of each spatial axis, the first axis first.  `mode` is torch's name of the
    mode, or ``zeros``.
    """
    writer = call.writer
    missing = 3 - axes
    new_axes = list(range(2, 2 + missing))
    attrs: dict[str, AttrValue] = {
        "paddings": [
            *(part for n in reversed(range(axes)) for part in paddings[2 * n : 2 * n + 2]),
            *[0, 0] * missing,
        ],
        "mode": "constant" if mode == "zeros" else mode,
        "value": value,
    }
    volume = writer.unary("unsqueeze2", x, {"axes": new_axes}) if new_axes else x
    padded = writer.unary("pad3d", volume, attrs)
    return writer.unary("squeeze2", padded, {"axes": new_axes}) if new_axes else padded
