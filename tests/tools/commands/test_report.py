"""litebridge report."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

import lite
from tests.fake_device import fake_device
from tests.tools.tiny_model import call, call_json, tiny


@pytest.fixture
def model(tmp_path: Path) -> Path:
    lite.save_program(tiny(), tmp_path / "tiny")
    return tmp_path / "tiny"


def test_tables_say_where_ops_run_and_why(model: Path) -> None:
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


def test_json_has_everything(model: Path) -> None:
    with fake_device("mul", "elementwise_add"):
        found = call_json("report", model, "--shape", "x=2,4", "--devices", "fake", "--runs", 2)
    assert [(op["name"], op["placed_on"]) for op in found["ops"]] == [
        ("xw", "fake"),
        ("sum", "fake"),
        ("y", "host"),
    ]
    [region] = found["regions"]
    assert region["tensors"] == [
        {"name": "x", "direction": "in", "dtype": "float32", "shape": [2, 4], "bytes": 32},
        {"name": "sum", "direction": "out", "dtype": "float32", "shape": [2, 3], "bytes": 24},
    ]
    assert (region["signatures"][0]["runs"], found["times"]["runs"]) == (3, 2)


def test_on_the_host_alone_there_is_a_page_too(model: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    done = call("report", model, "--shape", "x=2,4", "--html", page, "--runs", 0)
    assert f"wrote {page}" in done.stdout
    text = page.read_text(encoding="utf-8")
    assert "no device" in text
    assert "<svg" in text
    assert "http://" not in text.replace("http://www.w3.org/", "")


def test_names_of_the_model_cannot_break_the_page(tmp_path: Path) -> None:
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


def test_a_browser_shows_the_page(model: Path, tmp_path: Path) -> None:
    browser = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if browser is None:
        pytest.skip("no Chromium is installed")
    image = pytest.importorskip("PIL.Image", reason="Pillow is not installed")
    page, shot = tmp_path / "page.html", tmp_path / "shot.png"
    with fake_device("mul", "elementwise_add"):
        call("report", model, "--shape", "x=2,4", "--device", "fake", "--html", page)
    base = [browser, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={tmp_path / 'profile'}"]
    flags = [f"--screenshot={shot}", "--window-size=1200,2000", "--force-color-profile=srgb"]
    subprocess.run([*base, *flags, page.as_uri()], check=True, capture_output=True, timeout=120)
    with image.open(shot) as picture:
        pixels = np.asarray(picture.convert("RGB")).reshape(-1, 3)
    colours, counts = np.unique(pixels, axis=0, return_counts=True)
    seen = {tuple(int(part) for part in colour) for colour, n in zip(colours, counts, strict=True) if n > 500}
    assert (255, 255, 0) in seen, "ops are yellow boxes"
    assert (74, 127, 181) in seen, "the bar of a device's share"
    assert any(blue > red and green > red and red < 235 for red, green, blue in seen if blue > 200), (
        "the region's frame"
    )
