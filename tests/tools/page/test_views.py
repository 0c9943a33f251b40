"""The other tabs of a page in a browser, its accessibility, its print, and small screens."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.browser import chromium
from tests.tools.page.sample_pages import Shown, full_page, nested_page

AXE = Path(__file__).parents[2] / "data" / "vendor" / "axe.min.js"
"""The accessibility checker of Deque, unchanged from its npm package."""

TABS = ("overview", "graph", "ops", "timeline", "memory", "differences")
CLICK = "new MouseEvent('click', {bubbles: true})"
ENTER, RIGHT = "\ue007", "\ue014"


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    with chromium(tmp_path_factory.mktemp("profile")) as driver:
        yield driver


@pytest.fixture
def full(browser: Any, tmp_path: Path) -> Iterator[Shown]:
    yield Shown(browser, full_page(), tmp_path)
    assert browser.get_log("browser") == []


def rows(shown: Shown, selector: str) -> list[list[str]]:
    """The cells of the body of a table."""
    return list(
        shown.run(
            f"return [...document.querySelector({selector!r}).tBodies[0].rows].map("
            "row => [...row.cells].map(cell => cell.textContent))"
        )
    )


def test_overview_has_facts_coverage_reasons_and_the_slowest_ops(full: Shown) -> None:
    assert full.texts(".card b") == ["4", "16", "1.50 ms", "3.00 ms", "1", "2 KiB", "1 of 1 differ"]
    assert full.texts("#overview .warning") == ["npu is slow"]
    assert [row[0] for row in rows(full, "#overview .coverage")] == ["host", "npu"]
    reasons = rows(full, "[aria-label='Why ops stay on the host'] table")
    assert reasons == [
        ["1", "mul", "npu", "npu has no bridge for mul"],
        ["1", "relu6", "npu", "too small"],
    ]
    assert rows(full, "[aria-label='Regions'] table") == [["0", "npu", "1", "64 B", "built", ""]]
    full.click("#overview .link")
    assert (full.run("return document.body.dataset.tab"), full.heading) == ("graph", "mul")


def test_the_table_of_ops_sorts_filters_and_selects(full: Shown) -> None:
    full.run("openTab('ops')")
    assert [row[1:3] for row in rows(full, "#ops table")] == [
        ["mul", "a"],
        ["subgraph", "r"],
        ["sigmoid", "q"],
        ["relu6", "y"],
    ]
    full.run("[...document.querySelectorAll('#ops .sort')].find(each => each.textContent === 'time').click()")
    assert [row[1] for row in rows(full, "#ops table")] == ["mul", "subgraph", "relu6", "sigmoid"]
    assert full.texts("th[aria-sort=descending]") == ["time"]
    full.run("find('search').focus()")
    full.press("npu")
    assert [row[1] for row in rows(full, "#ops table")] == ["mul", "subgraph", "relu6", "sigmoid"]
    full.press(" sig")
    full.run("[...document.querySelectorAll('#ops tbody tr')].at(-1).click()")
    assert full.heading == "sigmoid"
    full.run("openTab('graph')")
    assert full.texts(".item.selected .title") == ["sigmoid"]


def test_the_timeline_shows_calls_by_place(full: Shown) -> None:
    full.run("openTab('timeline')")
    assert full.texts("#timeline .chart .tick")[-3:] == ["host", "npu", "cpu"]
    marks = "[...document.querySelectorAll('#timeline .mark')]"
    assert full.names("#timeline .mark") == [
        "mul a, 800 us from 0.0 us, host/any/any,  -> , 60 % of the time of all ops",
        "subgraph r, 400 us from 850 us, npu,  -> , 30 % of the time of all ops",
        "relu6 y, 100 us from 1.30 ms, cpu/any/any,  -> , 10 % of the time of all ops",
    ]
    widths = full.run(f"return {marks}.map(each => Number(each.getAttribute('width')))")
    assert [round(width / widths[2]) for width in widths] == [8, 4, 1]
    full.run(f"{marks}[0].focus()")
    full.press(RIGHT)
    assert full.texts("#tooltip b") == ["subgraph r"]
    full.press(ENTER)
    assert full.heading == "subgraph"
    full.run("charts.get('timeline').zoom(0.25)")
    assert full.run(f"return {marks}.length") == 2


def test_the_memory_plan_has_axes_and_values(full: Shown) -> None:
    full.run("openTab('memory')")
    ticks = full.texts("#memory .chart .tick")
    assert [each for each in ticks if each.endswith("B")] == ["0 B", "512 B", "1 KiB", "1.5 KiB", "2 KiB"]
    assert [each for each in ticks if each.isdecimal()] == ["0", "1", "2", "3"]
    assert full.names("#memory .mark") == [
        "a, 1 KiB (1,024 bytes) at 0, instructions 0 to 1",
        "r, 512 B (512 bytes) at 1,024, instructions 1 to 2",
        "y, 1 KiB (1,024 bytes) at 0, instructions 2 to 2",
    ]
    full.run(
        "charts.get('memory').chart.querySelectorAll('.mark')[1].dispatchEvent(CLICK)".replace("CLICK", CLICK)
    )
    assert full.heading == "subgraph"


def test_differences_lead_to_the_first_op_that_differs(full: Shown) -> None:
    full.run("openTab('differences')")
    assert full.texts("#differences .lead") == ["the first value that differs is y"]
    assert full.texts("#differences summary") == ["1 values only in A"]
    assert "tolerance 1.0e-5" in full.texts("#differences .tick")
    assert full.run("return document.querySelectorAll('#differences .wrong').length") == 1
    assert rows(full, "[aria-label=Values] table")[2] == ["y", "relu", "relu6", "0.5", "above 1e-05"]
    full.run("document.querySelector('[aria-label=Values] tbody').rows[2].click()")
    assert full.heading == "relu6"
    assert "0.5 above 1e-05" in full.details


@pytest.mark.parametrize("colouring", ["kind", "place", "type", "time", "error"])
def test_every_colouring_has_a_legend(full: Shown, colouring: str) -> None:
    full.run("openTab('graph')")
    full.choose("colour", colouring)
    legend = full.texts("#legend li")
    assert {
        "kind": "normalisation",
        "place": "npu",
        "type": "float32",
        "time": "not measured",
        "error": "equal",
    }[colouring] in legend
    fills = "[...document.querySelectorAll('.item.op .head')].map(each => getComputedStyle(each).fill)"
    colours = full.run(f"return new Set({fills}).size")
    assert colours == {"kind": 3, "place": 3, "type": 1, "time": 4, "error": 4}[colouring]


def test_a_page_without_runs_has_no_tabs_for_them(browser: Any, tmp_path: Path) -> None:
    shown = Shown(browser, nested_page(), tmp_path)
    assert shown.texts("[role=tab]:not([hidden])") == ["Overview", "Graph", "Ops"]
    assert browser.get_log("browser") == []


def test_tabs_work_by_arrow_keys(full: Shown) -> None:
    full.run("find('tab-overview').focus()")
    seen = []
    for _ in TABS:
        full.press(RIGHT)
        seen.append(full.run("return document.body.dataset.tab"))
    assert seen == [*TABS[1:], TABS[0]]


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_no_violation(full: Shown, theme: str) -> None:
    full.run(f"document.documentElement.dataset.theme = '{theme}'")
    full.run(AXE.read_text(encoding="utf-8"))
    found = []
    for tab in TABS:
        full.run(f"openTab('{tab}'); select(graph().ops[0])")
        result = full.driver.execute_async_script(
            "const done = arguments[0]; axe.run().then(done, error => done(String(error)));"
        )
        found += [
            (tab, each["id"], each["nodes"][0]["html"][:120], each["nodes"][0]["failureSummary"])
            for each in result["violations"]
        ]
    assert found == []


def test_a_telephone_shows_every_tab_without_scrolling_sideways(full: Shown) -> None:
    size = {"width": 390, "height": 844, "deviceScaleFactor": 2, "mobile": True}
    full.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    try:
        full.driver.refresh()
        full.wait()
        for tab in TABS:
            full.run(f"openTab('{tab}')")
            assert full.run("return document.documentElement.scrollWidth") <= 390, tab
            assert full.run(f"return find('{tab}').clientHeight") > 300, tab
    finally:
        full.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_print_has_all_parts(full: Shown) -> None:
    pdf = base64.b64decode(full.driver.execute_cdp_cmd("Page.printToPDF", {"printBackground": True})["data"])
    assert pdf.startswith(b"%PDF")
    assert len(re.findall(rb"/Type\s*/Page\b", pdf)) >= len(TABS)
    assert full.run("return document.body.dataset.tab") == "overview"
