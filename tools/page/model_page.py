"""One interactive HTML page for a model, which needs no other file and no network."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from lite.ir.graph import Graph
from lite.passes.manager import AfterEach
from lite.plugin.kernel import kernels_of
from lite.plugin.loader import load_kernels
from lite.tools.page.graph_data import GraphPools
from lite.tools.page.parts import Part

TEMPLATES = Path(__file__).parents[1] / "templates"
ASSETS = Path(__file__).parents[1] / "assets"
SCRIPTS: tuple[str, ...] = (
    "layout",
    "model",
    "repeats",
    "colours",
    "boxes",
    "minimap",
    "view",
    "panel",
    "canvas",
    "graph",
)
SCRIPTS += ("chart", "overview", "ops", "timeline", "memory", "quality", "differences", "main")
"""The scripts of the page, in the order of their execution."""

PARTS = ("placement", "seen", "timeline", "memory", "differences")
"""What the page may show beside the graph, as the functions of `parts` make it."""

STYLES = ("page", "graph", "views")

LOADED, OPTIMIZED = "as loaded", "after all passes"
"""The names of the first and the last stage."""


class ModelPage:
    """Collects the graph at several stages of the passes and the results of runs, and writes the page."""

    def __init__(self, title: str, subtitle: str = "") -> None:
        self._title = title
        self._subtitle = subtitle
        self._pools = GraphPools()
        self._stages: list[dict[str, object]] = []
        self._names: Counter[str] = Counter()
        self._parts: dict[str, Part] = {}
        self.seconds = 0.0
        """The time that adding stages took."""

    def add(self, stage: str, graph: Graph) -> None:
        """Add the present state of the graph under the name `stage`, which gets a number if it is taken."""
        start = time.perf_counter()
        self._names[stage] += 1
        name = stage if self._names[stage] == 1 else f"{stage} ({self._names[stage]})"
        self._stages.append({"name": name, "graph": self._pools.graph(graph)})
        self.seconds += time.perf_counter() - start

    def after_each(self, prefix: str = "", always: Sequence[str] = ()) -> AfterEach:
        """A function for `optimize` that adds the graph as loaded, and after each pass that changed it.

        `always` names passes after which it is added in any case.
        """

        def add(name: str, graph: Graph, _: int, __: float, changed: bool) -> None:
            if not name or changed or name in always:
                self.add(prefix + (f"after {name}" if name else LOADED), graph)

        return add

    def set(self, name: str, part: Part) -> None:
        """Show a part of `PARTS`."""
        self._parts[name] = part

    def html(self) -> str:
        """The page."""
        from jinja2 import Environment, FileSystemLoader, StrictUndefined
        from markupsafe import Markup

        load_kernels(sorted(self._pools.ops))
        data = {
            "title": self._title,
            "subtitle": self._subtitle,
            **self._pools.to_dict(),
            "stages": self._stages,
            "kernels": [
                (op, [str(kernel.place) for kernel in kernels_of(op)]) for op in sorted(self._pools.ops)
            ],
            **{name: self._parts.get(name) for name in PARTS},
        }
        dagre, _, _ = _asset("vendor/dagre.min.js").partition("//# sourceMappingURL")
        environment = Environment(
            loader=FileSystemLoader(TEMPLATES), autoescape=True, undefined=StrictUndefined, trim_blocks=True
        )
        environment.policies["json.dumps_kwargs"] = {"separators": (",", ":")}
        return environment.get_template("page.html.j2").render(
            title=self._title,
            subtitle=self._subtitle,
            data=data,
            style=Markup("\n".join(_asset(f"page/{name}.css") for name in STYLES)),
            dagre=Markup(f"/*\n{_asset('vendor/dagre.LICENSE.txt')}*/\n{dagre}"),
            scripts=[(name, Markup(_asset(f"page/{name}.js"))) for name in SCRIPTS],
        )


def _asset(name: str) -> str:
    return (ASSETS / name).read_text(encoding="utf-8")
