"""Output and files of `litebridge check-device`."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from tests.support.fake_device import fake_device
from tests.tools.tiny_model import call

OPS = ("relu", "sigmoid")


def test_a_conforming_device_prints_its_score(tmp_path: Path) -> None:
    page, document = tmp_path / "page.html", tmp_path / "result.json"
    with fake_device(*OPS):
        done = call(
            "check-device", "fake", "--op", "relu", "--section", "ops", "--section", "runs",
            "--json", document, "--html", page,
        )  # fmt: skip
    assert (done.exit_code, done.stderr) == (0, "")
    assert done.stdout == (
        "op    passed  declined  wrong  most frequent reason\n"
        "relu      20         0      0\n"
        "\n"
        "section  passed  declined  wrong  score\n"
        "ops          20         0      0  100 %\n"
        "runs          7         0      0  100 %\n"
        "\n"
        "fake conforms: score 100 %, 27 passed, 0 wrong, 0 declined; supports 1 of 1 ops\n"
        f"wrote {document}\n"
        f"wrote {page}\n"
    )
    result = json.loads(document.read_text())
    assert (result["ok"], result["version"], len(result["findings"])) == (True, "1", 27)
    text = page.read_text(encoding="utf-8")
    assert "fake conforms" in text
    assert "http" not in text


def test_a_wrong_device_exits_with_3(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    with fake_device(*OPS) as faults:
        faults.result = lambda array: array + np.ones((), array.dtype)
        done = call("check-device", "fake", "--op", "relu", "--html", page)
    assert done.exit_code == 3
    assert "fake does not conform" in done.stdout
    assert "Out_0_out: values differ" in done.stdout
    assert "does not conform" in page.read_text(encoding="utf-8")


def test_text_of_a_device_is_escaped_in_the_page(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    with fake_device("relu") as faults:
        faults.compile, faults.names_op = frozenset({"relu"}), True
        call("check-device", "fake{version=<b>x</b>}", "--op", "relu", "--section", "ops", "--html", page)
    text = page.read_text(encoding="utf-8")
    assert "&lt;b&gt;x&lt;/b&gt;" in text
    assert "<b>x" not in text


def test_an_unknown_device_is_an_error() -> None:
    done = call("check-device", "sim_nup")
    assert (done.exit_code, done.stdout) == (1, "")
    assert "did you mean 'sim_npu'?" in done.stderr


def test_a_browser_shows_the_page(tmp_path: Path) -> None:
    browser = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if browser is None:
        pytest.skip("no Chromium is installed")
    image = pytest.importorskip("PIL.Image", reason="Pillow is not installed")
    page, shot = tmp_path / "page.html", tmp_path / "shot.png"
    with fake_device(*OPS):
        call("check-device", "fake", "--op", "relu", "--section", "ops", "--html", page)
    base = [browser, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={tmp_path / 'profile'}"]
    flags = [f"--screenshot={shot}", "--window-size=1200,900", "--force-color-profile=srgb"]
    subprocess.run([*base, *flags, page.as_uri()], check=True, capture_output=True, timeout=120)
    with image.open(shot) as picture:
        pixels = np.asarray(picture.convert("RGB")).reshape(-1, 3)
    green = (pixels == (0x2D, 0x7D, 0x46)).all(axis=1).sum()
    assert green > 1000, "the verdict and the bars of passed findings"
