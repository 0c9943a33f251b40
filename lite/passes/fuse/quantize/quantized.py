"""Finds quantised activations and weights: integers with a constant scale and zero point.

Two spellings: ONNX's affine_quantize and affine_dequantize, and Paddle's quantize_linear and
dequantize_linear, whose scale is the magnitude of the greatest integer and whose zero point is 0.
"""

from __future__ import annotations

import numpy as np

from lite.dataclass import dataclass
from lite.ir.graph import Node, Value
from lite.ir.types import Array, DType
from lite.passes.match import attributes, producer

QUANTIZE = ("affine_quantize", "quantize_linear")
DEQUANTIZE = ("affine_dequantize", "dequantize_linear")

_BITS = 8
SHIFT = 128
"""From int8 to uint8: the same numbers with a zero point that is greater by this."""


@dataclass(frozen=True)
class Activation:
    """A value on the grid ``(n - zero_point) · scale`` of an n of type uint8.

    `value` has the integers if it `is_stored`, else the real numbers before they are rounded to the grid, or
    integers of type int8, which are less by `SHIFT`.
    """

    scale: float
    zero_point: int
    value: Value
    is_stored: bool


@dataclass(frozen=True, eq=False)
class Weights:
    """A constant ``int8`` array, times one scale, or one for each index of `axis`: ``float32[n]``."""

    codes: Array
    scale: Array
    axis: int


@dataclass(frozen=True, eq=False)
class _Grid:
    """The numbers of a node of `QUANTIZE` or `DEQUANTIZE`: scales and zero points, float32 and int32."""

    scale: Array
    zero_point: Array
    axis: int
    dtype: DType | None

    def is_equal(self, other: _Grid) -> bool:
        """Whether it is the same grid with one scale."""
        pairs = ((self.scale, other.scale), (self.zero_point, other.zero_point))
        return self.scale.size == other.scale.size == 1 and all((a == b).all() for a, b in pairs)


def activation_of(value: Value) -> Activation | None:
    """The quantised activation that a value is; None for any other value."""
    dequantize = producer(value, DEQUANTIZE)
    grid = None if dequantize is None else _grid(dequantize)
    if dequantize is None or grid is None or grid.scale.size != 1 or grid.zero_point.size != 1:
        return None
    codes = dequantize.input("X")
    quantize = producer(codes, QUANTIZE)
    source_grid = None if quantize is None else _grid(quantize)
    if quantize is not None and source_grid is not None and grid.is_equal(source_grid):
        shift = _shift_of(source_grid.dtype)
        if shift is None or quantize.input("X").dtype is not DType.FLOAT32:
            return None
        zero = int(grid.zero_point.reshape(-1)[0]) + shift
        return Activation(float(grid.scale.reshape(-1)[0]), zero, quantize.input("X"), is_stored=False)
    if codes.is_constant or codes.dtype not in (DType.UINT8, DType.INT8):
        return None
    zero, scale = int(grid.zero_point.reshape(-1)[0]), float(grid.scale.reshape(-1)[0])
    if codes.dtype is DType.UINT8:
        return Activation(scale, zero, codes, is_stored=True)
    return Activation(scale, zero + SHIFT, codes, is_stored=False)


@dataclass(frozen=True, eq=False)
class ConstantGrid:
    """A constant of 8 bits, and the grids of all of it, or of each index of `axis`."""

    codes: Array
    scale: Array
    zero_point: Array
    axis: int


def constant_grid(value: Value) -> ConstantGrid | None:
    """The integers that a value is dequantised from, if they are constant, with their zero points."""
    dequantize = producer(value, DEQUANTIZE)
    grid = None if dequantize is None else _grid(dequantize)
    array = None if dequantize is None else dequantize.input("X").data
    if grid is None or array is None or array.dtype not in (np.int8, np.uint8):
        return None
    return ConstantGrid(array, grid.scale, grid.zero_point, grid.axis)


def weights_of(value: Value) -> Weights | None:
    """The quantised weights that a value is, symmetric and of at most 8 bits; None for any other value."""
    grid = constant_grid(value)
    if grid is None:
        return None
    array = grid.codes
    shift = SHIFT if array.dtype == np.uint8 else 0
    if (grid.zero_point != shift).any():
        return None
    codes = (array.astype(np.int16) - shift).astype(np.int8) if shift else array
    return Weights(codes, grid.scale, grid.axis % max(array.ndim, 1))


def _shift_of(dtype: DType | None) -> int | None:
    return {DType.UINT8: 0, DType.INT8: SHIFT}.get(dtype) if dtype is not None else None


def _grid(node: Node) -> _Grid | None:
    scale, attrs = node.input("Scale").data, attributes(node)
    if scale is None or scale.dtype != np.float32:
        return None
    if node.op in ("quantize_linear", "dequantize_linear"):
        # With another way to round, the integers are in -127 to 127.
        if attrs.integer("bit_length") != _BITS or attrs.integer("round_type"):
            return None
        numbers = scale.reshape(-1) / np.float32(2 ** (_BITS - 1) - 1)
        return _Grid(numbers, np.zeros(1, np.int32), attrs.integer("quant_axis"), DType.INT8)
    zero = node.optional_input("ZeroPoint")
    if attrs.integer("block_size") or (zero is not None and zero.data is None):
        return None
    points = np.zeros(1, np.int32) if zero is None or zero.data is None else zero.data.astype(np.int32)
    dtype = node.output("Out").dtype if node.op == "affine_quantize" else None
    return _Grid(scale.reshape(-1), points.reshape(-1), attrs.integer("axis"), dtype)
