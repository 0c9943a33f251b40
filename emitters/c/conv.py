"""Convolutions of images."""

from __future__ import annotations

import numpy as np

from lite.dataclass import dataclass
from lite.emitters.c.expression import INCLUDE, activation_fields, number
from lite.emitters.c.image import Image
from lite.emitters.c.loops import broadcast_strides, index, loops, merged
from lite.emitters.c.panels import packed, panel_fields
from lite.emitters.c.winograd import Convolution, is_faster, write_winograd
from lite.ir.types import Array, DType
from lite.ops.image_attributes import ConvAttributes
from lite.ops.window import Window
from lite.plugin.emitter import Emission, EmitOp, EmitValue, emitter


def filter_of(op: EmitOp) -> Array | str:
    """The weights as [output, kh, kw, input]."""
    weights = op["Filter"].data
    if weights is None:
        return "the filter must be constant"
    return weights if op.in_nhwc else np.transpose(weights, (0, 2, 3, 1))


@emitter("c", "conv2d", "depthwise_conv2d", channels_last=True)
def conv2d(op: EmitOp, out: Emission) -> str | None:
    """Cross-correlation with bias, residual, activation and scale in registers."""
    reason = why_unsupported(op, "Input", "Filter")
    weights = filter_of(op)
    if reason or isinstance(weights, str):
        return reason or str(weights)
    x, y = Image.of(op["Input"]), Image.of(op.out())
    attrs = op.read(ConvAttributes)
    down, right = attrs.windows((x.height, x.width), weights.shape[1:3])
    name = interface(op, out, y, late=is_late(op, out, y))
    if attrs.groups == x.channels == y.channels and x.channels > 1:
        _depthwise(out, x, y, weights, down, right, name)
        finish(op, out, y)
        return None
    whole = Convolution(x, y, weights, down, right)
    if out.fast and attrs.groups == 1 and is_faster(whole):
        write_winograd(out, whole, name)
        finish(op, out, y)
        return None
    source = _source(out, x, y, down, right)
    groups = attrs.groups
    per = y.channels // groups
    out.use(INCLUDE / "conv.h")
    for group in range(groups):
        rows = weights[group * per : (group + 1) * per].reshape(per, -1).T
        out.weights(packed(rows, out.vector), f"w{group}")
        merged = groups == 1 and right.dilation == 1
        taps = (1, weights.shape[2] * weights.shape[3]) if merged else (weights.shape[2], weights.shape[3])
        fields = {
            **source.fields,
            **output_steps(y, 1, 1),
            "rows": y.height,
            "columns": y.width,
            "kh": weights.shape[1],
            "kw": taps[0],
            "channels": taps[1],
            "outputs": per,
            **panel_fields(rows.shape[0], per, out.vector),
        }
        if y.height * y.width and source.flat and weights.shape[1:3] == (1, 1) and y.images == x.images:
            fields |= {"images": 1, "rows": 1, "columns": y.images * y.height * y.width}
        shift = group * per
        if group == 0:
            out.code(source.code)
        out.code(
            _call(fields, name, source.pointer, group * weights.shape[3], shift, f"w{group}", source.loop)
        )
    out.code(source.end)
    finish(op, out, y)
    return None


_NARROW = 8
"""Pixels of fewer channels do not fill a vector."""


@dataclass(frozen=True)
class _Padded:
    """Where tiles read: the image itself, or a copy with a border in scratch memory, one image at a time."""

    fields: dict[str, int]
    pointer: str
    code: str = ""
    end: str = ""
    loop: bool = False
    flat: bool = False


def _source(out: Emission, x: Image, y: Image, down: Window, right: Window) -> _Padded:
    rows = (y.height - 1) * down.stride + down.extent
    columns = (y.width - 1) * right.stride + right.extent
    inside = not has_border(x, down, right, rows, columns)
    width = x.width if inside else columns
    c = x.channels
    fields = {
        "images": x.images if inside else 1,
        "x_image": x.height * x.width * c,
        "x_row": down.stride * width * c,
        "x_column": right.stride * c,
        "tap_row": down.dilation * width * c,
        "tap_column": right.dilation * c,
        "step": 1,
    }
    if inside:
        shift = (-down.before * x.width - right.before) * c
        flat = (rows, columns) == (x.height, x.width) and down.stride == right.stride == 1 and not shift
        return _Padded(fields, f"x + {shift}" if shift else "x", flat=flat)
    out.use(INCLUDE / "pad.h")
    out.scratch(rows * columns * c, "border")
    code = (
        f"for (int n = 0; n < {x.images}; n++) {{\n"
        f"lb_border(x + (ptrdiff_t)n * {x.height * x.width * c}, border, {x.height}, {x.width}, {c}, "
        f"{-down.before}, {-right.before}, {rows}, {columns}, 0.0f);"
    )
    return _Padded(fields, "border", code, "}", loop=True)


def has_border(x: Image, down: Window, right: Window, rows: int, columns: int) -> bool:
    """Whether windows that span `rows` and `columns` leave the image."""
    return (
        down.before > 0
        or right.before > 0
        or rows - down.before > x.height
        or columns - right.before > x.width
    )


