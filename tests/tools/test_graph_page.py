"""The page of a graph: its data, and its behaviour in a browser."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from lite.ir.text import parse_graph
from lite.subgraph.report import OpReport, PlacementReport
from lite.tools.graph_page import ASSETS, SCRIPTS, GraphPage
from tests.lite.passes.debug.nested_graph import nested_graph
from tests.support.browser import chromium, wait_until

ENTER, ESCAPE, UP, RIGHT, DOWN = "\ue007", "\ue00c", "\ue013", "\ue014", "\ue015"
"""Keys as WebDriver numbers them."""

TYPED = """
graph main(%x: float32[?,2]) {
  %w = const float32[2] [1.0, 2.0]
  %y = scale(X=%x, ScaleTensor=%w) {scale=2.0, bias=0.0} @host/any/any : float32[?,2]
  return out=%y
}
"""


def data_of(html: str) -> Any:
    match = re.search(r'<script id="data" type="application/json">(.*?)</script>', html, re.DOTALL)
    assert match is not None
    return json.loads(match[1])


def test_data_has_the_ops_values_and_places() -> None:
    page = GraphPage("model")
    page.add("as loaded", parse_graph(TYPED))
    report = PlacementReport()
    report.enter(OpReport("y", "scale", "main", "host", {"npu": "too small"}, 4, 16))

    data = data_of(page.html(report))

    text = data["strings"]
    [stage] = data["stages"]
    graph = stage["graph"]
    assert (data["title"], stage["name"], graph["name"]) == ("model", "as loaded", "main")
    assert [(value["name"], text[value["type"]]) for value in graph["values"]] == [
        ("x", "float32[?,2]"),
        ("w", "float32[2]"),
        ("y", "float32[?,2]"),
    ]
    assert [text[value["data"]] for value in graph["values"] if "data" in value] == ["[1., 2.]"]
    assert (graph["args"], graph["results"]) == ([0], [["out", 2]])
    [node] = graph["nodes"]
    assert (node["op"], node["name"], node["place"]) == ("scale", "y", "host/any/any")
    assert (node["inputs"], node["outputs"]) == ([["X", [0]], ["ScaleTensor", [1]]], [["Out", [2]]])
    assert [[text[index] for index in pair] for pair in node["attrs"]] == [["scale", "2.0"]]
    assert [[text[index] for index in pair] for pair in node["defaults"]] == [["bias", "0.0"]]
    assert "host/any/any" in dict(data["kernels"])["scale"]
    assert data["placement"] == [
        {"block": "main", "op": "y", "place": "host", "declined": [["npu", "too small"]]}
    ]


def test_nested_graphs_are_inside_their_ops() -> None:
    page = GraphPage("model")
    page.add("as loaded", nested_graph())
    nodes = data_of(page.html())["stages"][0]["graph"]["nodes"]
    assert [
        (
            node["op"],
            node.get("device"),
            node.get("effect", False),
            [b["name"] for b in node.get("blocks", ())],
        )
        for node in nodes
    ] == [
        ("elementwise_add", None, False, []),
        ("print", None, True, []),
        ("conditional_block", None, False, ["block1"]),
        ("subgraph", "npu", False, ["block2"]),
        ("subgraph", "npu", False, ["block3"]),
        ("print", None, True, []),
    ]


def test_stages_have_different_names() -> None:
    page = GraphPage("model")
    for _ in range(3):
        page.add("after a_pass", nested_graph())
    stages = [stage["name"] for stage in data_of(page.html())["stages"]]
    assert stages == ["after a_pass", "after a_pass (2)", "after a_pass (3)"]


def test_names_of_the_model_are_escaped() -> None:
    page = GraphPage("<b>model</b>")
    page.add("as loaded", parse_graph('graph main(%"</script><b>": float32[1]) { return %"</script><b>" }'))
    html = page.html()
    assert "<b>" not in html
    assert data_of(html)["stages"][0]["graph"]["values"][0]["name"] == "</script><b>"


def test_page_needs_no_other_file() -> None:
    page = GraphPage("model")
    page.add("as loaded", nested_graph())
    html = page.html()
    assert re.findall(r"""(?:src|href)=|url\((?!#)|@import|sourceMappingURL""", html) == []
    assert "default-src 'none'" in html
    assert "Permission is hereby granted" in html  # dagre's licence


@pytest.mark.parametrize("name", [f"graph_page/{name}.js" for name in SCRIPTS] + ["vendor/dagre.min.js"])
def test_scripts_do_not_end_their_element(name: str) -> None:
    assert "</script" not in (ASSETS / name).read_text(encoding="utf-8").lower()


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


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    with chromium(tmp_path_factory.mktemp("profile")) as driver:
        yield driver


class Shown:
    """A page in the browser."""

    def __init__(self, driver: Any, html: str, folder: Path) -> None:
        self.driver = driver
        path = folder / "graph.html"
        path.write_text(html, encoding="utf-8")
        driver.get(path.as_uri())
        self.wait()

    def wait(self) -> None:
        wait_until(
            self.driver, "document.body.dataset.layoutMilliseconds && !document.querySelector('.busy')"
        )

    def run(self, script: str) -> Any:
        return self.driver.execute_script(script)

    def press(self, *keys: str) -> None:
        for key in keys:
            self.driver.switch_to.active_element.send_keys(key)
            self.wait()

    def click(self, selector: str) -> None:
        self.driver.find_element("css selector", selector).click()
        self.wait()

    @property
    def titles(self) -> list[str]:
        return list(
            self.run("return [...document.querySelectorAll('.item > .title')].map(e => e.textContent)")
        )

    @property
    def heading(self) -> str:
        return str(self.run("return document.querySelector('#details h2').textContent"))

    @property
    def details(self) -> str:
        return str(self.run("return document.querySelector('#details').innerText"))


@pytest.fixture
def nested(browser: Any, tmp_path: Path) -> Iterator[Shown]:
    page = GraphPage("nested")
    page.add("as loaded", nested_graph())
    page.add("after all passes", parse_graph(TYPED))
    report = PlacementReport()
    report.enter(OpReport("r", "relu", "main", "npu", {"gpu": "too small"}, 1, 4))
    report.enter(OpReport("p", "relu", "main", "npu", {"gpu": "too simple"}, 1, 4))
    shown = Shown(browser, page.html(report), tmp_path)
    yield shown
    assert browser.get_log("browser") == []


def test_page_shows_each_op_argument_and_result(nested: Shown) -> None:
    assert Counter(nested.titles) == {
        **dict.fromkeys(("c", "elementwise_add", "conditional_block"), 1),
        **dict.fromkeys(("print", "subgraph on npu", "y", "r", "s"), 2),
        **dict.fromkeys(("x", "relu"), 3),
    }
    assert nested.heading == "9 ops"
    assert nested.run("return document.querySelectorAll('path.edge').length") == 16
    assert nested.run("return document.querySelectorAll('path.effect').length") == 1


def test_nested_graphs_close_and_open(nested: Shown) -> None:
    nested.click("#close-all")
    assert nested.titles.count("relu") == 0
    nested.run("select(graph().items.find(item => item.label === 'y')); view.canvas.focus()")
    nested.press(ENTER)
    assert nested.titles.count("relu") == 1
    nested.press(ESCAPE)
    nested.click("#open-all")
    assert nested.titles.count("relu") == 3


def test_click_shows_attributes_values_and_place(nested: Shown) -> None:
    nested.run("find('stage').value = 1; find('stage').dispatchEvent(new Event('change'))")
    nested.wait()
    nested.driver.find_element("css selector", ".item.other .head").click()
    assert nested.heading == "scale"
    lines = nested.details.splitlines()
    assert {"host/any/any", "scale\t2.0", "ScaleTensor w", "float32[2]", "[1., 2.]", "result out"} <= set(
        lines
    )
    assert nested.run("return document.querySelectorAll('.edge.near').length") == 2


def test_search_finds_ops_in_closed_graphs(nested: Shown) -> None:
    nested.click("#close-all")
    nested.run("view.canvas.focus()")
    nested.press("/")
    nested.press("relu")
    assert nested.run("return find('matches').textContent") == "3 found"
    nested.press(ENTER)
    assert nested.heading == "relu"
    assert nested.titles.count("relu") == 1
    assert "It is part of a region" not in nested.details
    nested.press(ENTER)
    assert "It is part of a region of npu." in nested.details
    assert "gpu declined: too simple" in nested.details


def test_arrows_walk_along_edges(nested: Shown) -> None:
    nested.run("view.canvas.focus()")
    headings = []
    for key in (DOWN, RIGHT, DOWN, UP, ESCAPE):
        nested.press(key)
        headings.append(nested.heading)
    assert headings == ["c", "x", "elementwise_add", "x", "9 ops"]


def test_the_theme_button_changes_the_theme(nested: Shown) -> None:
    script = "return getComputedStyle(document.body).backgroundColor"
    before = nested.run(script)
    nested.click("#theme")
    assert nested.run(script) != before


def test_layout_without_worker_is_the_same(nested: Shown) -> None:
    script = "const done = arguments[0]; {} layoutWorker()(drawingOf(graph())).then(done, () => done(null));"
    by_worker = nested.driver.execute_async_script(script.format("window.layoutDrawing = null;"))
    nested.driver.refresh()
    nested.wait()
    assert by_worker == nested.driver.execute_async_script(script.format("window.Worker = null;"))
    assert [len(by_worker["boxes"]), len(by_worker["edges"])] == [10, 10]


def test_page_makes_no_requests(nested: Shown) -> None:
    assert (
        nested.run("return performance.getEntriesByType('resource').filter(e => !/^blob:/.test(e.name))")
        == []
    )


def test_boxes_of_a_large_graph_do_not_overlap(browser: Any, tmp_path: Path) -> None:
    page = GraphPage("chain")
    page.add("as loaded", parse_graph(chain(1000)))

    shown = Shown(browser, page.html(), tmp_path)

    boxes = shown.run("return view.layout.boxes.map(box => [box.x, box.y, box.width, box.height])")
    assert len(boxes) == 3002
    boxes.sort(key=lambda box: box[1])
    for index, (x, y, width, height) in enumerate(boxes):
        for x2, y2, width2, _ in boxes[index + 1 : index + 30]:
            assert y2 >= y + height or x2 >= x + width or x >= x2 + width2
    ends = shown.run(
        "return graph().edges.map(({source, target}, index) => {"
        " const points = view.layout.edges[index], boxes = view.layout.boxes;"
        " const [from, to] = [boxes[source.index], boxes[target.index]];"
        " return [points[0][0] - from.x - from.width / 2, points[0][1] - from.y - from.height,"
        " points.at(-1)[0] - to.x - to.width / 2, points.at(-1)[1] - to.y, to.y - from.y - from.height]; })"
    )
    assert len(ends) == 4001
    assert all(max(map(abs, end[:4])) < 1e-6 < end[4] for end in ends)
    assert shown.run("return document.querySelectorAll('#root > g:not([style*=none])').length") < 6
    assert browser.get_log("browser") == []
