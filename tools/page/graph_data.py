"""Graphs as plain data for the page: what several stages of the passes share is stored once."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from lite.ir.graph import Graph, Node, Quant, Value
from lite.ops.node_work import node_macs
from lite.passes.debug.captions import changed_attributes, short_type
from lite.passes.debug.graph_picture import device_of

MAX_DATA = 16
"""The most elements of a constant that the page lists."""

MAX_ATTRIBUTE = 1000
"""The most characters of an attribute; a longer one loses its end."""


class Pool:
    """A list in which equal entries are stored once."""

    def __init__(self) -> None:
        self.entries: list[object] = []
        self._indices: dict[object, int] = {}

    def add(self, entry: object, key: object = None) -> int:
        """The index of an entry, which `key` identifies; without it, its JSON text."""
        known = json.dumps(entry) if key is None else key
        if known not in self._indices:
            self._indices[known] = len(self.entries)
            self.entries.append(entry)
        return self._indices[known]


class GraphPools:
    """Strings, values, nodes and graphs of all stages; those that a pass left alone keep their index.

    A value is ``[name, type, quantisation, data]``, where all but the name are indices of strings; data is
    -1 for a value that is no constant.  A node is an object whose slots hold indices of values, and whose
    blocks are indices of graphs.  A graph has its arguments, results and nodes as indices.
    """

    def __init__(self) -> None:
        self._strings, self._values, self._nodes, self._graphs = Pool(), Pool(), Pool(), Pool()
        self._data_texts: dict[int, tuple[object, str]] = {}
        self.ops: set[str] = set()

    def graph(self, graph: Graph) -> int:
        """The index of the present state of a graph."""
        seen: Counter[object] = Counter()
        numbers = {value: self._value(value, seen) for value in _values(graph)}
        return self._graphs.add(
            {
                "name": graph.name,
                "args": [numbers[value] for value in graph.args],
                "results": [
                    [name, numbers[value]]
                    for name, value in zip(graph.result_names, graph.results, strict=True)
                ],
                "nodes": [self._node(node, numbers) for node in graph],
            }
        )

    def to_dict(self) -> dict[str, object]:
        """The pools by name."""
        pools = {
            "strings": self._strings,
            "values": self._values,
            "nodes": self._nodes,
            "graphs": self._graphs,
        }
        return {name: pool.entries for name, pool in pools.items()}

    def _value(self, value: Value, seen: Counter[object]) -> int:
        """The index of a value; `seen` counts equal ones of the same graph, which are not shared."""
        data = -1 if value.data is None else self._string(self._data_text(value))
        quant = "" if value.quant is None else quant_summary(value.quant)
        lod = f" lod {value.lod_level}" if value.lod_level else ""
        kind = "" if value.kind.name == "TENSOR" else f"{value.kind.name.lower()} "
        entry = [value.label, self._string(kind + short_type(value) + lod), self._string(quant), data]
        key = tuple(entry)
        seen[key] += 1
        return self._values.add(entry, (seen[key], *key))

    def _data_text(self, value: Value) -> str:
        """The elements of a small constant; `value.data` is kept so that its id stays its own."""
        data = value.data
        if data is None or data.size > MAX_DATA:
            return ""
        if id(data) not in self._data_texts:
            self._data_texts[id(data)] = data, np.array2string(data, separator=", ")
        return self._data_texts[id(data)][1]

    def _node(self, node: Node, numbers: Mapping[Value, int]) -> int:
        self.ops.add(node.op)
        changed = changed_attributes(node)
        device, macs = device_of(node), node_macs(node)
        entry: dict[str, object] = {
            "op": node.op,
            "name": node.label,
            "inputs": _slots(node.inputs, numbers),
            "outputs": _slots(node.outputs, numbers),
            "attrs": self._attributes(changed),
            "defaults": self._attributes({key: v for key, v in node.attrs.items() if key not in changed}),
        }
        entry |= {} if node.place is None else {"place": str(node.place)}
        entry |= {} if device is None else {"device": device}
        entry |= {"macs": macs} if macs else {}
        entry |= {"effect": True} if node.effect else {}
        entry |= {"blocks": [self.graph(block) for block in node.blocks]} if node.blocks else {}
        return self._nodes.add(entry)

    def _attributes(self, attrs: Mapping[str, object]) -> list[tuple[int, int]]:
        return [(self._string(name), self._string(_cut(repr(value)))) for name, value in attrs.items()]

    def _string(self, text: str) -> int:
        return self._strings.add(text, text)


def quant_summary(quant: Quant) -> str:
    """Storage type, scales and zero points in a line: ``int8, 64 scales on axis 0, symmetric``."""
    scales = (
        f"{len(quant.scale)} scales on axis {quant.axis}" if quant.per_axis else f"scale {quant.scale[0]:.6g}"
    )
    if quant.is_symmetric:
        zero = "symmetric"
    elif len(set(quant.zero_point)) == 1:
        zero = f"zero point {quant.zero_point[0]}"
    else:
        zero = f"zero points from {min(quant.zero_point)} to {max(quant.zero_point)}"
    rounding = "" if quant.rounding.value == "affine" else f", rounded as {quant.rounding.value}"
    return f"{quant.storage}, {scales}, {zero}{rounding}"


def _values(graph: Graph) -> Iterator[Value]:
    yield from graph.args
    yield from graph.constants.values()
    for node in graph:
        yield from node.all_outputs()


def _slots(slots: Mapping[str, Sequence[Value]], numbers: Mapping[Value, int]) -> list[tuple[str, list[int]]]:
    return [(slot, [numbers[value] for value in values]) for slot, values in slots.items()]


def _cut(text: str) -> str:
    return text if len(text) <= MAX_ATTRIBUTE else f"{text[:MAX_ATTRIBUTE]}…"
