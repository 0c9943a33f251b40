"""Makes a picture of a graph: boxes, frames and arrows for its ops and values."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import field

from lite.dataclass import dataclass
from lite.ir.build import block_inputs
from lite.ir.graph import Graph, Node, Value
from lite.passes.debug.captions import (
    count_lines,
    group_title,
    op_lines,
    op_title,
    printable,
    short_type,
    value_name,
    value_title,
)
from lite.passes.debug.colors import block_color, region_color
from lite.passes.debug.folding import FoldedGraph, Folding, Group
from lite.passes.debug.picture import Arrow, ArrowKind, Box, BoxKind, Frame, Picture

DEVICE = "device"
"""The attribute of a region's op that names the region's device."""


@dataclass(frozen=True)
class PictureOptions:
    """What a picture shows: `types` at arrows and `attributes` in boxes; `folding` selects folded parts."""

    types: bool = False
    attributes: bool = True
    folding: Folding = field(default_factory=Folding)


_DEFAULT = PictureOptions()


def picture_of(graph: Graph, options: PictureOptions = _DEFAULT) -> Picture:
    """A picture with a box for each op and each version of a variable, and a frame around an op with blocks.

    The ids of boxes contain the ids of nodes and values, so pictures of two passes can be compared.  Arrows
    lead from an op to the arguments of its nested graph, and from the graph's results to the op's outputs.
    """
    builder = _Builder(graph, options)
    builder.add_graph(graph, None)
    return builder.picture


class _Builder:
    def __init__(self, graph: Graph, options: PictureOptions) -> None:
        self.picture = Picture()
        self.options = options
        self.blocks = 0
        self.regions: dict[str, int] = defaultdict(int)
        devices = {device_of(node) for each in graph.walk(regions=True) for node in each}
        self.devices = sorted(device for device in devices if device is not None)

    def add_graph(self, graph: Graph, frame: str | None) -> None:
        folded = self.options.folding.fold(graph)
        for value in graph.args:
            self._add_value(value, BoxKind.ARGUMENT, frame)
        for value in graph.constants.values():
            if not folded.hides(value):
                self._add_value(value, BoxKind.CONSTANT, frame)
        for group in folded.groups:
            self._add_group(group, frame)
        for node in graph:
            for value in node.all_outputs():
                if not folded.hides(value):
                    self._add_value(value, BoxKind.VARIABLE, frame)
            if node not in folded.group_of:
                self._add_node(node, frame)
        self._add_arrows(graph, folded)

    def _add_node(self, node: Node, frame: str | None) -> None:
        shown = self._shown_blocks(node)
        inner = self._add_frame(node, shown, frame) if shown else frame
        lines = list(op_lines(node, self.options.attributes))
        for block in node.blocks:
            if block not in shown:
                lines += [f"{printable(block.name)}:", *count_lines(block)]
        kind = BoxKind.OP if len(shown) == len(node.blocks) else BoxKind.FOLDED
        self.picture.add_box(Box(f"op{node.id}", kind, tuple(lines), op_title(node), inner))
        for index, block in enumerate(shown):
            self.add_graph(block, inner if len(shown) == 1 else f"{inner}_{index}")

    def _add_frame(self, node: Node, blocks: Sequence[Graph], parent: str | None) -> str:
        frame = f"cluster_{node.id}"
        device = device_of(node)
        if device is None:
            owner, color = printable(node.op), block_color(self.blocks)
            self.blocks += 1
        else:
            owner = f"region on {printable(device)}"
            color = region_color(self.devices.index(device), self.regions[device])
            self.regions[device] += 1
        names = [printable(block.name) for block in blocks]
        self.picture.add_frame(Frame(frame, f"{', '.join(names)}: {owner}", color, parent))
        if len(blocks) > 1:
            for index, name in enumerate(names):
                self.picture.add_frame(Frame(f"{frame}_{index}", name, color, frame))
        return frame

    def _add_group(self, group: Group, frame: str | None) -> None:
        lines = (printable(group.name), *count_lines(group.nodes))
        self.picture.add_box(Box(group.id, BoxKind.FOLDED, lines, group_title(group.nodes), frame))

    def _add_value(self, value: Value, kind: BoxKind, frame: str | None) -> None:
        self.picture.add_box(
            Box(_id(value), kind, (value_name(value),), value_title(value), frame, value.is_result)
        )

    def _add_arrows(self, graph: Graph, folded: FoldedGraph) -> None:
        for node in graph:
            if node not in folded.group_of:
                self.picture.arrows += self._arrows_of_op(node)
        for group in folded.groups:
            self.picture.arrows += dict.fromkeys(self._arrows_of_group(group, folded))
        for first, second in graph.effect_edges():
            if folded.box_of(first) != folded.box_of(second):
                ends = folded.box_of(first), folded.box_of(second)
                self.picture.arrows.append(Arrow(*ends, (), ArrowKind.EFFECT))

    def _arrows_of_op(self, node: Node) -> Iterator[Arrow]:
        shown = self._shown_blocks(node)
        for slot, values in node.inputs.items():
            for value in values:
                yield Arrow(_id(value), f"op{node.id}", self._label(slot, value))
        # The first outputs of an op with blocks have arrows from the results of the blocks instead.
        paired = max((len(block.results) for block in shown), default=0)
        unpaired = list(node.all_outputs())[paired:]
        for slot, values in node.outputs.items():
            for value in values:
                if value in unpaired:
                    yield Arrow(f"op{node.id}", _id(value), self._label(slot, value))
        for block in shown:
            for outer, argument in zip(block_inputs(node), block.args, strict=False):
                label = () if repr(outer) == repr(argument) else (f"= {value_name(outer)}",)
                yield Arrow(f"op{node.id}", _id(argument), label, ArrowKind.BLOCK)
            for result, outer in zip(block.results, node.all_outputs(), strict=False):
                yield Arrow(_id(result), _id(outer), (), ArrowKind.BLOCK)

    def _arrows_of_group(self, group: Group, folded: FoldedGraph) -> Iterator[Arrow]:
        for node in group.nodes:
            for value in node.all_inputs():
                if not folded.hides(value) and not folded.is_written_by_group_of(node, value):
                    yield Arrow(_id(value), group.id, self._label("", value))
            for value in node.all_outputs():
                if not folded.hides(value):
                    yield Arrow(group.id, _id(value), self._label("", value))

    def _shown_blocks(self, node: Node) -> list[Graph]:
        return [block for block in node.blocks if not self.options.folding.folds_block(block)]

    def _label(self, slot: str, value: Value) -> tuple[str, ...]:
        lines = (printable(slot), short_type(value) if self.options.types else "")
        return tuple(line for line in lines if line)


def device_of(node: Node) -> str | None:
    """The device of an op that is a region; None for other ops."""
    device = node.attrs.get(DEVICE)
    return device if node.blocks and isinstance(device, str) else None


def _id(value: Value) -> str:
    return f"value{value.id}"
