"""Finds products whose weights a cast or a dequantisation of a constant computes."""

from __future__ import annotations

import numpy as np

from lite.dataclass import dataclass
from lite.ir.graph import Node, Value
from lite.ir.types import Array, DType
from lite.passes.base import PassContext
from lite.passes.match import attributes

STORED = 1 << 14
"""The fewest elements of weights that stay in their type: for fewer, nothing is gained."""

_TYPES = (DType.FLOAT16, DType.BFLOAT16)


@dataclass(frozen=True, eq=False)
class StoredWeights:
    """``numbers[K, N]`` of float16, bfloat16 or int8; int8 with a `scale` ``[N]`` or ``[blocks of K, N]``."""

    numbers: Array
    scale: Array | None

    def transposed(self) -> StoredWeights | None:
        """The weights of the other axes; None for scales of another form."""
        return None if self.scale is not None else StoredWeights(np.ascontiguousarray(self.numbers.T), None)


@dataclass(frozen=True)
class Product:
    """The weights of a product of float32 rows, and the number of the leading axes that are rows."""

    weights: Value
    rows: int
    is_transposed: bool


def product_of(node: Node) -> Product | None:
    """The product that a node is; None for other nodes, and for other forms."""
    if node.op not in ("fc", "matmul_v2", "mul") or any(value.quant for value in node.all_inputs()):
        return None
    attrs = attributes(node)
    if node.op == "fc":
        plain = not attrs.flag("padding_weights") and "Alpha" not in node.inputs
        return Product(node.input("W"), attrs.integer("in_num_col_dims"), False) if plain else None
    x, y = node.input("X"), node.input("Y")
    if x.dtype is not DType.FLOAT32 or x.shape is None or y.shape is None or len(y.shape) != 2:
        return None
    if node.op == "mul":
        is_plain = attrs.integer("y_num_col_dims") == 1
        return Product(y, attrs.integer("x_num_col_dims"), False) if is_plain else None
    if attrs.flag("trans_x") or len(x.shape) < 2:
        return None
    return Product(y, len(x.shape) - 1, attrs.flag("trans_y"))


def stored_weights(value: Value, *, strict: bool) -> StoredWeights | None:
    """The constant from which a value is computed in float32, in its own type; None for others.

    With `strict`, not for Paddle's dequantize_linear, which divides after it multiplies.
    """
    node = value.producer
    if node is None or value.dtype is not DType.FLOAT32 or value.is_result:
        return None
    array = node.input("X").data if node.op in ("cast", "affine_dequantize", "dequantize_linear") else None
    if array is None or array.ndim != 2 or array.size < STORED:
        return None
    if strict and node.op == "dequantize_linear":
        return None
    if node.op == "cast":
        return StoredWeights(array, None) if DType.from_numpy(array.dtype) in _TYPES else None
    scale = _scale(node, array)
    return None if array.dtype != np.int8 or scale is None else StoredWeights(array, scale)


def is_stored_weight(node: Node, ctx: PassContext) -> bool:
    """Whether a node computes weights that only products on the target cpu read: not with devices."""
    if ctx.devices or all(place.target != "cpu" for place in ctx.valid_places):
        return False
    if node.op not in ("cast", "affine_dequantize", "dequantize_linear") or not node.input("X").is_constant:
        return False
    value = next(iter(node.all_outputs()))
    found = stored_weights(value, strict=ctx.strict)
    users = [product_of(user) for user in value.users]
    return (
        found is not None
        and bool(users)
        and all(
            user is not None
            and user.weights is value
            and (not user.is_transposed or found.transposed() is not None)
            for user in users
        )
    )


def _scale(node: Node, array: Array) -> Array | None:
    """The scale of each column, or of each block of rows in each column; None for other forms."""
    scale, attrs = node.input("Scale").data, attributes(node)
    zero = node.optional_input("ZeroPoint")
    if scale is None or scale.dtype != np.float32:
        return None
    is_affine = node.op == "affine_dequantize"
    if is_affine and zero is not None and (zero.data is None or zero.data.any()):
        return None
    axis, columns = attrs.integer("axis" if is_affine else "quant_axis"), array.shape[1]
    block = attrs.integer("block_size") if is_affine else 0
    if not is_affine:
        scale = scale / np.float32(2 ** (attrs.integer("bit_length") - 1) - 1)
    if scale.size == 1:
        return np.repeat(scale.reshape(1), columns)
    if block:
        fits = axis % 2 == 0 and scale.shape == (-(-array.shape[0] // block), columns)
        is_even = array.shape[0] % block == 0
        return scale if fits and is_even else None
    return scale.reshape(-1) if axis % 2 == 1 and scale.size == columns else None
