"""Replaces a tensor array of parts whose elements are known by the parts."""

from __future__ import annotations

from typing import ClassVar

from lite.ir.graph import Graph, Node
from lite.passes.base import Outcome, Pass, PassContext, Result
from lite.passes.match import attributes
from lite.passes.registry import register_pass

_MOST = 64
"""More parts stay an array."""


@register_pass
class ArraySplitFoldPass(Pass):
    """Replaces a split_to_array of which only elements at constant positions are read by a split::

    %s = const int64[2] [3, 5]
    %a = split_to_array(X=%x, Split=%s) {axis = 1}
    %y = array_element(X=%a, Position=%one)
        ->  %p, %y = split(X=%x) {axis = 1, sections = [3, 5]}

    The sizes must be known, and positions valid.
    """

    name: ClassVar[str] = "array_split_fold_pass"
    needs: ClassVar[tuple[str, ...]] = ("split_to_array",)
    after: ClassVar[tuple[str, ...]] = ("canonicalize_pass", "constant_fold_pass")

    def run(self, graph: Graph, ctx: PassContext) -> Result:
        """Arrays that a loop carries, or that are results, stay."""
        changes = [_fold(graph, node) for node in list(graph) if node.op == "split_to_array"]
        changes.append(graph.drop_unused_constants())
        return Outcome.of(any(changes))


def _fold(graph: Graph, node: Node) -> bool:
    array, sizes = node.output("Out"), _sizes(node)
    readers = list(array.users)
    if not sizes or array.is_result or any(reader.op != "array_element" for reader in readers):
        return False
    found = (_position(reader, len(sizes)) for reader in readers)
    positions = [position for position in found if position is not None]
    if len(positions) < len(readers):
        return False
    x = node.input("X")
    parts = [graph.new_value(array.name, like=x) for _ in sizes]
    axis = attributes(node).integer("axis")
    graph.add_node("split", {"X": [x]}, {"Out": parts}, {"axis": axis, "sections": sizes}, before=node)
    for reader, position in zip(readers, positions, strict=True):
        out, part = reader.output("Out"), parts[position]
        part.copy_type(out)
        graph.replace_uses(out, part)
        graph.erase(reader)
    graph.erase(node)
    return True


def _sizes(node: Node) -> list[int]:
    """The sizes of the parts along the axis; none where they are unknown or too many, or lack the axis."""
    split, shape = node.inputs.get("Split", ()), node.input("X").shape
    data = split[0].data if split else None
    if split and data is not None and data.ndim == 1:
        sizes: list[int] = data.tolist()
        return sizes if len(sizes) <= _MOST and min(sizes, default=-1) >= 0 else []
    length = (
        None if shape is None else shape[attributes(node).integer("axis")]
    )  # checked when shapes were inferred
    if not isinstance(length, int) or (split and data is None):
        return []
    if data is None and not attributes(node).integer("keepdims"):
        return []
    size = 1 if data is None else int(data.item())
    if size <= 0 or length > size * _MOST:
        return []
    return [min(size, length - start) for start in range(0, length, size)]


def _position(reader: Node, count: int) -> int | None:
    """The part that an array_element takes; None where only the run decides, or there is none."""
    data = reader.input("Position").data
    position = None if data is None else int(data.item())
    return None if position is None or not -count <= position < count else position % count
