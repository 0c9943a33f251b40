"""The structure of a region as text: what its ops do, whatever the values inside are called.

Values are numbered in the order in which they stand, the names of symbolic sizes too, so that a
variable renamed inside gives the same text.  Names and constants are not part of it.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Iterator, Mapping, Sequence

from lite.ir.graph import Graph, Node, Quant, Value
from lite.ir.program import VarKind
from lite.ir.text_print import attribute_text
from lite.ir.types import UNKNOWN, Dim, Shape

_KINDS = {kind: kind.name.lower() for kind in VarKind}

_quoted = functools.cache(json.dumps)
"""The names of ops, slots and attributes, of which there are few."""


class Symbols:
    """Numbers the names of symbolic sizes in the order in which they are met."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def shape(self, shape: Shape | None) -> str:
        """``[1,3,?,s0]``; ``[*]`` for an unknown rank."""
        return "[*]" if shape is None else f"[{','.join(self._dim(dim) for dim in shape)}]"

    def _dim(self, dim: Dim) -> str:
        if not isinstance(dim, str):
            return str(int(dim))
        return dim if dim == UNKNOWN else f"s{self._numbers.setdefault(dim, len(self._numbers))}"


class RegionText:
    """The text of a graph and of those nested in it; `constants` in the order in which they are read."""

    def __init__(self, graph: Graph, symbols: Symbols) -> None:
        self.constants: list[Value] = []
        self._symbols = symbols
        self._numbers: dict[Value, int] = {}
        self.text = "\n".join(self._graph(graph)) + "\n"

    def _graph(self, graph: Graph) -> Iterator[str]:
        yield f"graph({', '.join(self._defined(value) for value in graph.args)})"
        for node in graph:
            yield self._node(node)
            for block in node.blocks:
                yield from self._graph(block)
        yield f"return {', '.join(self._read(value) for value in graph.results)}"

    def _node(self, node: Node) -> str:
        inputs = self._slots({slot: [self._read(v) for v in found] for slot, found in node.inputs.items()})
        # Numbers of outputs follow the names of slots, not the order in which the op lists them.
        outputs = self._slots({s: [self._defined(v) for v in node.outputs[s]] for s in sorted(node.outputs)})
        attrs = self._braces({name: attribute_text(value) for name, value in node.attrs.items()})
        place = "" if node.place is None else f" @{node.place}"
        effect = " effect" if node.effect else ""
        return f"{_quoted(node.op)} {inputs} {attrs} -> {outputs}{place}{effect} {len(node.blocks)}"

    def _slots(self, slots: Mapping[str, Sequence[str]]) -> str:
        return self._braces({slot: f"[{', '.join(texts)}]" for slot, texts in slots.items()})

    def _braces(self, texts: Mapping[str, str]) -> str:
        return f"{{{', '.join(f'{_quoted(name)}: {texts[name]}' for name in sorted(texts))}}}"

    def _defined(self, value: Value) -> str:
        self._numbers[value] = len(self._numbers)
        return f"{self._read(value)} {self._type(value)}"

    def _read(self, value: Value) -> str:
        if value not in self._numbers:
            self.constants.append(value)
            return f"{self._defined(value)} const"
        return f"%{self._numbers[value]}"

    def _type(self, value: Value) -> str:
        quant = "" if value.quant is None else f" {_quant_text(value.quant)}"
        place = "" if value.place is None else f" @{value.place}"
        dtype = UNKNOWN if value.dtype is None else value.dtype.label
        shape = self._symbols.shape(value.shape)
        return f"{_KINDS[value.kind]} {dtype}{shape} lod{value.lod_level}{quant}{place}"


def _quant_text(quant: Quant) -> str:
    scales, zeros = attribute_text(list(quant.scale)), attribute_text(list(quant.zero_point))
    return f"quant({scales}, {zeros}, {quant.axis}, {quant.storage})"
