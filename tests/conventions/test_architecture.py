"""The reader's paths of docs/architecture.md: short, and made of files that the calls pass through."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = """
import json, sys
from pathlib import Path

import numpy as np

import lite
from tests.tools.tiny_model import tiny

root, folder, device = Path(sys.argv[1]), sys.argv[2], sys.argv[3:]
lite.save_program(tiny(), folder)
files = set()


def profile(frame, event, arg):
    if event == "call":
        files.add(frame.f_code.co_filename)


def traced(function):
    files.clear()
    sys.setprofile(profile)
    try:
        result = function()
    finally:
        sys.setprofile(None)
    inside = {str(Path(file).resolve().relative_to(root)) for file in files if file.startswith(str(root))}
    return result, sorted(inside)


config = lite.Config(folder, valid_places=["host"], devices=device)
predictor, create = traced(lambda: lite.create_predictor(config))
x = np.ones((2, 4), np.float32)
_, first = traced(lambda: predictor.run({"x": x}))
_, second = traced(lambda: predictor.run({"x": x}))
print(json.dumps({"create": create, "first": first, "second": second}))
"""


def path_files(root: Path, title: str) -> list[str]:
    """The files of the table below a heading."""
    text = (root / "docs" / "architecture.md").read_text(encoding="utf-8")
    section = text.split(f"\n### {title}\n")[1].split("\n#")[0]
    return re.findall(r"^\| `([^`]+\.py)` \|", section, re.MULTILINE)


def traced(root: Path, folder: Path, *devices: str) -> dict[str, set[str]]:
    """The files whose functions are called to create a predictor, and in its first and second run."""
    command = [sys.executable, "-c", SCRIPT, str(root), str(folder / "model"), *devices]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return {step: set(files) for step, files in json.loads(done.stdout).items()}


@pytest.mark.parametrize(
    ("title", "limit"), [("From bytes to a result", 20), ("From an op to a device", 15), ("A run", 15)]
)
def test_the_paths_are_short(root: Path, title: str, limit: int) -> None:
    assert 10 <= len(path_files(root, title)) <= limit


def test_the_path_of_a_model_is_called(root: Path, tmp_path: Path) -> None:
    called = traced(root, tmp_path)

    assert set(path_files(root, "From bytes to a result")) - called["create"] - called["first"] == set()


def test_the_path_to_a_device_is_called(root: Path, tmp_path: Path) -> None:
    called = traced(root, tmp_path, "sim_npu")

    assert set(path_files(root, "From an op to a device")) - called["create"] - called["first"] == set()


def test_the_path_of_a_run_is_called(root: Path, tmp_path: Path) -> None:
    called, files = traced(root, tmp_path), path_files(root, "A run")
    kernel = files.index("kernels/host/matmul/fc.py")

    assert set(files[: kernel + 1]) - called["second"] == set()
    assert set(files[kernel + 1 :]) - called["first"] == set()
