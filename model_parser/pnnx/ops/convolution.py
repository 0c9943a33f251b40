"""Convolutions of one, two and three spatial axes, their transposes, and unfold."""

from __future__ import annotations

from collections.abc import Sequence

from lite.ir.program import AttrValue
from lite.model_parser.pnnx.call import Call
from lite.model_parser.pnnx.images import as_image, batched, from_image, image_integers, pad_image
from lite.model_parser.pnnx.translations import pnnx_op
from lite.model_parser.pnnx.value import Value, Var

_MODES = ("zeros", "reflect", "replicate", "circular")


@pnnx_op("nn.Conv1d", "nn.Conv2d", "nn.Conv3d")
@batched
def convolution(call: Call) -> Value:
    """`conv2d` or `conv3d`; one spatial axis becomes the last of two."""
    axes = int(call.type[-2])
    x, attrs = _padded(call, call.image(axes), axes)
    weight = call.array("weight", 2 + axes)
    if axes == 1:
        weight = weight[:, :, None]
    filters = call.writer.weight(f"{call.operator.name}.weight", weight)
    bias = call.optional_weight("bias")
    inputs = {"Input": as_image(call.writer, x, axes), "Filter": filters, "Bias": bias}
    op = "conv3d" if axes == 3 else "conv2d"
    return from_image(call.writer, call.writer.emit_one(op, inputs, attrs), axes)


@pnnx_op("nn.ConvTranspose1d", "nn.ConvTranspose2d", "nn.ConvTranspose3d")
@batched
def transposed_convolution(call: Call) -> Value:
    """`conv2d_transpose` or `conv3d_transpose`; one spatial axis becomes the last of two."""
    axes = int(call.type[-2])
    writer = call.writer
    weight = call.array("weight", 2 + axes)
    weight = weight[:, :, None] if axes == 1 else weight
    attrs = _transposed_attrs(call, axes)
    filters = writer.weight(f"{call.operator.name}.weight", weight)
    inputs = {
        "Input": as_image(writer, call.image(axes), axes),
        "Filter": filters,
        "Bias": call.optional_weight("bias"),
    }
    op = "conv3d_transpose" if axes == 3 else "conv2d_transpose"
    return from_image(writer, writer.emit_one(op, inputs, attrs), axes)


@pnnx_op("F.conv1d", "F.conv2d", "F.conv3d")
@batched
def convolution_of_operands(call: Call) -> Value:
    """`conv2d` or `conv3d`, whose filter is an operand."""
    axes = int(call.type[-2])
    x, filters, bias = _operands(call, axes)
    dilation = image_integers(call, "dilation", axes, 1)
    kernel = [size if isinstance(size, int) else None for size in call.writer.shape(filters)[2:]]
    attrs: dict[str, AttrValue] = {
        "strides": image_integers(call, "stride", axes, 1),
        "paddings": _paddings(call, axes, kernel, dilation),
        "dilations": dilation,
        "groups": call.integer("groups", 1),
    }
    inputs = {"Input": x, "Filter": filters, "Bias": bias}
    op = "conv3d" if axes == 3 else "conv2d"
    return from_image(call.writer, call.writer.emit_one(op, inputs, attrs), axes)


@pnnx_op("F.conv_transpose1d", "F.conv_transpose2d", "F.conv_transpose3d")
@batched
def transposed_convolution_of_operands(call: Call) -> Value:
    """`conv2d_transpose` or `conv3d_transpose`, whose filter is an operand."""
    axes = int(call.type[-2])
    x, filters, bias = _operands(call, axes)
    attrs = _transposed_attrs(call, axes)
    inputs = {"Input": x, "Filter": filters, "Bias": bias}
    op = "conv3d_transpose" if axes == 3 else "conv2d_transpose"
    return from_image(call.writer, call.writer.emit_one(op, inputs, attrs), axes)


def _operands(call: Call, axes: int) -> tuple[Var, Var, Var | None]:
    """The image, the filter and the bias of a function."""
    filters = as_image(call.writer, call.tensor("weight"), axes)
    bias = call.tensor("bias") if call.has("bias") else None
    return as_image(call.writer, call.image(axes), axes), filters, bias


def _transposed_attrs(call: Call, axes: int) -> dict[str, AttrValue]:
    return {
        "strides": image_integers(call, "stride", axes, 1),
        "paddings": image_integers(call, "padding", axes, 0),
        "dilations": image_integers(call, "dilation", axes, 1),
        "output_padding": image_integers(call, "output_padding", axes, 0),
        "groups": call.integer("groups", 1),
    }


def _padded(call: Call, x: Var, axes: int) -> tuple[Var, dict[str, AttrValue]]:
    """The input, padded where the mode is not zeros, and the attributes of the convolution."""
    mode = call.choice("padding_mode", "zeros", *_MODES)
    kernel = image_integers(call, "kernel_size", axes, 1)
    dilation = image_integers(call, "dilation", axes, 1)
    padding = _paddings(call, axes, kernel, dilation)
    if mode != "zeros" and any(padding):
        x = pad_image(call, x, padding[-2 * axes :], mode, axes)
        padding = [0] * len(padding)
    attrs: dict[str, AttrValue] = {
        "strides": image_integers(call, "stride", axes, 1),
        "paddings": list(padding),
        "dilations": dilation,
        "groups": call.integer("groups", 1),
    }
    return x, attrs


def _paddings(call: Call, axes: int, kernel: Sequence[int | None], dilation: Sequence[int]) -> list[int]:
    """The paddings before and after each axis; for `same`, an odd element is after."""
    if call.arg("padding") == "same":
        if None in kernel:
            raise call.error("padding 'same' of a filter of unknown size is not supported")
        totals = [d * ((k or 1) - 1) for k, d in zip(kernel, dilation, strict=True)]
        return [side for total in totals for side in (total // 2, total - total // 2)]
    if call.arg("padding") == "valid":
        return [0] * (2 * len(kernel))
    return [side for side in image_integers(call, "padding", axes, 0) for _ in range(2)]
