"""Reshapes signals [N, C, W] to images [N, C, 1, W] and back, and pads images."""

from __future__ import annotations

from collections.abc import Sequence

from lite.ir.program import AttrValue
from lite.model_parser.pnnx.call import Call
from lite.model_parser.pnnx.value import Var
from lite.model_parser.pnnx.writer import Writer


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
