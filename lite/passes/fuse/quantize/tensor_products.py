"""Products of two quantised tensors that the target cpu computes in integers, each with its zero points."""

from __future__ import annotations

import numpy as np

from lite.dataclass import dataclass
from lite.ir.graph import Graph, Node, Value
from lite.ir.types import Array
from lite.passes.base import PassContext
from lite.passes.fuse.quantize.integer_products import is_on_cpu
from lite.passes.fuse.quantize.quantized import Activation, activation_of, constant_grid
from lite.passes.match import attributes


@dataclass(frozen=True, eq=False)
class Columns:
    """A constant of 8 bits ``[…, K, N]`` with one zero point and scale, or one for each column."""

    codes: Array
    zero_point: Array
    scale: Array


@dataclass(frozen=True, eq=False)
class TensorProduct:
    """The operands of a product X · Y of real numbers."""

    first: Activation
    second: Activation | Columns
    is_transposed: bool

    @property
    def scale(self) -> Array:
        """The scale of the sums, float32: one number or one for each column."""
        second = np.asarray(self.second.scale, np.float64).reshape(-1)
        return (np.float64(self.first.scale) * second).astype(np.float32)


def tensor_product(node: Node, ctx: PassContext) -> TensorProduct | None:
    """The operands of a matrix product; None where an operand is not quantised, and for vectors."""
    if not is_on_cpu(ctx) or node.op not in ("matmul_v2", "bmm"):
        return None
    attrs = attributes(node)
    x, y = node.input("X"), node.input("Y")
    is_transposed = node.op == "matmul_v2" and attrs.flag("trans_y")
    if any(value.shape is None or len(value.shape) < 2 for value in (x, y)):
        return None
    if node.op == "matmul_v2" and attrs.flag("trans_x"):
        return None
    first, second = activation_of(x), activation_of(y) or _columns(y, is_transposed=is_transposed)
    return None if first is None or second is None else TensorProduct(first, second, is_transposed)


def _columns(value: Value, *, is_transposed: bool) -> Columns | None:
    grid = constant_grid(value)
    if grid is None or grid.codes.ndim < 2:
        return None
    codes, rank = grid.codes, grid.codes.ndim
    axis = grid.axis % rank
    per_column = axis == (rank - 2 if is_transposed else rank - 1)
    if (grid.scale.size > 1 or grid.zero_point.size > 1) and not per_column:
        return None
    zero = grid.zero_point.astype(codes.dtype)
    if is_transposed:
        codes = np.ascontiguousarray(codes.swapaxes(-1, -2))
    return Columns(codes, zero, grid.scale)


def transposed_codes(graph: Graph, codes: Value, node: Node) -> Value:
    """A new value with the last two axes of a value exchanged, computed before a node."""
    shape = codes.shape or ()
    value = graph.new_value(graph.unique_name(f"{codes.name}_transposed"), like=codes)
    value.shape = (*shape[:-2], shape[-1], shape[-2])
    axes = [*range(len(shape) - 2), len(shape) - 1, len(shape) - 2]
    graph.add_node("transpose2", {"X": [codes]}, {"Out": [value]}, {"axis": axes}, before=node)
    return value
