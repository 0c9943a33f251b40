"""Pages for the tests in a browser, and how to work with them there."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from lite.ir.text import parse_graph
from lite.runtime.observe.profile import OpProfile, Profile, Span
from lite.subgraph.report import OpReport, PlacementReport, RegionReport
from lite.tools.analysis.value_differences import ValueDifference
from lite.tools.analysis.value_quality import ValueQuality
from lite.tools.arrays.comparison import Comparison
from lite.tools.page.model_page import ModelPage
from lite.tools.page.parts import Times, differences_part, placement_part, timeline_part
from tests.lite.passes.debug.nested_graph import nested_graph
from tests.support.browser import wait_until

TYPED = """
graph main(%x: float32[?,2]) {
  %w = const float32[2] [1.0, 2.0]
  %y = scale(X=%x, ScaleTensor=%w) {scale=2.0, bias=0.0} @host/any/any : float32[?,2]
  return out=%y
}
"""


class Shown:
    """A page in the browser."""

    def __init__(self, driver: Any, page: ModelPage, folder: Path) -> None:
        self.driver = driver
        path = folder / "page.html"
        path.write_text(page.html(), encoding="utf-8")
        driver.get(path.as_uri())
        self.wait()

    def wait(self) -> None:
        """Wait until the graph is drawn."""
        wait_until(
            self.driver, "document.body.dataset.layoutMilliseconds && !document.querySelector('.busy')"
        )

    def run(self, script: str) -> Any:
        """The value of a function body of JavaScript."""
        return self.driver.execute_script(script)

    def press(self, *keys: str) -> None:
        """Press keys where the focus is."""
        for key in keys:
            self.driver.switch_to.active_element.send_keys(key)
            self.wait()

    def click(self, selector: str) -> None:
        """Click an element."""
        self.driver.find_element("css selector", selector).click()
        self.wait()

    def choose(self, name: str, value: object) -> None:
        """Choose an option of a select element."""
        self.run(f"find('{name}').value = {value!r}; find('{name}').dispatchEvent(new Event('change'))")
        self.wait()

    def texts(self, selector: str) -> list[str]:
        """The texts of all elements of a kind."""
        script = f"return [...document.querySelectorAll({selector!r})].map(each => each.textContent)"
        return list(self.run(script))

    def names(self, selector: str) -> list[str]:
        """The names by which screen readers announce all elements of a kind; ``us`` are microseconds."""
        script = f"return [...document.querySelectorAll({selector!r})].map(each => each.ariaLabel)"
        return [str(name).replace("\N{MICRO SIGN}", "u") for name in self.run(script)]

    @property
    def titles(self) -> list[str]:
        """The titles of the boxes in the first pane."""
        return self.texts("#pane-a .item > .title")

    @property
    def heading(self) -> str:
        """The heading of the panel beside the graph."""
        return self.texts("#details h2")[0]

    @property
    def details(self) -> str:
        """The visible text of the panel beside the graph."""
        return str(self.run("return document.querySelector('#details').innerText"))


def nested_page() -> ModelPage:
    """The graph with nested blocks and regions, and a second stage with one op."""
    page = ModelPage("nested", "litebridge test")
    page.add("as loaded", nested_graph())
    page.add("after all passes", parse_graph(TYPED))
    report = PlacementReport()
    report.enter(OpReport("r", "relu", "main", "npu", {"gpu": "too small"}, 1, 4))
    report.enter(OpReport("p", "relu", "main", "npu", {"gpu": "too simple"}, 1, 4))
    page.set("placement", placement_part(report))
    return page


def chain(length: int) -> str:
    """A graph of `length` stages; each has three ops, two of them in parallel, and some skip many stages."""
    lines, last = ["graph main(%x: float32[1]) {"], "x"
    for index in range(length):
        skipped = f"d{index - 40}" if index % 10 == 0 and index >= 40 else f"a{index}"
        lines.append(f"%a{index} = relu(X=%{last}) : float32[1]")
        lines.append(f"%b{index} = sigmoid(X=%a{index}) : float32[1]")
        lines.append(f"%d{index} = elementwise_add(X=%b{index}, Y=%{skipped}) : float32[1]")
        last = f"d{index}"
    return "\n".join([*lines, f"return %{last}", "}"])


def layers(count: int, *extra: str) -> str:
    """A network of `count` equal layers of five ops, between a first and a last op; `extra` follows them."""
    lines, last = ["graph main(%x: float32[1,8]) {", "%s = scale(X=%x) : float32[1,8]"], "s"
    for index in range(count):
        lines += [
            f"%n{index} = layer_norm(X=%{last}) : float32[1,8]",
            f"%m{index} = matmul_v2(X=%n{index}, Y=%n{index}) : float32[1,8]",
            f"%g{index} = gelu(X=%m{index}) : float32[1,8]",
            f"%t{index} = tanh(X=%g{index}) : float32[1,8]",
            f"%r{index} = elementwise_add(X=%t{index}, Y=%{last}) : float32[1,8]",
        ]
        last = f"r{index}"
    return "\n".join([*lines, *extra, f"%y = softmax(X=%{last}) : float32[1,8]", "return %y", "}"])


FULL = """
graph main(%x: float32[2,4]) {
  %a = mul(X=%x, Y=%x) @host/any/any : float32[2,4]
  %r = subgraph(X=%a) {device="npu"} : float32[2,4]
    graph part(%a: float32[2,4]) {
      %q = sigmoid(X=%a) : float32[2,4]
      return r=%q
    }
  %y = relu(X=%r) @cpu/any/any : float32[2,4]
  return %y
}
"""


def full_page() -> ModelPage:
    """A page with every part."""
    page = ModelPage("full", "litebridge test")
    page.add("as loaded", parse_graph(FULL))
    changed = parse_graph(FULL.replace("relu(", "relu6("))
    page.add("after all passes", changed)
    report = PlacementReport(["npu"])
    report.enter(OpReport("a", "mul", "main", "host", {"npu": "npu has no bridge for mul"}, 16, 32))
    report.enter(OpReport("r", "sigmoid", "main", "npu", {}, 0, 32))
    report.enter(OpReport("y", "relu6", "main", "host", {"npu": "too small"}, 0, 32))
    report.regions.append(RegionReport(0, "npu", "main", ["r"], ["a"], ["r"], [], 64, "built"))
    report.warnings.append("npu is slow")
    page.set("placement", placement_part(report, Times(12.0, 3.0, 1.5, 4)))
    rows = [
        OpProfile("main", 0, place, op, name, where, 2, ms * 2, ms * 2, ms, ms, share, (), (), 64)
        for place, (op, name, where, ms, share) in enumerate(
            (
                ("mul", "a", "host/any/any", 0.8, 0.6),
                ("subgraph", "r", "npu", 0.4, 0.3),
                ("relu6", "y", "cpu/any/any", 0.1, 0.1),
            )
        )
    ]
    runs, calls = [], []
    for start in (0, 2_000_000):
        runs.append(Span(None, start, start + 1_500_000))
        for row, begin, length in zip(
            rows, (0, 850_000, 1_300_000), (800_000, 400_000, 100_000), strict=True
        ):
            calls.append(Span(row, start + begin, start + begin + length))
    page.set("timeline", timeline_part(Profile(rows, runs, calls, 0)))
    buffers = [[["a"], 0, 1024, 0, 1], [["r"], 1024, 512, 1, 2], [["y"], 0, 1024, 2, 2]]
    arena = {"block": "main", "start": 0, "stop": 3, "size": 2048, "live": [1536, 1], "buffers": buffers}
    page.set(
        "memory",
        {
            "strategy": "compact",
            "strategies": [
                {
                    "strategy": "compact",
                    "arena_bytes": 2048,
                    "largest_live_set": 1536,
                    "ratio": 1.333,
                    "buffers": 3,
                }
            ],
            "scratch": 10,
            "weights": 100,
            "copied": 0,
            "packed": 0,
            "arenas": [arena],
        },
    )
    values = [
        ValueDifference("main", "a", "mul", "mul", 0.0, None),
        ValueDifference("main", "r", "subgraph", "subgraph", 2e-7, None),
        ValueDifference("main", "y", "relu", "relu6", 0.5, "above 1e-05"),
    ]
    only = [ValueDifference("main", "z", "tanh", "", None, None)]
    page.set(
        "differences",
        differences_part(
            "the first value that differs is y",
            1e-5,
            [Comparison("y", 0.5, "above 1e-05")],
            values,
            {"A": only, "B": []},
            [
                ValueQuality("a", "mul", 42.0, 1.0, 0.01, None),
                ValueQuality("y", "relu6", 9.5, 0.94, 0.5, 0.1),
            ],
        ),
    )
    return page
