"""Operators on int8 tensors, in integers throughout.

===================  ==========================================================================
Q_CONV_2D            image int8[N, C, H, W], filter int8[M, C / groups, kH, kW], bias int32[M]
Q_CONV_TRANSPOSE_2D  the same with the filter int8[C, M / groups, kH, kW]; ``extra`` as without Q
Q_FULLY_CONNECTED    rows int8[R, K], matrix int8[K, M], bias int32[M]
Q_ADD                two tensors of one rank, each axis equal or 1
Q_MUL                the same
Q_MEAN               sums over ``axes``, which become axes of size 1
Q_POOL_2D            ``mode`` MAX, or AVERAGE of the elements inside the image (``count_padding``: of all)
Q_LOOKUP             a tensor and a constant int8[256]: the element at x + 128
===================  ==========================================================================

Zero points are subtracted first: ``zero`` of the first tensor, ``other_zero`` of the second.  Products and
sums are exact in 32 bits; padding has the zero point.  A sum `a` becomes int8 by a multiplier m
(``multipliers``, one for each channel, or for each number of elements from 1) and a shift s (``shifts``)::

    min(max(((a · m + 2^(s - 1)) >> s) + out_zero, low), high)

in 64 bits with an arithmetic shift, so that halves are rounded up.  Q_ADD computes ``a · m0 + b · m1`` in the
place of ``a · m``.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lite.bridges.sim_npu.sdk.attributes import Attribute, Attributes, choice, flag, integer, integers
from lite.bridges.sim_npu.sdk.errors import NpuError, Status
from lite.bridges.sim_npu.sdk.operator import operator
from lite.bridges.sim_npu.sdk.operators.window import Windows
from lite.bridges.sim_npu.sdk.tensor import Array, TensorType

_ZEROS: dict[str, Attribute | None] = {"zero": 0, "out_zero": 0, "low": -128, "high": 127}
_SCALES: dict[str, Attribute | None] = {"multipliers": None, "shifts": None, **_ZEROS}


def _int8(type_: TensorType, rank: int | None = None) -> TensorType:
    if type_.dtype != "int8" or (rank is not None and len(type_.shape) != rank):
        axes = "" if rank is None else f" with {rank} axes"
        raise NpuError(Status.INVALID_DTYPE, f"{type_} (supported: int8{axes})")
    return type_


def _numbers(attributes: Attributes, name: str) -> list[int]:
    value = attributes[name]
    return integers(attributes, name, len(value) if isinstance(value, list) else 1)


def _check_scales(attributes: Attributes, count: int) -> None:
    multipliers, shifts = _numbers(attributes, "multipliers"), _numbers(attributes, "shifts")
    if len(multipliers) != count or len(shifts) != count:
        raise NpuError(Status.INVALID_ATTRIBUTE, f"{count} multipliers and shifts are needed")
    if not all(0 <= number < 2**31 for number in multipliers) or not all(1 <= s <= 62 for s in shifts):
        raise NpuError(Status.LIMIT_EXCEEDED, "multipliers have 31 bits, shifts are 1 to 62")


def requantized(sums: Array, multipliers: Array, shifts: Array, attributes: Attributes) -> Array:
    """Sums as int8; `multipliers` and `shifts` broadcast to them."""
    products = sums.astype(np.int64) * multipliers.astype(np.int64)
    rounded = (products + (np.int64(1) << (shifts.astype(np.int64) - 1))) >> shifts.astype(np.int64)
    return _clamped(rounded, attributes)


def _clamped(numbers: Array, attributes: Attributes) -> Array:
    low, high = integer(attributes, "low", -128, 127), integer(attributes, "high", -128, 127)
    result: Array = np.clip(numbers + integer(attributes, "out_zero", -128, 127), low, high).astype(np.int8)
    return result


def _scales(attributes: Attributes, shape: Sequence[int]) -> tuple[Array, Array]:
    return tuple(np.array(_numbers(attributes, name)).reshape(shape) for name in ("multipliers", "shifts"))  # type: ignore[return-value]


def _centred(x: Array, attributes: Attributes, name: str = "zero") -> Array:
    """`x` without its zero point, in float64, by which integers up to 2^53 are simulated exactly."""
    wide: Array = x.astype(np.float64)
    wide -= integer(attributes, name, -128, 127)
    return wide


def _conv_type(inputs: Sequence[TensorType], attributes: Attributes) -> list[TensorType]:
    image, weights, bias = inputs
    _int8(image, 4), _int8(weights, 4)
    groups = integer(attributes, "groups", 1, image.shape[1])
    outputs = weights.shape[0]
    if weights.shape[1] * groups != image.shape[1] or outputs % groups or bias.shape != (outputs,):
        raise NpuError(Status.INVALID_SHAPE, f"{weights}, {bias} do not fit {image} in {groups} groups")
    _check_scales(attributes, outputs)
    size = Windows.read(weights.shape[2:], attributes).out(image.shape[2:])
    return [TensorType("int8", (image.shape[0], outputs, *size))]


def _conv(inputs: Sequence[Array], attributes: Attributes) -> list[Array]:
    image, weights, bias = _centred(inputs[0], attributes), inputs[1].astype(np.float64), inputs[2]
    windows = Windows.read(weights.shape[2:], attributes)
    groups = integer(attributes, "groups", 1, image.shape[1])
    size = windows.out(image.shape[2:])
    batch, outputs, pixels = len(image), len(weights), size[0] * size[1]
    grouped = weights.reshape(groups, outputs // groups, *weights.shape[1:])
    sums = np.zeros((batch, groups, outputs // groups, pixels))
    for row, column, tap in windows.taps(windows.padded(image, 0), size):
        source = tap.reshape(batch, groups, -1, pixels)
        taken = grouped[..., row, column]
        sums += taken * source if taken.shape[2] == 1 else np.matmul(taken, source)
    totals = sums.reshape(batch, outputs, *size) + bias[:, None, None]
    return [requantized(totals, *_scales(attributes, (outputs, 1, 1)), attributes)]


def _transpose_size(image: Sequence[int], windows: Windows, extra: Sequence[int]) -> tuple[int, int]:
    top, bottom, left, right = windows.pads
    rows, columns = (
        (size - 1) * windows.stride + extent + more
        for size, extent, more in zip(image, windows.extents, extra, strict=True)
    )
    return rows - top - bottom, columns - left - right


def _conv_transpose_type(inputs: Sequence[TensorType], attributes: Attributes) -> list[TensorType]:
    image, weights, bias = inputs
    _int8(image, 4), _int8(weights, 4)
    groups = integer(attributes, "groups", 1, image.shape[1])
    outputs = weights.shape[1] * groups
    if weights.shape[0] != image.shape[1] or image.shape[1] % groups or bias.shape != (outputs,):
        raise NpuError(Status.INVALID_SHAPE, f"{weights}, {bias} do not fit {image} in {groups} groups")
    _check_scales(attributes, outputs)
    windows = Windows.read(weights.shape[2:], attributes)
    size = _transpose_size(image.shape[2:], windows, integers(attributes, "extra", 2))
    return [TensorType("int8", (image.shape[0], outputs, *size))]


def _conv_transpose(inputs: Sequence[Array], attributes: Attributes) -> list[Array]:
    image, weights, bias = _centred(inputs[0], attributes), inputs[1].astype(np.float64), inputs[2]
    windows = Windows.read(weights.shape[2:], attributes)
    groups = integer(attributes, "groups", 1, image.shape[1])
    batch, channels, rows, columns = image.shape
    size = _transpose_size((rows, columns), windows, integers(attributes, "extra", 2))
    top, bottom, left, right = windows.pads
    outputs = weights.shape[1] * groups
    full = np.zeros((batch, outputs, size[0] + top + bottom, size[1] + left + right))
    grouped = weights.reshape(groups, channels // groups, *weights.shape[1:]).swapaxes(1, 2)
    source = image.reshape(batch, groups, -1, rows * columns)
    for row, column, tap in windows.taps(full, (rows, columns)):
        tap += np.matmul(grouped[..., row, column], source).reshape(batch, outputs, rows, columns)
    sums = full[:, :, top : top + size[0], left : left + size[1]] + bias[:, None, None]
    return [requantized(sums, *_scales(attributes, (outputs, 1, 1)), attributes)]


def _connected_type(inputs: Sequence[TensorType], attributes: Attributes) -> list[TensorType]:
    rows, matrix, bias = inputs
    _int8(rows, 2), _int8(matrix, 2)
    if rows.shape[1] != matrix.shape[0] or bias.shape != (matrix.shape[1],):
        raise NpuError(Status.INVALID_SHAPE, f"{matrix}, {bias} do not fit {rows}")
    _check_scales(attributes, matrix.shape[1])
    return [TensorType("int8", (rows.shape[0], matrix.shape[1]))]


def _connected(inputs: Sequence[Array], attributes: Attributes) -> list[Array]:
    sums = np.matmul(_centred(inputs[0], attributes), inputs[1].astype(np.float64)) + inputs[2]
    return [requantized(sums, *_scales(attributes, (-1,)), attributes)]


def _pair_type(inputs: Sequence[TensorType], _: Attributes) -> list[TensorType]:
    first, second = (_int8(type_) for type_ in inputs)
    pairs = list(zip(first.shape, second.shape, strict=False))
    if len(first.shape) != len(second.shape) or any(a != b and 1 not in (a, b) for a, b in pairs):
        raise NpuError(Status.INVALID_SHAPE, f"{first} and {second} cannot be broadcast")
    return [TensorType("int8", tuple(max(pair) for pair in pairs))]


def _add(inputs: Sequence[Array], attributes: Attributes) -> list[Array]:
    first, second = (
        x.astype(np.int64) - integer(attributes, name, -128, 127)
        for x, name in zip(inputs, ("zero", "other_zero"), strict=True)
    )
    factors, (shift,) = integers(attributes, "multipliers", 2), integers(attributes, "shifts", 1)
    sums = first * factors[0] + second * factors[1]
    return [_clamped((sums + (1 << (shift - 1))) >> shift, attributes)]


def _mul(inputs: Sequence[Array], attributes: Attributes) -> list[Array]:
    products = _centred(inputs[0], attributes) * _centred(inputs[1], attributes, "other_zero")
    return [requantized(products, *_scales(attributes, (-1,)), attributes)]


def _mean_type(inputs: Sequence[TensorType], attributes: Attributes) -> list[TensorType]:
    (x,), axes = inputs, _numbers(attributes, "axes")
    _check_scales(attributes, 1)
    return [TensorType(_int8(x).dtype, tuple(1 if n in axes else size for n, size in enumerate(x.shape)))]


def _mean(inputs: Sequence[Array], attributes: Attributes) -> list[Array]:
    sums = _centred(inputs[0], attributes).sum(tuple(_numbers(attributes, "axes")), keepdims=True)
    return [requantized(sums, *_scales(attributes, (-1,)), attributes)]


def _pool_type(inputs: Sequence[TensorType], attributes: Attributes) -> list[TensorType]:
    (image,), kernel = inputs, integers(attributes, "kernel", 2)
    _int8(image, 4)
    if choice(attributes, "mode", "MAX", "AVERAGE") == "AVERAGE":
        _check_scales(attributes, kernel[0] * kernel[1])
    return [TensorType("int8", (*image.shape[:2], *Windows.read(kernel, attributes).out(image.shape[2:])))]


def _pool(inputs: Sequence[Array], attributes: Attributes) -> list[Array]:
    image, windows = inputs[0], Windows.read(integers(attributes, "kernel", 2), attributes)
    size = windows.out(image.shape[2:])
    if attributes["mode"] == "MAX":
        return [np.max([tap for *_, tap in windows.taps(windows.padded(image, -128), size)], axis=0)]
    sums = sum(tap for *_, tap in windows.taps(windows.padded(_centred(image, attributes), 0), size))
    inside = np.ones((1, 1, *image.shape[2:]), np.int64)
    border = int(flag(attributes, "count_padding"))
    counts = sum(tap for *_, tap in windows.taps(windows.padded(inside, border), size))
    factors, shifts = (table[np.asarray(counts) - 1] for table in _scales(attributes, (-1,)))
    return [requantized(np.asarray(sums), factors, shifts, attributes)]


def _lookup_type(inputs: Sequence[TensorType], _: Attributes) -> list[TensorType]:
    if inputs[1] != TensorType("int8", (256,)):
        raise NpuError(Status.INVALID_SHAPE, f"the table is {inputs[1]}, expected int8[256]")
    return [_int8(inputs[0])]


def _lookup(inputs: Sequence[Array], _: Attributes) -> list[Array]:
    return [inputs[1][inputs[0].astype(np.int64) + 128]]


_WINDOW: dict[str, Attribute | None] = {"stride": 1, "pads": [0, 0, 0, 0]}
_CONV: dict[str, Attribute | None] = {**_SCALES, **_WINDOW, "dilation": 1, "groups": 1}

_POOL: dict[str, Attribute | None] = {
    **_WINDOW,
    **_SCALES,
    "mode": None,
    "kernel": None,
    "count_padding": False,
}

operator("Q_CONV_2D", 3, _conv_type, _conv, constants=(1, 2), **_CONV)
operator(
    "Q_CONV_TRANSPOSE_2D", 3, _conv_transpose_type, _conv_transpose, constants=(1, 2), extra=[0, 0], **_CONV
)
operator("Q_FULLY_CONNECTED", 3, _connected_type, _connected, constants=(1, 2), **_SCALES)
operator("Q_ADD", 2, _pair_type, _add, constants=(), other_zero=0, **_SCALES)
operator("Q_MUL", 2, _pair_type, _mul, constants=(), other_zero=0, **_SCALES)
operator("Q_MEAN", 1, _mean_type, _mean, constants=(), axes=None, **_SCALES)
operator(
    "Q_POOL_2D",
    1,
    _pool_type,
    _pool,
    constants=(),
    mode=None,
    kernel=None,
    count_padding=False,
    **_WINDOW,
    **_SCALES,
)
operator("Q_LOOKUP", 2, _lookup_type, _lookup, constants=(1,))
