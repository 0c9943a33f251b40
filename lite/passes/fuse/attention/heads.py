"""Heads around attention: how they are split from a tensor, and joined again."""

from __future__ import annotations

from lite.dataclass import dataclass
from lite.errors import GraphError
from lite.ir.graph import Node, Value
from lite.ir.types import Shape
from lite.ops.new_shape import reshaped
from lite.passes.fold.sizes import named
from lite.passes.match import attributes, is_plain_float, producer

_SWAPPED = [0, 2, 1, 3]
_PARTS_FIRST = [2, 0, 3, 1, 4]


@dataclass(frozen=True)
class Heads:
    """``[batch, rows, columns]``; each of `heads` has an equal part of the columns."""

    source: Value
    heads: int


def heads_of(value: Value) -> Heads | None:
    """The tensor from which `value`, ``[batch, heads, rows, size]``, was split."""
    source = _before_transpose(value, _SWAPPED)
    reshape = None if source is None else producer(source, ("reshape2",))
    sizes = None if reshape is None else _split_columns(reshape, 2)
    return None if reshape is None or sizes is None else Heads(reshape.input("X"), sizes[0])


def parts_of(q: Value, k: Value, v: Value) -> Heads | None:
    """The tensor ``[batch, rows, 3 · columns]`` from which q, k and v, in this order, were split."""
    whole = [_nth_part(value, n) for n, value in enumerate((q, k, v))]
    first = whole[0]
    if first is None or any(other is not first for other in whole):
        return None
    source = _before_transpose(first, _PARTS_FIRST)
    reshape = None if source is None else producer(source, ("reshape2",))
    sizes = None if reshape is None else _split_columns(reshape, 3)
    if reshape is None or sizes is None or sizes[0] != 3:
        return None
    return Heads(reshape.input("X"), sizes[1])


def heads_joined(last: Node) -> Node | None:
    """The node that joins the output of `last` to ``[batch, rows, columns]``, if it is the only reader."""
    transpose = last.output("Out").only_user
    if transpose is None or transpose.op != "transpose2" or attributes(transpose)["axis"] != _SWAPPED:
        return None
    reshape = transpose.output("Out").only_user
    if reshape is None or reshape.op != "reshape2" or len(list(reshape.all_outputs())) != 1:
        return None
    shape = reshape.input("X").shape
    found = None if shape is None else _reshaped(reshape, shape)
    if shape is None or found is None or not is_plain_float(reshape.input("X"), reshape.output("Out")):
        return None
    names = named(shape)
    return reshape if len(found) == 3 and found[:2] == names[:2] else None


def _before_transpose(value: Value, axes: list[int]) -> Value | None:
    node = producer(value, ("transpose2",))
    if node is None or attributes(node)["axis"] != axes or not is_plain_float(node.input("X"), value):
        return None
    return node.input("X")


def _nth_part(value: Value, n: int) -> Value | None:
    """The value whose n-th slice on axis 0, without that axis, is `value`."""
    node = producer(value, ("slice",))
    if node is None or set(node.inputs) != {"Input"}:
        return None
    attrs = attributes(node)
    wanted = {"axes": [0], "starts": [n], "ends": [n + 1], "decrease_axis": [0]}
    return node.input("Input") if all(attrs[key] == numbers for key, numbers in wanted.items()) else None


def _split_columns(reshape: Node, parts: int) -> list[int] | None:
    """The sizes into which the last of three axes is split; the first two stay."""
    shape = reshape.input("X").shape
    found = None if shape is None or len(shape) != 3 else _reshaped(reshape, shape)
    if shape is None or found is None or not is_plain_float(reshape.input("X"), reshape.output("Out")):
        return None
    sizes = [dim for dim in found[2:] if isinstance(dim, int)]
    return sizes if found[:2] == named(shape)[:2] and len(sizes) == len(found) - 2 == parts else None


def _reshaped(reshape: Node, shape: Shape) -> Shape | None:
    if set(reshape.inputs) != {"X"}:
        return None
    try:
        return reshaped("reshape2", named(shape), attributes(reshape).integers("shape"))
    except GraphError:
        return None
