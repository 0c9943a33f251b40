"""Transposed convolutions of images."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lite.dataclass import dataclass
from lite.emitters.c.conv import finish, interface, is_late, output_steps, why_unsupported
from lite.emitters.c.expression import INCLUDE
from lite.emitters.c.image import Image
from lite.emitters.c.panels import packed, panel_fields
from lite.ops.image_attributes import ConvAttributes
from lite.ops.window import Window
from lite.plugin.emitter import Emission, EmitOp, emitter


@emitter("c", "conv2d_transpose", "depthwise_conv2d_transpose", channels_last=True)
def conv2d_transpose(op: EmitOp, out: Emission) -> str | None:
    """A convolution for each phase: outputs that are whole strides apart use the same taps."""
    reason = why_unsupported(op, "Input", "Filter")
    data = op["Filter"].data
    if reason or data is None:
        return reason or "the filter must be constant"
    # [input, kh, kw, output / groups]
    weights = data if op.in_nhwc else np.transpose(data, (0, 2, 3, 1))
    x, y = Image.of(op["Input"]), Image.of(op.out())
    attrs = op.read(ConvAttributes)
    down, right = attrs.windows((x.height, x.width), weights.shape[1:3])
    # Columns that share no input: those of a filter are next to each other, as if they were channels.
    joined = right.kernel if attrs.groups == 1 and _is_apart(op, right, x.width, y.width) else 1
    name = interface(op, out, y, repeats=joined, late=is_late(op, out, y))
    out.use(INCLUDE / "conv.h")
    groups, per_in, per_out = attrs.groups, x.channels // attrs.groups, weights.shape[3] * joined
    phases = [(a, b) for a in _phases(down, y.height) for b in _phases(right, y.width)[::joined]]
    copied = [a.extent * b.extent for a, b in phases if not _is_inside(a, b, x)]
    if copied:
        out.use(INCLUDE / "pad.h")
        out.scratch(max(copied) * x.channels, "border")
    made = 0
    for a, b in phases:
        image = f"x + (ptrdiff_t)n * {x.height * x.width * x.channels}"
        out.code(f"for (int n = 0; n < {x.images}; n++) {{")
        if _is_inside(a, b, x):
            source, row = f"{image} + {(a.first * x.width + b.first) * x.channels}", x.width * x.channels
        else:
            source, row = "border", b.extent * x.channels
            out.code(
                f"lb_border({image}, border, {x.height}, {x.width}, {x.channels}, {a.first}, {b.first}, "
                f"{a.extent}, {b.extent}, 0.0f);"
            )
        for group in range(groups):
            taps = slice(None) if joined > 1 else b.taps
            part = weights[group * per_in : (group + 1) * per_in][:, a.taps][:, :, taps]
            order = (1, 0, 2, 3) if joined > 1 else (1, 2, 0, 3)
            matrix = part.transpose(order).reshape(-1, per_out)
            out.weights(packed(matrix, out.vector), f"w{made}")
            fields = {
                "images": 1,
                "rows": a.count,
                "columns": b.count,
                "x_image": 0,
                "x_row": row,
                "x_column": x.channels,
                "tap_row": a.dilation * row,
                "tap_column": b.dilation * x.channels,
                "step": 1,
                "kh": len(a.taps),
                "kw": len(b.taps),
                "channels": per_in,
                "outputs": per_out,
                **output_steps(y, a.step, b.step),
                **panel_fields(matrix.shape[0], per_out, out.vector),
            }
            shift = group * per_out
            offset = (a.start * y.width + b.start) * y.channels
            sizes = ", ".join(f".{key} = {value}" for key, value in fields.items())
            place = f"(ptrdiff_t)n * {fields['y_image']} + {offset + shift}"
            out.code(
                f"{{ const lb_conv_sizes s = {{{sizes}}};\n"
                f"lb_conv(s, {source} + {group * per_in}, w{made}, lb_shifted(e, {shift}, {place}), {name}, "
                f"y + {place}); }}"
            )
            made += 1
        out.code("}")
    finish(op, out, y)
    return None


def _is_inside(a: _Phase, b: _Phase, x: Image) -> bool:
    """Whether all inputs of a phase of rows and one of columns are in the image."""
    return min(a.first, b.first) >= 0 and a.first + a.extent <= x.height and b.first + b.extent <= x.width


def _is_apart(op: EmitOp, window: Window, inputs: int, outputs: int) -> bool:
    """Whether each output of an axis has one tap, and vectors of the epilogue are constant."""
    fits = window.kernel == window.stride and window.dilation == 1 and not window.before
    vectors = [op.get(slot) for slot in ("Bias", "PostScale", "PostShift")]
    return (
        fits and outputs == inputs * window.stride and all(v is None or v.data is not None for v in vectors)
    )


@dataclass(frozen=True)
class _Phase:
    """Outputs start, start + step, …: `count` of them, each the sum of taps from input `first` on.

    Where strides are greater than the filter, some outputs have no taps: their sum is 0.
    """

    start: int
    step: int
    count: int
    taps: Sequence[int]
    first: int
    dilation: int

    @property
    def extent(self) -> int:
        """The inputs from the first to the last one that is read; without taps, one for each output."""
        return self.count + max(len(self.taps) - 1, 0) * self.dilation


def _phases(window: Window, outputs: int) -> list[_Phase]:
    """Output o reads input i through tap k where i · stride + k · dilation - before = o."""
    stride, dilation = window.stride, window.dilation
    phases = []
    for start in range(min(stride, outputs)):
        taps = [k for k in range(window.kernel) if (start + window.before - k * dilation) % stride == 0]
        # The input rises where the tap falls.
        taps.reverse()
        first = (start + window.before - taps[0] * dilation) // stride if taps else 0
        apart = (taps[0] - taps[1]) * dilation // stride if len(taps) > 1 else 1
        count = len(range(start, outputs, stride))
        phases.append(_Phase(start, stride, count, taps, first, apart))
    return phases
