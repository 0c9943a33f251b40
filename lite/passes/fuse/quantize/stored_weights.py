"""Finds products whose weights a cast or a dequantisation of a constant computes."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from lite.dataclass import dataclass
from lite.ir.graph import Node, Value
from lite.ir.types import DType
from lite.passes.base import PassContext
from lite.passes.fuse.quantize.stored_integers import StoredWeights, stored_integers
from lite.passes.match import attributes

STORED = 1 << 14
"""The fewest elements of weights that stay in their type: for fewer, nothing is gained."""

_TYPES = (DType.FLOAT16, DType.BFLOAT16)


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


def stored_weights(product: Product, *, strict: bool) -> Callable[[], StoredWeights] | None:
    """Makes the weights of a product in the type of their constant; None for those without one.

    With `strict`, not for Paddle's dequantize_linear, which divides after it multiplies.
    """
    value = product.weights
    node = value.producer
    if node is None or value.dtype is not DType.FLOAT32 or value.is_result:
        return None
    array = node.input("X").data if node.op in ("cast", "affine_dequantize", "dequantize_linear") else None
    if array is None or array.ndim != 2 or array.size < STORED:
        return None
    if strict and node.op == "dequantize_linear":
        return None
    if node.op == "cast":
        if DType.from_numpy(array.dtype) not in _TYPES:
            return None
        return lambda: StoredWeights(np.ascontiguousarray(array.T) if product.is_transposed else array)
    return stored_integers(node, array, is_transposed=product.is_transposed)


def is_stored_weight(node: Node, ctx: PassContext) -> bool:
    """Whether a node computes weights that only products on the target cpu read: not with devices."""
    if ctx.devices or all(place.target != "cpu" for place in ctx.valid_places):
        return False
    if node.op not in ("cast", "affine_dequantize", "dequantize_linear") or not node.input("X").is_constant:
        return False
    value = next(iter(node.all_outputs()))
    users = [product_of(user) for user in value.users]
    return bool(users) and all(
        user is not None and user.weights is value and stored_weights(user, strict=ctx.strict) is not None
        for user in users
    )
