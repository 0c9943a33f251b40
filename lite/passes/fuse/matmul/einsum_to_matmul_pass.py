"""Makes products of matrices of products over named axes."""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping, Sequence
from typing import ClassVar, NamedTuple

import numpy as np

from lite.ir.attributes import Attributes
from lite.ir.graph import Graph, Node, Value
from lite.ir.program import AttrValue
from lite.ir.types import UNKNOWN, Array, Dim, Shape
from lite.ops import SCHEMAS
from lite.ops.einsum_product import product_axes
from lite.ops.einsum_terms import expanded
from lite.passes.base import Outcome, Pass, PassContext, Result
from lite.passes.fuse.elementwise.affine import factor_producer, scaled_by
from lite.passes.match import attributes, become, is_plain_float
from lite.passes.registry import register_pass


class _Step(NamedTuple):
    """An op with its attributes, and the shape of its result."""

    op: str
    attrs: Mapping[str, AttrValue]
    shape: Shape


@register_pass
class EinsumToMatmulPass(Pass):
    """Replaces einsum of two tensors by their product, with transpositions where axes are in another order::

        %z = einsum(Operands=[%q, %k])    ->  %a = transpose2(X=%q) {axis = [0, 2, 1, 3]}
             {equation = "bqhd,bkhd->bhqk"}   %b = transpose2(X=%k) {axis = [0, 2, 1, 3]}
                                              %z = matmul_v2(X=%a, Y=%b) {trans_y = true}

    Later passes fuse these, for attention above all.  Several axes that the product takes as one, such as
    the heads and columns of a projection, become one where their sizes are known::

        %z = einsum(Operands=[%x, %w])    ->  %r = reshape2(X=%w) {shape = [0, 12]}
             {equation = "bsd,dnh->bsnh"}     %p = matmul_v2(X=%x, Y=%r)
                                              %z = reshape2(X=%p) {shape = [0, 0, 3, 4]}

    It stays for products of vectors, sums along an axis of one tensor, and sums along axes whose sizes may
    differ.
    """

    name: ClassVar[str] = "einsum_to_matmul_pass"
    needs: ClassVar[tuple[str, ...]] = ("einsum",)
    after: ClassVar[tuple[str, ...]] = ("canonicalize_pass", "constant_fold_pass")

    def run(self, graph: Graph, ctx: PassContext) -> Result:
        """Constants are transposed and reshaped here."""
        changes = [_replace(node) for node in graph if node.op == "einsum"]
        return Outcome.of(any(changes))


def _replace(node: Node) -> bool:
    operands, out = node.inputs["Operands"], node.output("Out")
    if len(operands) != 2 or not is_plain_float(*operands, out) or out.shape is None:
        return False
    x, y = operands
    if x.shape is None or y.shape is None or x.dtype is not y.dtype:
        return False
    (first, second), result = expanded(attributes(node).text("equation"), [len(x.shape), len(y.shape)])
    axes = product_axes(first, second, result)
    if axes is None or not (axes.rows and axes.depth and axes.channels):
        return False
    of_x, of_y = dict(zip(first, x.shape, strict=True)), dict(zip(second, y.shape, strict=True))
    if any(of_x[letter] != of_y[letter] or of_x[letter] == UNKNOWN for letter in axes.depth):
        return False
    # The axis that is last in memory stays the last one.
    is_transposed = second[-1] in axes.depth
    rows = [axes.rows] if axes.batch else [*axes.rows]
    columns = [axes.channels, axes.depth] if is_transposed else [axes.depth, axes.channels]
    product, of_out = [*axes.batch, *rows, axes.channels], dict(zip(result, out.shape, strict=True))
    before_x = _steps([*first], [*axes.batch, *rows, axes.depth], of_x)
    before_y = _steps([*second], [*axes.batch, *columns], of_y)
    after = _steps(product, [*result], of_out)
    if before_x is None or before_y is None or after is None:
        return False
    inputs = {"X": [_operand(node, x, before_x)], "Y": [_operand(node, y, before_y)]}
    attrs = SCHEMAS["matmul_v2"].attr_values({"trans_y": is_transposed})
    if not after:
        become(node, "matmul_v2", inputs, attrs)
        return True
    value = node.graph.new_value(out.name, like=out)
    value.shape = tuple(_size(group, of_out) for group in product)
    node.graph.add_node("matmul_v2", inputs, {"Out": [value]}, attrs, before=node)
    become(node, after[-1].op, {"X": [_emit(node, value, after[:-1])]}, after[-1].attrs)
    return True


def _steps(before: Sequence[str], after: Sequence[str], sizes: Mapping[str, Dim]) -> list[_Step] | None:
    """The ops from some axes to others; a text of several letters is one axis, whose parts must be known."""
    letters, wanted = [*"".join(before)], [*"".join(after)]
    steps: list[_Step | None] = []
    if len(letters) > len(before):
        steps.append(_reshape(before, letters, sizes))
    if letters != wanted:
        order = [letters.index(letter) for letter in wanted]
        attrs = SCHEMAS["transpose2"].attr_values({"axis": order})
        steps.append(_Step("transpose2", attrs, tuple(sizes[letter] for letter in wanted)))
    if len(wanted) > len(after):
        steps.append(_reshape(wanted, after, sizes))
    found = [step for step in steps if step is not None]
    return found if len(found) == len(steps) else None


def _reshape(before: Sequence[str], after: Sequence[str], sizes: Mapping[str, Dim]) -> _Step | None:
    numbers, shape = list[int](), tuple(_size(axis, sizes) for axis in after)
    for n, (axis, size) in enumerate(zip(after, shape, strict=True)):
        is_kept = n < len(before) and before[n] == axis
        if not is_kept and not (isinstance(size, int) and size > 0):
            return None
        numbers.append(0 if is_kept or not isinstance(size, int) else size)
    return _Step("reshape2", SCHEMAS["reshape2"].attr_values({"shape": numbers}), shape)


def _size(axis: str, sizes: Mapping[str, Dim]) -> Dim:
    parts = [sizes[letter] for letter in axis]
    known = [part for part in parts if isinstance(part, int)]
    if len(known) == len(parts):
        return math.prod(known)
    return parts[0] if len(parts) == 1 else UNKNOWN


def _operand(node: Node, value: Value, steps: Sequence[_Step]) -> Value:
    """The result of the ops before a factor, which attention absorbs."""
    factor = factor_producer(value)
    if not steps or factor is None:
        return _emit(node, value, steps)
    return scaled_by(factor, _emit(node, factor.input("X"), steps), before=node)


def _emit(node: Node, value: Value, steps: Sequence[_Step]) -> Value:
    """The result of the ops, which come before a node; of a constant, another constant."""
    if value.data is not None and steps:
        data = functools.reduce(_computed, steps, value.data)
        return node.graph.add_constant(value.name, np.ascontiguousarray(data))
    for step in steps:
        result = node.graph.new_value(value.name, like=value)
        result.shape = step.shape
        node.graph.add_node(step.op, {"X": [value]}, {"Out": [result]}, step.attrs, before=node)
        value = result
    return value


def _computed(data: Array, step: _Step) -> Array:
    if step.op == "transpose2":
        return data.transpose(Attributes(step.op, step.attrs).integers("axis"))
    return data.reshape([size for size in step.shape if isinstance(size, int)])
