"""Stages of a graph as one interactive HTML page, which needs no other file and no network."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np

from lite.ir.graph import Graph, Node, Value
from lite.ir.text_print import type_text
from lite.passes.debug.captions import changed_attributes
from lite.passes.debug.graph_picture import device_of
from lite.plugin.kernel import kernels_of
from lite.plugin.loader import load_kernels
from lite.subgraph.report import PlacementReport

TEMPLATES = Path(__file__).parent / "templates"
ASSETS = Path(__file__).parent / "assets"
SCRIPTS = ("layout", "model", "boxes", "view", "panel", "main")
"""The scripts of the page, in the order of their execution."""

MAX_DATA = 16
"""The most elements of a constant that the page lists."""

MAX_ATTRIBUTE = 1000
"""The most characters of an attribute; a longer one loses its end."""


class GraphPage:
    """Collects the graph at several stages of the passes and writes them as one page."""

    def __init__(self, title: str) -> None:
        self._title = title
        self._strings: dict[str, int] = {}
        self._stages: list[dict[str, object]] = []
        self._names: Counter[str] = Counter()
        self._ops: set[str] = set()

    def add(self, stage: str, graph: Graph) -> None:
        """Add the present state of the graph under the name `stage`, which gets a number if it is taken."""
        self._names[stage] += 1
        name = stage if self._names[stage] == 1 else f"{stage} ({self._names[stage]})"
        self._stages.append({"name": name, "graph": self._graph(graph)})

    def html(self, report: PlacementReport | None = None) -> str:
        """The page; `report` gives the place of each op before the regions were formed, and the reasons."""
        from jinja2 import Environment, FileSystemLoader, StrictUndefined
        from markupsafe import Markup

        load_kernels(sorted(self._ops))
        data = {
            "title": self._title,
            "strings": list(self._strings),
            "stages": self._stages,
            "kernels": [(op, [str(kernel.place) for kernel in kernels_of(op)]) for op in sorted(self._ops)],
            "placement": [
                {
                    "block": op.block,
                    "op": op.name,
                    "place": op.placed_on,
                    "declined": list(op.why_not.items()),
                }
                for op in (report.ops if report is not None else ())
            ],
        }
        dagre, _, _ = _asset("vendor/dagre.min.js").partition("//# sourceMappingURL")
        environment = Environment(
            loader=FileSystemLoader(TEMPLATES), autoescape=True, undefined=StrictUndefined, trim_blocks=True
        )
        return environment.get_template("graph.html.j2").render(
            title=self._title,
            data=data,
            style=Markup(_asset("graph_page/page.css")),
            dagre=Markup(f"/*\n{_asset('vendor/dagre.LICENSE.txt')}*/\n{dagre}"),
            scripts=[(name, Markup(_asset(f"graph_page/{name}.js"))) for name in SCRIPTS],
        )

    def _graph(self, graph: Graph) -> dict[str, object]:
        numbers = {value: number for number, value in enumerate(_values(graph))}
        return {
            "name": graph.name,
            "values": [self._value(value) for value in numbers],
            "args": [numbers[value] for value in graph.args],
            "results": [
                [name, numbers[value]] for name, value in zip(graph.result_names, graph.results, strict=True)
            ],
            "nodes": [self._node(node, numbers) for node in graph],
        }

    def _value(self, value: Value) -> dict[str, object]:
        entry: dict[str, object] = {"name": value.label, "type": self._string(type_text(value))}
        if value.data is not None:
            small = value.data.size <= MAX_DATA
            entry["data"] = self._string(np.array2string(value.data, separator=", ") if small else "")
        return entry

    def _node(self, node: Node, numbers: Mapping[Value, int]) -> dict[str, object]:
        self._ops.add(node.op)
        changed = changed_attributes(node)
        entry: dict[str, object] = {
            "op": node.op,
            "name": node.label,
            "inputs": _slots(node.inputs, numbers),
            "outputs": _slots(node.outputs, numbers),
            "attrs": self._attributes(changed),
            "defaults": self._attributes({key: v for key, v in node.attrs.items() if key not in changed}),
        }
        device = device_of(node)
        entry |= {} if node.place is None else {"place": str(node.place)}
        entry |= {} if device is None else {"device": device}
        entry |= {"effect": True} if node.effect else {}
        entry |= {"blocks": [self._graph(block) for block in node.blocks]} if node.blocks else {}
        return entry

    def _attributes(self, attrs: Mapping[str, object]) -> list[tuple[int, int]]:
        return [(self._string(name), self._string(_cut(repr(value)))) for name, value in attrs.items()]

    def _string(self, text: str) -> int:
        """The index of a text in the page's table of strings."""
        return self._strings.setdefault(text, len(self._strings))


def _values(graph: Graph) -> Iterable[Value]:
    yield from graph.args
    yield from graph.constants.values()
    for node in graph:
        yield from node.all_outputs()


def _slots(slots: Mapping[str, Sequence[Value]], numbers: Mapping[Value, int]) -> list[tuple[str, list[int]]]:
    return [(slot, [numbers[value] for value in values]) for slot, values in slots.items()]


def _asset(name: str) -> str:
    return (ASSETS / name).read_text(encoding="utf-8")


def _cut(text: str) -> str:
    return text if len(text) <= MAX_ATTRIBUTE else f"{text[:MAX_ATTRIBUTE]}…"
