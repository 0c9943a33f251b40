"""Tables, document and page of `litebridge report`."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import lite
from tests.support.browser import chromium, wait_until
from tests.support.fake_device import fake_device
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
        "3 ops in 1 regions: host 33% of the ops, 0% of the MACs; fake 67% of the ops, 100% of the MACs\n"
        "\n"
        "on host  op    declined by  why\n"
        "      1  relu  fake         fake has no bridge for relu\n"
        "\n"
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


def test_page_without_devices_needs_no_other_file(model: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    done = call("report", model, "--shape", "x=2,4", "--html", page, "--runs", 0)
    assert f"wrote {page}" in done.stdout
    text = page.read_text(encoding="utf-8")
    assert "no device" in text
    assert "<iframe" in text
    assert re.findall(r"(?:src|href)=[\"']", text) == []


def test_names_of_the_model_are_escaped(tmp_path: Path) -> None:
    program = tiny()
    for op in program.blocks[0].ops:
        for slots in (op.inputs, op.outputs):
            for slot, names in slots.items():
                slots[slot] = ["<b>xw</b>" if name == "xw" else name for name in names]
    lite.save_program(program, tmp_path / "odd")
    page = tmp_path / "page.html"
    call("report", tmp_path / "odd", "--shape", "x=2,4", "--html", page, "--runs", 0)
    text = page.read_text(encoding="utf-8")
    assert "<b>xw</b>" not in text
    assert "&lt;b&gt;xw&lt;/b&gt;" in text


def test_browser_shows_the_regions_in_the_frame(model: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    with fake_device("mul", "elementwise_add"):
        call("report", model, "--shape", "x=2,4", "--device", "fake", "--html", page)
    with chromium(tmp_path / "profile") as driver:
        driver.get(page.as_uri())
        assert driver.find_element("css selector", "#coverage .device .bar span").size["width"] > 0
        driver.switch_to.frame("graph")
        wait_until(driver, "document.querySelector('.item')")
        titles = driver.execute_script(
            "return [...document.querySelectorAll('.item > .title')].map(each => each.textContent)"
        )
        assert titles == ["x", "subgraph on fake", "x", "mul", "elementwise_add", "sum", "relu", "y"]
        assert driver.get_log("browser") == []
