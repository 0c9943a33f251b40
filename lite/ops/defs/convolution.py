"""Convolutions of images and volumes, their transposes and integer forms; squeeze and excite.

conv2d, conv2d_transpose and conv3d have fused steps that Paddle lacks: `activation` with its parameters
(`OpSchema.numbers`), and those of images `PostScale` and `PostShift`, ``[1]`` or ``[channels]``.  The output
is ``activation(conv + Bias + ResidualData) · PostScale + PostShift``; with an `out_scale`, conv2d rounds it
to ``round(y / out_scale) + out_zero_point`` of type uint8.  `ResidualData` is Paddle's; here it
may also broadcast against the output, as in elementwise_add.
"""

from __future__ import annotations

from collections.abc import Sequence

from lite.ir.program import AttrValue
from lite.ir.types import UNKNOWN, Dim, DType
from lite.ops.attrs import Attr, choice, floats, ints, number
from lite.ops.broadcast import broadcast
from lite.ops.fused_activation import conv_activation
from lite.ops.rules import apply, same_as
from lite.ops.schema import Trait, old_spelling, op
from lite.ops.view import Meta, OpView
from lite.ops.window import Window, channels, check_windows, image_shape, onnx_windows, spatial, windows


def _check_channels(op: OpView, expected: Dim) -> None:
    """Check that the input has `expected` channels and that `groups` divides the channels and filters."""
    count, groups = channels(op.text("data_format"), op["Input"].dims), op.integer("groups")
    if isinstance(count, int) and isinstance(expected, int) and count != expected:
        raise op.error("Input", f"{expected} channels for filter {op['Filter']}", op["Input"])
    for dim in (count, op["Filter"].dims[0]):
        if isinstance(dim, int) and dim % groups:
            raise op.error("attribute groups", f"a divisor of {dim}", groups)


def _windows(op: OpView) -> list[Window] | None:
    """The windows over the input, or None if a size of the filter is unknown."""
    rank = op["Input"].rank - 2
    check_windows(op, rank, ("strides", "dilations"))
    kernel = [dim for dim in op["Filter"].dims[2:] if isinstance(dim, int)]
    if len(kernel) != rank:
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
    image = spatial(op.text("data_format"), op["Input"].dims)
    sizes: list[Dim] = [UNKNOWN] * len(image)
    over = _windows(op)
    if over is not None:
        sizes = [window.out(size) for window, size in zip(over, image, strict=True)]
    if any(isinstance(size, int) and size < 1 for size in sizes):
        raise op.error("Input", f"an image that filter {op['Filter']} fits into", op["Input"])
    return _with_residual(op, _image(op, outputs, sizes))


def _with_residual(op: OpView, y: Meta) -> Meta:
    residual = op.get("ResidualData")
    if residual is None or y.shape is None:
        return y
    if residual.shape is None:
        return Meta(y.dtype, None)
    return Meta(y.dtype, broadcast(op, y.shape, residual.shape))


def _conv_transpose(op: OpView) -> Meta:
    inputs, per_group, *_ = op["Filter"].dims
    _check_channels(op, inputs)
    outputs = apply(per_group, lambda n: n * op.integer("groups"))
    image = spatial(op.text("data_format"), op["Input"].dims)
    output_size = _output_size(op)
    if output_size:
        return _image(op, outputs, output_size)
    over = _windows(op)
    if output_size is None or over is None:
        return _image(op, outputs, [UNKNOWN] * len(image))
    extra = op.integers("output_padding") or [0] * len(image)
    return _image(
        op, outputs, [w.transposed(size, more) for w, size, more in zip(over, image, extra, strict=True)]
    )


def _output_size(op: OpView) -> Sequence[int] | None:
    """The output size that conv2d_transpose states; empty if it states none, None if it is unknown."""
    if op["Input"].rank != 4:
        return []
    return op.values("OutputSize") if op.get("OutputSize") is not None else op.integers("output_size")


def _conv_attrs(axes: int, layout: str | Attr) -> dict[str, AttrValue | Attr]:
    return {
        "strides": ints(*[1] * axes),
        "paddings": ints(*[0] * axes),
        "padding_algorithm": "EXPLICIT",
        "dilations": ints(*[1] * axes),
        "groups": number(1, 1),
        "data_format": layout,
    }


_FUSED: dict[str, AttrValue | Attr] = {"activation": "", "activation_params": floats()}
_IMAGES = {**_conv_attrs(2, "NCHW"), **_FUSED}
_VOLUMES = _conv_attrs(3, choice("NCDHW", "NCHW", "AnyLayout", "NDHWC"))

_BYTES: dict[str, AttrValue | Attr] = {"out_scale": 0.0, "out_zero_point": number(0, 0, 255)}


def _conv2d(op: OpView) -> Meta:
    y = _conv(op)
    return Meta(DType.UINT8, y.shape) if op.real("out_scale") else y


op(
    "conv2d",
    "Convolution of images [N, C, H, W] with filters [O, C / groups, kh, kw].",
    "Input:float/4 Filter:float/4 Bias?:float ResidualData?:float/4 PostScale?:float PostShift?:float",
    "Output",
    _conv2d,
    attrs={**_IMAGES, **_BYTES},
    traits=(Trait.WINDOW,),
    lod="Input",
    respell=conv_activation,
)
old_spelling("depthwise_conv2d", "conv2d", ", with a filter per channel", traits=())


