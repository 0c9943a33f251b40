"""Convolutions on images and their transposes.

`activation` and `activation_params` are ours: fusions write them.  The parameters are, by activation:
leaky_relu alpha; relu6 threshold; hard_swish threshold, scale, offset; hard_sigmoid slope, offset;
swish beta; none given means Paddle's defaults.
"""

from lite.ir.types import UNKNOWN, Dim
from lite.ops.schema import Attr, floats, ints, number, op
from lite.ops.view import Meta, OpView
from lite.ops.window import channels, check_windows, image_shape, spatial, windows

_CONV = "Input:float/4 Filter:float/4 Bias?:float ResidualData?:float/4"

_ATTRS: dict[str, str | Attr] = {
    "strides": ints(1, 1),
    "paddings": ints(0, 0),
    "padding_algorithm": "EXPLICIT",
    "dilations": ints(1, 1),
    "groups": number(1, 1),
    "data_format": "NCHW",
    "activation": "",
    "activation_params": floats(),
}


def _check(op: OpView, input_channels: Dim, expected: Dim) -> None:
    if isinstance(input_channels, int) and isinstance(expected, int) and input_channels != expected:
        raise op.error("Input", f"{expected} channels for this filter and groups", op["Input"])
    known = [dim for dim in (input_channels, op["Filter"].dims[0]) if isinstance(dim, int)]
    if any(dim % op.integer("groups") for dim in known[:1]):
        raise op.error("attribute groups", f"a divisor of {known[0]} channels", op.integer("groups"))


def _conv(op: OpView) -> Meta:
    check_windows(op, 2, ("strides", "dilations"))
    data_format, groups = op.text("data_format"), op.integer("groups")
    x, (out_channels, per_group, *kernel) = op["Input"].dims, op["Filter"].dims
    _check(op, channels(data_format, x), per_group * groups if isinstance(per_group, int) else UNKNOWN)
    sizes: list[Dim] = [UNKNOWN, UNKNOWN]
    if all(isinstance(k, int) for k in kernel):
        found = windows(
            spatial(data_format, x),
            [int(k) for k in kernel],
            op.integers("strides"),
            op.integers("dilations"),
            op.integers("paddings"),
            op.text("padding_algorithm"),
        )
        sizes = [window.out(size) for window, size in zip(found, spatial(data_format, x), strict=True)]
    if any(isinstance(size, int) and size < 1 for size in sizes):
        raise op.error("Input", f"an image that the filter {op['Filter']} fits into", op["Input"])
    return Meta(op["Input"].dtype, image_shape(data_format, x[0], out_channels, sizes))


def _conv_transpose(op: OpView) -> Meta:
    check_windows(op, 2, ("strides", "dilations"))
    data_format, groups = op.text("data_format"), op.integer("groups")
    x, (in_channels, per_group, *kernel) = op["Input"].dims, op["Filter"].dims
    _check(op, channels(data_format, x), in_channels)
    out_channels = per_group * groups if isinstance(per_group, int) else UNKNOWN
    sizes: list[Dim] = [*op.integers("output_size")]
    extra = op.integers("output_padding") or [0, 0]
    given = op.get("OutputSize")
    if given is not None:
        values = op.values("OutputSize")
        sizes = [UNKNOWN, UNKNOWN] if values is None else [*values]
    if not sizes:
        sizes = [UNKNOWN, UNKNOWN]
        image = spatial(data_format, x)
        if all(isinstance(k, int) for k in kernel):
            found = windows(
                image,
                [int(k) for k in kernel],
                op.integers("strides"),
                op.integers("dilations"),
                op.integers("paddings"),
                op.text("padding_algorithm"),
            )
            for n, (size, window) in enumerate(zip(image, found, strict=True)):
                if isinstance(size, int):
                    full = (size - 1) * window.stride + window.extent
                    sizes[n] = full - window.before - window.after + extra[n]
    return Meta(op["Input"].dtype, image_shape(data_format, x[0], out_channels, sizes))


for _name in ("conv2d", "depthwise_conv2d"):
    op(_name, _CONV, "Output", _conv, attrs={**_ATTRS, "fuse_relu": False}, lod="Input")

for _name in ("conv2d_transpose", "depthwise_conv2d_transpose"):
    op(
        _name,
        "Input:float/4 Filter:float/4 Bias?:float OutputSize?:int/1",
        "Output",
        _conv_transpose,
        attrs={**_ATTRS, "fuse_relu": False, "output_size": ints(), "output_padding": ints()},
        lod="Input",
        attr_slots={"OutputSize": "output_size"},
    )