def output_steps(y: Image, down: int, right: int) -> dict[str, int]:
    """The steps of the output between the positions of a tile."""
    return {
        "y_image": y.height * y.width * y.channels,
        "y_row": down * y.width * y.channels,
        "y_column": right * y.channels,
    }


def _call(fields: dict[str, int], name: str, x: str, x_shift: int, shift: int, w: str, loop: bool) -> str:
    sizes = ", ".join(f".{key} = {value}" for key, value in fields.items())
    image = f" + (ptrdiff_t)n * {fields['y_image']}" if loop else ""
    place = f"{image} + {shift}" if shift else image
    vectors = f"lb_shifted(e, {shift}, 0{place})" if place else "e"
    return (
        f"{{ const lb_conv_sizes s = {{{sizes}}};\n"
        f"lb_conv(s, {x}{f' + {x_shift}' if x_shift else ''}, {w}, {vectors}, {name}, y{place}); }}"
    )


def why_unsupported(op: EmitOp, *slots: str) -> str | None:
    """Why a convolution has no code, by its layout and the types of these slots."""
    if not op.in_nhwc and op.text("data_format") != "NHWC":
        return "images must be in NHWC"
    for slot in slots:
        if op[slot].dtype is not DType.FLOAT32:
            return f"{slot} must be float32, got {op[slot]}"
    return None


def _spread(out: Emission, value: EmitValue, y: EmitValue) -> None:
    """A residual that broadcasts, in the shape of the output."""
    out.read(value, "small")
    out.scratch(y.size, "residual")
    strides = [broadcast_strides(shape, y.shape) for shape in (value.shape, y.shape)]
    sizes, [source, target] = merged(y.shape, strides)
    out.code(*loops(sizes, [f"residual[{index(target)}] = small[{index(source)}];"]))


def interface(op: EmitOp, out: Emission, y: Image, *, repeats: int = 1, late: bool = False) -> str:
    """The parameters and the epilogue `e`; returns the function of the activation.

    With `repeats`, the vectors of constants follow each other so many times; with `late`, the epilogue leaves
    the activation to `finish`.
    """
    out.use(INCLUDE / "epilogue.h")
    fields, function = (".activation = LB_IDENTITY", "0") if late else activation_fields(op, out)
    out.read(op["Input"], "x")
    parts = [fields]
    vectors = (("Bias", "bias"), ("PostScale", "post_scale"), ("PostShift", "post_shift"))
    scalars = 0
    for bit, (slot, name) in enumerate(vectors):
        value = op.get(slot)
        if value is None:
            continue
        if value.data is None:
            out.read(value, name)
        else:
            numbers = value.data.reshape(-1).astype(np.float32)
            if name == "bias" and numbers.size == 1:
                numbers = np.repeat(numbers, y.channels)
            is_scalar = numbers.size == 1 and name != "bias"
            out.weights(numbers if is_scalar else np.tile(numbers, repeats), name)
        if name != "bias" and value.size == 1 and y.channels * repeats > 1:
            scalars |= bit
        parts.append(f".{name} = {name}")
    residual = op.node.optional_input("ResidualData") if "ResidualData" in op.node.inputs else None
    if residual is not None:
        value = EmitValue(residual)
        if value.shape == op.out().shape:
            out.read(value, "residual")
        else:
            _spread(out, value, op.out())
        parts.append(".residual = residual")
    if scalars:
        parts.append(f".scalars = {scalars}")
    if op.out().dtype is DType.UINT8 and op.op == "conv2d":
        out.scratch(op.out().size, "y")
        out.write(op.out(), "codes")
    else:
        out.write(op.out(), "y")
    out.code(f"const lb_epilogue e = {{{', '.join(parts)}}};")
    return function


def is_late(op: EmitOp, out: Emission, y: Image) -> bool:
    """Whether all outputs are activated at last: pixels of few channels leave most of a vector empty."""
    is_last = op.get("PostScale") is None and op.get("PostShift") is None
    return y.channels < _NARROW and is_last and activation_fields(op, out)[1] != "0"


def finish(op: EmitOp, out: Emission, y: Image) -> None:
    """Activate narrow results, and round floats in scratch memory to bytes if the result is bytes."""
    if is_late(op, out, y):
        _, function = activation_fields(op, out)
        out.code(f"for (ptrdiff_t i = 0; i < {op.out().size}; i++) y[i] = {function}(y[i]);")
    if op.out().dtype is not DType.UINT8:
        return
    out.use(INCLUDE / "bytes.h")
    factor, zero = np.float32(1) / np.float32(op.real("out_scale")), op.integer("out_zero_point")
    call = f"lb_byte(y[i], {number(float(factor))}, {number(zero)})"
    out.code(f"for (ptrdiff_t i = 0; i < {op.out().size}; i++) codes[i] = {call};")


def _depthwise(
    out: Emission, x: Image, y: Image, weights: Array, down: Window, right: Window, name: str
) -> None:
    out.use(INCLUDE / "depthwise.h")
    out.weights(np.ascontiguousarray(weights[..., 0].transpose(1, 2, 0)), "w")
    sizes = (
        *(x.images, x.height, x.width, x.channels, y.height, y.width, *weights.shape[1:3]),
        *(down.stride, right.stride, down.dilation, right.dilation, down.before, right.before),
    )
    out.code(f"lb_depthwise({', '.join(map(str, sizes))}, x, w, e, {name}, y);")
