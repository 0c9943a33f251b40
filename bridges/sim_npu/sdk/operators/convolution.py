"""CONV_2D and CONV_TRANSPOSE_2D.

Inputs: the image float32[N, C, H, W]; the filter, a constant, float32[M, C / groups, kH, kW] for CONV_2D and
float32[C, M / groups, kH, kW] for CONV_TRANSPOSE_2D; and an optional constant bias float32[M].

Attributes: ``stride``, ``dilation`` (one number each), ``pads`` (top, bottom, left, right), ``groups``, and
``activation``: NONE, RELU or RELU6, applied for free.  CONV_TRANSPOSE_2D also has ``extra``: rows and columns
added at the bottom and the right of its result.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lite.bridges.sim_npu.sdk.attributes import Attribute, Attributes, choice, integer, integers
from lite.bridges.sim_npu.sdk.errors import NpuError, Status
from lite.bridges.sim_npu.sdk.operator import operator, require_float
from lite.bridges.sim_npu.sdk.operators.window import Windows, require_image
from lite.bridges.sim_npu.sdk.tensor import Array, TensorType


def _conv_type(inputs: Sequence[TensorType], attributes: Attributes) -> list[TensorType]:
    image, weights = _checked(inputs, attributes)
    groups = integer(attributes, "groups", 1, image.shape[1])
    outputs, per_group = weights.shape[:2]
    if per_group * groups != image.shape[1] or outputs % groups:
        raise NpuError(
            Status.INVALID_SHAPE, f"filter {weights} in {groups} groups does not fit image {image}"
        )
    _check_bias(inputs, outputs)
    rows, columns = Windows.read(weights.shape[2:], attributes).out(image.shape[2:])
    return [TensorType("float32", (image.shape[0], outputs, rows, columns))]


def _transpose_type(inputs: Sequence[TensorType], attributes: Attributes) -> list[TensorType]:
    image, weights = _checked(inputs, attributes)
    groups = integer(attributes, "groups", 1, image.shape[1])
    channels, per_group = weights.shape[:2]
    if channels != image.shape[1] or channels % groups:
        raise NpuError(
            Status.INVALID_SHAPE, f"filter {weights} in {groups} groups does not fit image {image}"
        )
    _check_bias(inputs, per_group * groups)
    windows = Windows.read(weights.shape[2:], attributes)
    extra = integers(attributes, "extra", 2)
    if not all(0 <= more < windows.stride for more in extra):
        raise NpuError(Status.INVALID_ATTRIBUTE, f"extra {extra} must be below the stride {windows.stride}")
    rows, columns = _transposed_size(image.shape, windows, extra)
    return [TensorType("float32", (image.shape[0], per_group * groups, rows, columns))]


def _checked(inputs: Sequence[TensorType], attributes: Attributes) -> tuple[TensorType, TensorType]:
    image, weights = inputs[:2]
    require_image(image)
    require_float(inputs)
    choice(attributes, "activation", "NONE", "RELU", "RELU6")
    if len(weights.shape) != 4:
        raise NpuError(Status.INVALID_SHAPE, f"a filter has 4 axes, got {weights}")
    return image, weights


def _check_bias(inputs: Sequence[TensorType], outputs: int) -> None:
    if len(inputs) == 3 and inputs[2].shape != (outputs,):
        raise NpuError(Status.INVALID_SHAPE, f"the bias must be float32[{outputs}], got {inputs[2]}")


def _transposed_size(shape: Sequence[int], windows: Windows, extra: Sequence[int]) -> tuple[int, int]:
    top, bottom, left, right = windows.pads
    rows, columns = (
        (size - 1) * windows.stride + extent + more
        for size, extent, more in zip(shape[2:], windows.extents, extra, strict=True)
    )
    return rows - top - bottom, columns - left - right


def _conv(inputs: Sequence[Array], attributes: Attributes) -> list[Array]:
    image, weights = inputs[:2]
    windows = Windows.read(weights.shape[2:], attributes)
    groups = integer(attributes, "groups", 1, image.shape[1])
    rows, columns = windows.out(image.shape[2:])
    batch, outputs = image.shape[0], weights.shape[0]
    grouped = weights.reshape(groups, outputs // groups, *weights.shape[1:])
    result = np.zeros((batch, groups, outputs // groups, rows * columns), np.float32)
    for row, column, tap in windows.taps(windows.padded(image, 0), (rows, columns)):
        result += _products(grouped[..., row, column], tap.reshape(batch, groups, -1, rows * columns))
    return [_with_bias_and_activation(result.reshape(batch, outputs, rows, columns), inputs, attributes)]


def _conv_transpose(inputs: Sequence[Array], attributes: Attributes) -> list[Array]:
    image, weights = inputs[:2]
    windows = Windows.read(weights.shape[2:], attributes)
    groups = integer(attributes, "groups", 1, image.shape[1])
    batch, channels, rows, columns = image.shape
    size = _transposed_size(image.shape, windows, integers(attributes, "extra", 2))
    top, bottom, left, right = windows.pads
    outputs = weights.shape[1] * groups
    full = np.zeros((batch, outputs, size[0] + top + bottom, size[1] + left + right), np.float32)
    grouped = weights.reshape(groups, channels // groups, *weights.shape[1:]).swapaxes(1, 2)
    source = image.reshape(batch, groups, -1, rows * columns)
    for row, column, tap in windows.taps(full, (rows, columns)):
        tap += _products(grouped[..., row, column], source).reshape(batch, outputs, rows, columns)
    kept = full[:, :, top : top + size[0], left : left + size[1]]
    return [_with_bias_and_activation(np.ascontiguousarray(kept), inputs, attributes)]


def _products(weights: Array, pixels: Array) -> Array:
    """float32[groups, outputs, channels] times float32[N, groups, channels, pixels]."""
    if weights.shape[2] == 1:
        depthwise: Array = weights * pixels
        return depthwise
    products: Array = np.matmul(weights, pixels)
    return products


def _with_bias_and_activation(result: Array, inputs: Sequence[Array], attributes: Attributes) -> Array:
    if len(inputs) == 3:
        result += inputs[2][:, None, None]
    return activated(result, str(attributes["activation"]))


def activated(x: Array, activation: str) -> Array:
    """`x` after the activation that linear operators apply for free."""
    if activation == "RELU":
        return np.maximum(x, np.float32(0))
    if activation == "RELU6":
        return np.clip(x, np.float32(0), np.float32(6))
    return x


_ATTRIBUTES: dict[str, Attribute | None] = {
    "stride": 1,
    "dilation": 1,
    "pads": [0, 0, 0, 0],
    "groups": 1,
    "activation": "NONE",
}

operator("CONV_2D", (2, 3), _conv_type, _conv, constants=(1, 2), **_ATTRIBUTES)
operator(
    "CONV_TRANSPOSE_2D",
    (2, 3),
    _transpose_type,
    _conv_transpose,
    constants=(1, 2),
    extra=[0, 0],
    **_ATTRIBUTES,
)
