"""Many files: results, failures, damage, and runs that are killed."""

from __future__ import annotations

import csv
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import lite
from lite.errors import ConfigError
from lite.serving.mapping.items import find_items
from lite.serving.mapping.map_files import MapSummary, map_files
from tests.tools.tiny_model import X, call, call_json, reference, tiny

ROOT = Path(__file__).parents[4]


@pytest.fixture
def model(tmp_path: Path) -> Path:
    lite.save_program(tiny(), tmp_path / "model")
    return tmp_path / "model"


def write_inputs(folder: Path, count: int) -> None:
    folder.mkdir()
    for number in range(count):
        np.savez(folder / f"{number:05}.npz", x=X * number)


def check_results(folder: Path, count: int) -> None:
    """There is one result for each input, with the right numbers."""
    names = sorted(path.name for path in folder.iterdir() if not path.name.startswith("."))
    assert names == [f"{number:05}.npz" for number in range(count)]
    for number in range(count):
        with np.load(folder / f"{number:05}.npz") as results:
            assert np.allclose(results["y"], reference(X * number))


@pytest.mark.parametrize("batch", [1, 4])
def test_each_file_has_a_result_and_a_second_run_does_nothing(
    model: Path, tmp_path: Path, batch: int
) -> None:
    write_inputs(tmp_path / "in", 10)
    items = find_items([str(tmp_path / "in/*.npz")])
    out = tmp_path / "out"

    first = map_files(lite.Config(model), items, out, workers=2, batch=batch)
    times = {path.name: path.stat().st_mtime_ns for path in out.glob("*.npz")}
    second = map_files(lite.Config(model), items, out, workers=2, batch=batch)

    assert (first, second) == (MapSummary(10, 0, 0, {}), MapSummary(0, 10, 0, {}))
    check_results(out, 10)
    assert {path.name: path.stat().st_mtime_ns for path in out.glob("*.npz")} == times


def test_failures_are_rows_and_do_not_stop_the_others(model: Path, tmp_path: Path) -> None:
    folder = tmp_path / "in"
    write_inputs(folder, 3)
    (folder / "damaged.npz").write_bytes(b"PK\x03\x04 not a zip file")
    np.savez(folder / "shape.npz", x=np.zeros((2, 5), np.float32))
    np.savez(folder / "name.npz", z=X)
    np.save(folder / "single.npy", X)
    items = find_items([str(folder / "*.np[yz]")])

    summary = map_files(lite.Config(model), items, tmp_path / "out", batch=8)

    assert (summary.written, summary.failed) == (4, 3)
    with (tmp_path / "out" / "failed.csv").open() as file:
        rows = list(csv.reader(file))
    assert rows[0] == ["name", "file", "error"]
    assert [row[0] for row in rows[1:]] == ["damaged.npz", "name.npz", "shape.npz"]
    with np.load(tmp_path / "out" / "single.npz") as results:
        assert np.allclose(results["y"], reference(X))

    np.savez(folder / "damaged.npz", x=X)
    again = map_files(lite.Config(model), items, tmp_path / "out")
    assert (again.written, again.earlier, again.failed) == (0, 4, 3)
    retried = map_files(lite.Config(model), items, tmp_path / "out", retry_failed=True)
    assert (retried.written, retried.earlier, retried.failed) == (1, 4, 2)


def test_results_of_another_model_are_not_mixed(model: Path, tmp_path: Path) -> None:
    write_inputs(tmp_path / "in", 2)
    items = find_items([str(tmp_path / "in/*.npz")])
    map_files(lite.Config(model), items, tmp_path / "out")
    lite.save_program(tiny(), tmp_path / "other")
    with pytest.raises(ConfigError, match="results of another model"):
        map_files(lite.Config(tmp_path / "other"), items, tmp_path / "out")


def test_results_keep_the_folders_below_the_pattern(tmp_path: Path) -> None:
    for name in ("a/x.npz", "b/x.npz", "b/c/x.npy"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()

    items = find_items([str(tmp_path / "**/*.np*")])

    assert sorted(item.name for item in items) == ["a/x.npz", "b/c/x.npz", "b/x.npz"]
    assert [item.name for item in find_items([str(tmp_path / "a/x.npz")])] == ["x.npz"]
    with pytest.raises(ConfigError, match="have the same result"):
        find_items([str(tmp_path / "a/*.npz"), str(tmp_path / "b/*.npz")])
    with pytest.raises(ConfigError, match="no file matches"):
        find_items([str(tmp_path / "*.csv")])


def test_a_run_that_is_killed_goes_on_and_every_result_is_there_once(model: Path, tmp_path: Path) -> None:
    assert kill_and_resume(model, tmp_path, count=150, kills=3, seed=1) >= 1


def kill_and_resume(model: Path, folder: Path, count: int, kills: int, seed: int) -> int:
    """Kill `litebridge map` some times on its way, and let it end; returns how many runs were killed."""
    choices = random.Random(seed)
    write_inputs(folder / "in", count)
    out = folder / "out"
    command = [sys.executable, "-m", "lite.tools.cli", "map", str(model), str(folder / "in/*.npz")]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    killed = 0
    for part in range(1, kills + 1):
        run = subprocess.Popen(
            [*command, "--out", str(out)],
            cwd=ROOT,
            env=environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        goal = count * part // (kills + 1) + choices.randrange(10)
        while run.poll() is None and len(list(out.glob("*.npz")) if out.is_dir() else []) < goal:
            time.sleep(0.002)
        run.send_signal(signal.SIGKILL)
        killed += run.wait() == -signal.SIGKILL
    done = subprocess.run(
        [*command, "--out", str(out)], cwd=ROOT, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    for path in out.glob(".*.tmp"):
        path.unlink()
    check_results(out, count)
    return killed


def test_the_command_reports_and_has_a_status(model: Path, tmp_path: Path) -> None:
    write_inputs(tmp_path / "in", 2)
    arguments = ("map", model, str(tmp_path / "in/*.npz"), "--out", tmp_path / "out")
    assert call_json(*arguments) == {"written": 2, "by earlier runs": 0, "failed": 0, "failures": {}}

    np.savez(tmp_path / "in" / "wrong.npz", x=np.zeros(3, np.float32))
    result = call(*arguments)

    assert result.exit_code == 3
    assert "wrong.npz" in result.stdout
    assert str(tmp_path / "out" / "failed.csv") in result.stdout
