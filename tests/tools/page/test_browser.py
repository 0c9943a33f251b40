"""The graph of a page in a browser."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from lite.ir.text import parse_graph
from lite.tools.page.model_page import ModelPage
from tests.support.browser import chromium
from tests.tools.page.sample_pages import Shown, chain, layers, nested_page

ENTER, ESCAPE, UP, RIGHT, DOWN = "\ue007", "\ue00c", "\ue013", "\ue014", "\ue015"
"""Keys as WebDriver numbers them."""


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    with chromium(tmp_path_factory.mktemp("profile")) as driver:
        yield driver


@pytest.fixture
def nested(browser: Any, tmp_path: Path) -> Iterator[Shown]:
    shown = Shown(browser, nested_page(), tmp_path)
    shown.run("openTab('graph')")
    shown.choose("stage", 0)
    yield shown
    assert browser.get_log("browser") == []


def show(browser: Any, folder: Path, text: str) -> Shown:
    page = ModelPage("graph")
    page.add("as loaded", parse_graph(text))
    return Shown(browser, page, folder)


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
    nested.run("select(graph().items.find(item => item.label === 'y')); mainPane.view.canvas.focus()")
    nested.press(ENTER)
    assert nested.titles.count("relu") == 1
    nested.press(ESCAPE)
    nested.click("#open-all")
    assert nested.titles.count("relu") == 3


def test_click_shows_attributes_values_and_place(nested: Shown) -> None:
    nested.choose("stage", 1)
    nested.driver.find_element("css selector", ".item.op .head").click()
    assert nested.heading == "scale"
    lines = nested.details.splitlines()
    assert {"host/any/any", "scale\t2.0", "ScaleTensor w", "float32[2]", "[1., 2.]", "result out"} <= set(
        lines
    )
    assert nested.run("return document.querySelectorAll('.edge.near').length") == 2


def test_search_finds_ops_in_closed_graphs(nested: Shown) -> None:
    nested.click("#close-all")
    nested.run("mainPane.view.canvas.focus()")
    nested.press("/")
    nested.press("relu")
    assert nested.texts("#matches") == ["3 found"]
    nested.press(ENTER)
    assert nested.heading == "relu"
    assert nested.titles.count("relu") == 1
    assert "It is part of a region" not in nested.details
    nested.press(ENTER)
    assert "It is part of a region of npu." in nested.details
    assert "gpu declined: too simple" in nested.details


def test_arrows_walk_along_edges(nested: Shown) -> None:
    nested.run("mainPane.view.canvas.focus()")
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
    nested.choose("stage", 0)
    assert by_worker == nested.driver.execute_async_script(script.format("window.Worker = null;"))
    assert [len(by_worker["boxes"]), len(by_worker["edges"])] == [10, 10]


def test_page_makes_no_requests(nested: Shown) -> None:
    script = "return performance.getEntriesByType('resource').filter(e => !/^blob:/.test(e.name))"
    assert nested.run(script) == []


def test_two_stages_beside_each_other_show_what_changed(browser: Any, tmp_path: Path) -> None:
    page = ModelPage("graph")
    page.add("as loaded", parse_graph(layers(2)))
    page.add("after a_pass", parse_graph(layers(2, "%z = relu(X=%r1)").replace("gelu(X=%m0)", "relu(X=%m0)")))
    shown = Shown(browser, page, tmp_path)
    shown.choose("stage", 0)
    shown.choose("beside", 1)
    assert shown.texts("#changes") == ["1 added, 1 changed"]
    assert shown.texts("#pane-a .changed .title") == ["gelu"]
    assert shown.texts("#pane-b .changed .title") == ["relu"]
    assert shown.texts("#pane-b .added .title") == ["relu"]
    shown.run("mainPane.view.canvas.focus()")
    shown.press("n")
    assert shown.texts(".selected .title") == ["gelu", "relu"]
    shown.choose("beside", -1)
    assert shown.texts("#changes") == [""]


def test_equal_layers_fold_into_blocks(browser: Any, tmp_path: Path) -> None:
    shown = show(browser, tmp_path, layers(30))
    blocks = [f"block {number} of 30" for number in range(1, 31)]
    assert shown.titles == ["x", "scale", *blocks, "softmax", "y"]
    assert shown.heading == "152 ops"
    shown.click("#fold")
    assert len(shown.titles) == 154
    shown.click("#fold")
    shown.run("select(graph().items[5]); toggle(graph().items[5])")
    shown.wait()
    assert shown.titles[5:16] == [
        "block 4 of 30", "r2", "layer_norm", "matmul_v2", "gelu", "tanh", "elementwise_add", "r3",
        *blocks[4:7],
    ]  # fmt: skip
    assert shown.heading == "block 4 of 30"


@pytest.mark.parametrize(
    ("ops", "blocks"),
    [
        ("abcd", []),
        ("abcdabcd", []),
        ("abcdabcdabcd", ["abcd", "abcd", "abcd"]),
        ("xabcdabcdabcdy", ["abcd", "abcd", "abcd"]),
        ("abcdefghabcdefghz", ["abcdefgh", "abcdefgh"]),
        ("abcabcabcabcabc", []),
        ("abcabcabcabcabcabc", ["abcabc"] * 3),
        ("abcdabcdabcd12345123451234512345", ["abcd"] * 3 + ["12345"] * 4),
    ],
)
def test_repeats_are_found(browser: Any, tmp_path: Path, ops: str, blocks: list[str]) -> None:
    lines = [f"%v{n + 1} = op_{op}(X=%v{n}) : float32[1]" for n, op in enumerate(ops)]
    text = "\n".join(["graph main(%v0: float32[1]) {", *lines, f"return %v{len(ops)}", "}"])
    shown = show(browser, tmp_path, text)
    found = shown.run(
        "return foldedData(DATA.graphs[0], true).nodes.filter(node => node.inside).map(({inside}) => {"
        " const ops = nodes => nodes.flatMap("
        " node => node.inside ? ops(node.inside.nodes) : [DATA.nodes[node].op]);"
        " return ops(inside.nodes).map(op => op.slice(3)).join(''); })"
    )
    assert found == blocks


def test_boxes_of_a_large_graph_do_not_overlap(
    browser: Any, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    shown = show(browser, tmp_path, chain(1000))
    milliseconds = "Number(document.body.dataset.layoutMilliseconds)"
    loaded = "performance.getEntriesByType('navigation')[0].loadEventEnd"
    record_property("interactive_ms", shown.run(f"return {loaded}"))
    record_property("folded_graph_drawn_ms", shown.run(f"return {milliseconds}"))
    shown.click("#fold")
    boxes = shown.run("return mainPane.view.layout.boxes.map(box => [box.x, box.y, box.width, box.height])")
    assert len(boxes) == 3002
    boxes.sort(key=lambda box: box[1])
    for index, (x, y, width, height) in enumerate(boxes):
        for x2, y2, width2, _ in boxes[index + 1 : index + 30]:
            assert y2 >= y + height or x2 >= x + width or x >= x2 + width2
    ends = shown.run(
        "return graph().edges.map(({source, target}, index) => {"
        " const {layout} = mainPane.view, points = layout.edges[index];"
        " const [from, to] = [layout.boxes[source.index], layout.boxes[target.index]];"
        " return [points[0][0] - from.x - from.width / 2, points[0][1] - from.y - from.height,"
        " points.at(-1)[0] - to.x - to.width / 2, points.at(-1)[1] - to.y, to.y - from.y - from.height]; })"
    )
    assert len(ends) == 4001
    assert all(max(map(abs, end[:4])) < 1e-6 < end[4] for end in ends)
    assert shown.run("return document.querySelectorAll('.root > g:not([style*=none])').length") < 8
    assert browser.get_log("browser") == []
