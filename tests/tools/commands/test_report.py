"""Tables, document and page of `litebridge report`."""

from __future__ import annotations

from pathlib import Path

import pytest

import lite
from tests.support.browser import chromium, wait_until
from tests.support.fake_device import fake_device
from tests.tools.page.page_data import data_of, stage_of
from tests.tools.tiny_model import call, call_json, tiny


@pytest.fixture
def model(tmp_path: Path) -> Path:
    lite.save_program(tiny(), tmp_path / "tiny")
    return tmp_path / "tiny"


def test_tables_list_places_and_reasons(model: Path) -> None:
    with fake_device("mul", "elementwise_add"):
        done = call("report", model, "--shape", "x=2,4", "--device", "fake", "--runs", 1)
    assert done.exit_code == 0
    assert done.stdout == (
        "3 ops in 1 region\n"
        "place  ops %  MACs %  bytes written %\n"
        "host    33.3       0             33.3\n"
        "fake    66.7     100             66.7\n"
        "\n"
        "ops on the host\n"
        "on host  op    declined by  why\n"
        "      1  relu  fake         fake has no bridge for relu\n"
        "\n"
        "regions\n"
        "region  device  ops  inputs  outputs  bytes  state  reason\n"
        "     0  fake      2       1        1     56  built\n"
    )


def test_the_document_has_ops_regions_and_times(model: Path) -> None:
    with fake_device("mul", "elementwise_add"):
        result = call_json("report", model, "--shape", "x=2,4", "--devices", "fake", "--runs", 2)
    assert [(op["name"], op["placed_on"]) for op in result["ops"]] == [
        ("xw", "fake"),
        ("sum", "fake"),
        ("y", "host"),
    ]
    [region] = result["regions"]
    assert region["tensors"] == [
        {"name": "x", "direction": "in", "dtype": "float32", "shape": [2, 4], "bytes": 32},
        {"name": "sum", "direction": "out", "dtype": "float32", "shape": [2, 3], "bytes": 24},
    ]
    assert (region["signatures"][0]["runs"], result["times"]["runs"]) == (3, 2)


def test_page_has_placement_times_memory_and_the_graph(model: Path, tmp_path: Path) -> None:
    page = tmp_path / "new" / "page.html"
    with fake_device("mul", "elementwise_add"):
        done = call("report", model, "--shape", "x=2,4", "--device", "fake", "--html", page, "--runs", 2)
    assert done.stdout.endswith(f"\nwrote {page}\n")
    data = data_of(page.read_text(encoding="utf-8"))
    assert [op[:5] for op in data["placement"]["ops"]] == [
        ["main", "xw", "mul", "fake", 24],
        ["main", "sum", "elementwise_add", "fake", 0],
        ["main", "y", "relu", "host", 0],
    ]
    assert (data["placement"]["times"]["runs"], data["timeline"]["runs"]) == (2, 2)
    assert [row[2] for row in data["timeline"]["ops"]] == ["subgraph", "relu"]
    assert [stage["name"] for stage in data["stages"]][:1] == ["as loaded"]
    assert [node["op"] for node in stage_of(data, "after all passes")["nodes"]] == ["subgraph", "relu"]
    assert data["memory"]["strategy"] == "compact"
    assert ["main", "y", [2, 3]] in data["seen"]["shapes"]


def test_page_counts_the_work_of_open_sizes(model: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    call("profile", model, "--shape", "x=2,4", "--html", page, "--runs", 2, "--warmup", 0)
    data = data_of(page.read_text(encoding="utf-8"))
    assert [op[4] for op in data["placement"]["ops"]] == [24, 0, 0]
    assert ["main", "xw", "mul", 24] in data["seen"]["macs"]
    assert data["differences"] is None


def test_page_of_a_comparison_has_errors_and_both_graphs(model: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    call("compare", model, "--passes-b", "", "--shape", "x=2,4", "--html", page)
    data = data_of(page.read_text(encoding="utf-8"))
    assert [value[1] for value in data["differences"]["values"]] == ["y"]
    [[name, error, problem]] = data["differences"]["outputs"]
    assert (name, error < 1e-6, problem) == ("y", True, None)
    names = [stage["name"] for stage in data["stages"]]
    assert {"A: as loaded", "A: after all passes", "B: as loaded", "B: after all passes"} <= set(names)
    assert [node["op"] for node in stage_of(data, "A: after all passes")["nodes"]] == ["fc"]


def test_browser_shows_the_regions(model: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    with fake_device("mul", "elementwise_add"):
        call("report", model, "--shape", "x=2,4", "--device", "fake", "--html", page)
    with chromium(tmp_path / "profile") as driver:
        driver.get(page.as_uri())
        wait_until(driver, "document.body.dataset.layoutMilliseconds")
        cells = "[...document.querySelectorAll('#overview .coverage th[scope=row]')]"
        places = driver.execute_script(f"return {cells}.map(each => each.textContent)")
        assert places[:2] == ["host", "fake"]
        titles = driver.execute_script(
            "return [...document.querySelectorAll('.item > .title')].map(each => each.textContent)"
        )
        assert titles == ["x", "subgraph on fake", "x", "mul", "elementwise_add", "sum", "relu", "y"]
        assert driver.get_log("browser") == []
