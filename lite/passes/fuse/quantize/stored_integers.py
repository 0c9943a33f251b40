"""Weights of 4 and 8 bits in the form that products read."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from lite.dataclass import dataclass
from lite.ir.graph import Node
from lite.ir.types import Array, DType
from lite.passes.match import attributes

_TYPES = (DType.INT8, DType.UINT8, DType.INT4, DType.UINT4)
_STEPS = 1 << 4
"""How many integers 4 bits can represent."""

_SHIFT = 128
"""The difference between a uint8 number and the int8 number that replaces it."""


@dataclass(frozen=True, eq=False)
class StoredWeights:
    """Weights ``[K, N]``: float16, bfloat16 or int8, or ``uint8[K / 2, N]`` with two rows of 4 bits in each.

    `scale`, of integers, is ``float32[N]`` or ``float32[blocks of K, N]``.  `zero_point`, of 4 bits, has the
    shape of `scale` and is float32.
    """

    numbers: Array
    scale: Array | None = None
    zero_point: Array | None = None


def stored_integers(node: Node, array: Array, *, is_transposed: bool) -> Callable[[], StoredWeights] | None:
    """A function that makes the stored form of `array`, a constant that `node` dequantises, or its transpose.

    If all numbers lie within 16 consecutive integers, each takes 4 bits, whatever the type of `array`.
    Otherwise all zero points must be 0 for int8, 128 for uint8.  None for other constants.
    """
    scale, zero = node.input("Scale").data, node.optional_input("ZeroPoint")
    point = np.zeros(1, np.float32) if zero is None else zero.data
    if (
        scale is None
        or scale.dtype != np.float32
        or point is None
        or DType.from_numpy(array.dtype) not in _TYPES
    ):
        return None
    if node.op == "dequantize_linear":
        scale = scale / np.float32(2 ** (attributes(node).integer("bit_length") - 1) - 1)
    shape = array.shape[::-1] if is_transposed else array.shape
    scales, points = (
        _grid(node, numbers.astype(np.float32), shape, is_transposed=is_transposed)
        for numbers in (scale, point)
    )
    if scales is None or points is None:
        return None
    count = max(len(scales), len(points))
    scales, points = (np.broadcast_to(each, (count, shape[1])) for each in (scales, points))
    bytes_ = array if array.dtype in (np.int8, np.uint8) else array.astype(np.int8)
    low, high = int(bytes_.min()), int(bytes_.max())
    numbers = bytes_.T if is_transposed else bytes_
    if high - low < _STEPS:
        return lambda: StoredWeights(_packed(numbers, low), np.array(scales), points - np.float32(low))
    shift = _SHIFT if bytes_.dtype == np.uint8 else 0
    if (points != shift).any():
        return None
    scale = np.array(scales if count > 1 else scales[0])
    return lambda: StoredWeights(
        np.ascontiguousarray((numbers ^ np.uint8(_SHIFT)).view(np.int8) if shift else numbers), scale
    )


def _packed(numbers: Array, low: int) -> Array:
    """``numbers[K, N] - low`` as ``uint8[K / 2, N]``: of two rows, the first one is in the low 4 bits."""
    rows = np.zeros((-(-len(numbers) // 2) * 2, numbers.shape[1]), np.uint8)
    rows[: len(numbers)] = numbers.astype(np.int16) - low
    packed: Array = rows[::2] | rows[1::2] << 4
    return packed


def _grid(node: Node, numbers: Array, shape: tuple[int, ...], *, is_transposed: bool) -> Array | None:
    """Scales or zero points as ``[1, columns]`` or ``[blocks of rows, columns]``; None for other forms."""
    attrs, (depth, columns) = attributes(node), shape
    is_affine = node.op == "affine_dequantize"
    axis = attrs.integer("axis" if is_affine else "quant_axis") % 2
    axis = 1 - axis if is_transposed else axis
    block = attrs.integer("block_size") if is_affine else 0
    if numbers.size == 1:
        return np.full((1, columns), numbers.reshape(-1)[0])
    if block:
        given = numbers.T if is_transposed else numbers
        fits = axis == 0 and given.shape == (-(-depth // block), columns)
        return given if fits and -(-depth // len(given)) == block else None
    return numbers.reshape(1, -1) if axis == 1 and numbers.size == columns else None
