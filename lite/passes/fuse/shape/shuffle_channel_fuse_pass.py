"""Fuses channel shuffles by reshape and transpose."""

from __future__ import annotations

from typing import ClassVar

from lite.ir.graph import Graph, Node, Value
from lite.passes.base import Outcome, Pass, PassContext, Result
from lite.passes.fold.sizes import Sizes
from lite.passes.match import attributes, become, is_plain_float, sole_producer
from lite.passes.registry import register_pass


@register_pass
class ShuffleChannelFusePass(Pass):
    """Replaces channels that are split into groups, transposed and joined again by shuffle_channel::

    %a = reshape2(X=%x) {shape = [0, 2, 4, 8, 8]}
    %b = transpose2(X=%a) {axis = [0, 2, 1, 3, 4]}  ->  %y = shuffle_channel(X=%x) {group = 2}
    %y = reshape2(X=%b) {shape = [0, 8, 8, 8]}
    """

    name: ClassVar[str] = "shuffle_channel_fuse_pass"
    needs: ClassVar[tuple[str, ...]] = ("transpose2",)
    after: ClassVar[tuple[str, ...]] = ("canonicalize_pass", "reshape_sizes_fold_pass")

    def run(self, graph: Graph, ctx: PassContext) -> Result:
        """The parts stay if another node reads a value in between."""
        if not any(node.op == "transpose2" and _swaps_groups(node) for node in graph):
            return Outcome.UNCHANGED
        sizes = Sizes(graph)
        changed = False
        for node in graph:
            sizes.add(node)
            if node.op == "reshape2":
                changed |= _fuse(node, sizes)
        return Outcome.of(changed)


def _fuse(last: Node, sizes: Sizes) -> bool:
    transpose = sole_producer(last.input("X"), ("transpose2",))
    first = None if transpose is None else sole_producer(transpose.input("X"), ("reshape2",))
    if transpose is None or first is None or not _swaps_groups(transpose):
        return False
    x, out = first.input("X"), last.output("Out")
    group = _group(x, transpose.input("X"), out, sizes)
    values = (x, transpose.input("X"), transpose.output("Out"), out)
    if group is None or len(list(last.all_outputs())) != 1 or not is_plain_float(*values):
        return False
    become(last, "shuffle_channel", {"X": [x]}, {"group": group})
    return True


def _swaps_groups(transpose: Node) -> bool:
    return attributes(transpose)["axis"] == [0, 2, 1, 3, 4]


def _group(x: Value, split: Value, out: Value, sizes: Sizes) -> int | None:
    """The number of groups into which the channels are split, if no other axis changes."""
    shape, parts = sizes.shape(x), sizes.shape(split)
    if shape is None or parts is None or len(shape) != 4 or len(parts) != 5 or sizes.shape(out) != shape:
        return None
    n, channels, *image = shape
    group, size = parts[1], parts[2]
    if not isinstance(group, int) or not isinstance(size, int) or group * size != channels:
        return None
    return group if parts[0] == n and [*parts[3:]] == image else None