def _quantized(op: OpView) -> Meta:
    dtype = DType.UINT8 if op.real("out_scale") else DType.FLOAT32
    return Meta(dtype, _conv(op).shape)


# Input is padded with its zero point; Scale is the product of the scales of Input and Filter.  With a Table,
# the output is ``Table[result]``, as in quantized_lookup.
op(
    "quantized_conv2d",
    "conv2d of integers: the sums of (Input - zero_point) · Filter, times Scale.",
    "Input:uint8/4 Filter:int8/4 Scale:float32 Bias?:float32 ResidualData?:float32/4 PostScale?:float32 "
    "PostShift?:float32 Table?:uint8/1",
    "Output",
    _quantized,
    attrs={**_IMAGES, **_BYTES, "zero_point": number(0, 0, 255)},
    traits=(Trait.WINDOW,),
    lod="Input",
)
op(
    "conv2d_transpose",
    "Transposed convolution of images with filters [C, O / groups, kh, kw].",
    "Input:float/4 Filter:float/4 Bias?:float OutputSize?:int/1 PostScale?:float PostShift?:float",
    "Output",
    _conv_transpose,
    attrs={**_IMAGES, "output_size": ints(), "output_padding": ints()},
    traits=(Trait.WINDOW,),
    lod="Input",
    respell=conv_activation,
    attr_slots={"OutputSize": "output_size"},
)
old_spelling("depthwise_conv2d_transpose", "conv2d_transpose", ", with a filter per channel", traits=())
op(
    "conv3d",
    "Convolution of volumes [N, C, D, H, W].",
    "Input:float/5 Filter:float/5 Bias?:float",
    "Output",
    _conv,
    attrs={**_VOLUMES, **_FUSED},
    traits=(Trait.WINDOW,),
    respell=conv_activation,
)
op(
    "conv3d_transpose",
    "Transposed convolution of volumes.",
    "Input:float/5 Filter:float/5 Bias?:float",
    "Output",
    _conv_transpose,
    attrs={**_VOLUMES, "output_padding": ints()},
    traits=(Trait.WINDOW,),
)


def _onnx_shape(op: OpView) -> tuple[Dim, ...] | None:
    if op["X"].shape is None or op["Filter"].shape is None:
        return None
    x, weight = op["X"].dims, op["Filter"].dims
    image = tuple(size for size in x[2:] if isinstance(size, int))
    kernel = tuple(size for size in weight[2:] if isinstance(size, int))
    if len(image) != len(x) - 2 or len(kernel) != len(image):
        return (x[0], weight[0], *[UNKNOWN] * (len(x) - 2))
    strides, dilations, pads = (op.integers(name) for name in ("strides", "dilations", "pads"))
    over = onnx_windows(image, kernel, strides, dilations, pads, op.text("auto_pad"))
    return (x[0], weight[0], *(w.out(size) for w, size in zip(over, image, strict=True)))


def _conv_integer(op: OpView) -> Meta:
    return Meta(DType.INT32, _onnx_shape(op))


def _qlinear_conv(op: OpView) -> Meta:
    return Meta(op["OutZeroPoint"].dtype, _onnx_shape(op))


_ONNX: dict[str, AttrValue | Attr] = {
    "auto_pad": choice("NOTSET", "SAME_UPPER", "SAME_LOWER", "VALID"),
    "dilations": ints(),
    "group": number(1, 1),
    "pads": ints(),
    "strides": ints(),
}

op(
    "conv_integer",
    "Convolution of integers less their zero points, summed in int32, after ONNX ConvInteger.",
    "X:int/3- Filter:int/3- XZeroPoint?:int FilterZeroPoint?:int",
    "Out",
    _conv_integer,
    attrs=_ONNX,
    traits=(Trait.WINDOW,),
)
op(
    "qlinear_conv",
    "Convolution of quantised images with a quantised result, after ONNX QLinearConv.",
    "X:int/3- XScale:float XZeroPoint:int Filter:int/3- FilterScale:float FilterZeroPoint:int "
    "OutScale:float OutZeroPoint:int Bias?:int",
    "Out",
    _qlinear_conv,
    attrs=_ONNX,
    traits=(Trait.WINDOW,),
)

# J. Hu et al., "Squeeze-and-Excitation Networks", 2018.  Squeeze [S, C, 1, 1] and Excite [C, S, 1, 1] are
# the filters of two dense layers with activations on the means of the channels.  GateScale and GateShift,
# [1] or [C], follow the second activation.
op(
    "squeeze_excite",
    "X times a gate per channel, by two dense layers on the channels' means. litebridge's own.",
    "X:float/4 Squeeze:float/4 SqueezeBias?:float Excite:float/4 ExciteBias?:float "
    "GateScale?:float GateShift?:float",
    "Out",
    same_as("X"),
    attrs={
        "squeeze_activation": "",
        "squeeze_params": floats(),
        "excite_activation": "",
        "excite_params": floats(),
    },
    lod="X",
    inplace={"Out": "X"},
)
