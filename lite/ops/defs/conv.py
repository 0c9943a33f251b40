"""Convolutions on images and their transposes.

`activation` and `activation_params` are ours: fusions write them.  The parameters are, by activation:
leaky_relu alpha; relu6 threshold; hard_swish threshold, scale, offset; hard_sigmoid slope, offset;
swish beta; none given means Paddle's defaults.  `fuse_relu` and `fuse_activation` are Paddle's own of the
same meaning, without parameters.

`PostScale` and `PostShift`, ``[1]`` or ``[channels]``, are ours, too: the output is
``activation(sums + Bias + ResidualData) · PostScale + PostShift``.  `ResidualData` is Paddle's; here it
may also broadcast against the sums, as in elementwise_add.
"""

from collections.abc import Sequence

from lite.ir.program import AttrValue
from lite.ir.types import UNKNOWN, Dim
from lite.ops.rules import apply, broadcast
from lite.ops.schema import Attr, choice, floats, ints, number, op
from lite.ops.view import Meta, OpView
from lite.ops.window import Window, channels, check_windows, image_shape, spatial, windows

_CONV = "Input:float/4 Filter:float/4 Bias?:float ResidualData?:float/4 PostScale?:float PostShift?:float"

_ATTRS: dict[str, AttrValue | Attr] = {
    "strides": ints(1, 1),
    "paddings": ints(0, 0),
    "padding_algorithm": "EXPLICIT",
    "dilations": ints(1, 1),
    "groups": number(1, 1),
    "data_format": "NCHW",
    "activation": "",
    "activation_params": floats(),
    "fuse_relu": False,
    "fuse_activation": choice("", "relu", "sigmoid", "tanh", "hard_swish"),
}


def _check_channels(op: OpView, expected: Dim) -> None:
    """Whether the input has as many channels as the filter takes, and groups divide them."""
    found, groups = channels(op.text("data_format"), op["Input"].dims), op.integer("groups")
    if isinstance(found, int) and isinstance(expected, int) and found != expected:
        raise op.error("Input", f"{expected} channels for filter {op['Filter']}", op["Input"])
    for dim in (found, op["Filter"].dims[0]):
        if isinstance(dim, int) and dim % groups:
            raise op.error("attribute groups", f"a divisor of {dim}", groups)


def _windows(op: OpView) -> list[Window] | None:
    """The windows over the input, or None where the filter's sizes are not known."""
    check_windows(op, 2, ("strides", "dilations"))
    kernel = [dim for dim in op["Filter"].dims[2:] if isinstance(dim, int)]
    if len(kernel) != 2:
        return None
    return windows(
        spatial(op.text("data_format"), op["Input"].dims),
        kernel,
        op.integers("strides"),
        op.integers("dilations"),
        op.integers("paddings"),
        op.text("padding_algorithm"),
    )


def _image(op: OpView, channel: Dim, sizes: Sequence[Dim]) -> Meta:
    shape = image_shape(op.text("data_format"), op["Input"].dims[0], channel, sizes)
    return Meta(op["Input"].dtype, shape)


def _conv(op: OpView) -> Meta:
    outputs, per_group, *_ = op["Filter"].dims
    _check_channels(op, apply(per_group, lambda n: n * op.integer("groups")))
    return _with_residual(op, _forward(op, outputs))


def _forward(op: OpView, outputs: Dim) -> Meta:
    found = _windows(op)
    if found is None:
        return _image(op, outputs, (UNKNOWN, UNKNOWN))
    image = spatial(op.text("data_format"), op["Input"].dims)
    sizes = [window.out(size) for window, size in zip(found, image, strict=True)]
    if any(isinstance(size, int) and size < 1 for size in sizes):
        raise op.error("Input", f"an image that filter {op['Filter']} fits into", op["Input"])
    return _image(op, outputs, sizes)


def _with_residual(op: OpView, sums: Meta) -> Meta:
    residual = op.get("ResidualData")
    if residual is None or sums.shape is None:
        return sums
    if residual.shape is None:
        return Meta(sums.dtype, None)
    return Meta(sums.dtype, broadcast(op, sums.shape, residual.shape))


def _conv_transpose(op: OpView) -> Meta:
    inputs, per_group, *_ = op["Filter"].dims
    _check_channels(op, inputs)
    outputs = apply(per_group, lambda n: n * op.integer("groups"))
    given = op.values("OutputSize") if op.get("OutputSize") is not None else op.integers("output_size")
    if given:
        return _image(op, outputs, given)
    found = _windows(op)
    if given is None or found is None:
        return _image(op, outputs, (UNKNOWN, UNKNOWN))
    image = spatial(op.text("data_format"), op["Input"].dims)
    extra = op.integers("output_padding") or [0, 0]
    return _image(
        op, outputs, [w.transposed(size, more) for w, size, more in zip(found, image, extra, strict=True)]
    )


for _name in ("conv2d", "depthwise_conv2d"):
    op(_name, _CONV, "Output", _conv, attrs=_ATTRS, lod="Input")

for _name in ("conv2d_transpose", "depthwise_conv2d_transpose"):
    op(
        _name,
        "Input:float/4 Filter:float/4 Bias?:float OutputSize?:int/1 PostScale?:float PostShift?:float",
        "Output",
        _conv_transpose,
        attrs={**_ATTRS, "output_size": ints(), "output_padding": ints()},
        lod="Input",
        attr_slots={"OutputSize": "output_size"},
    )
