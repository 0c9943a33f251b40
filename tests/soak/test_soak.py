"""A small share of each soak."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.soak.damage import WAYS
from tests.soak.mutations.damage import damaged
from tests.soak.mutations.samples import FORMATS, samples

pytest.importorskip("numba", reason="the soaks run compiled kernels")
pytest.importorskip("onnxruntime", reason="the soaks compare with ONNX Runtime")


def output_of(root: Path, *arguments: str) -> str:
    """What a module of this package prints; it must succeed."""
    command = [sys.executable, "-W", "ignore", "-m", *arguments]
    environment = {**os.environ, "PYTHONPATH": str(root)}
    ended = subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True)
    assert ended.returncode == 0, ended.stdout[-3000:] + ended.stderr[-3000:]
    return ended.stdout


@pytest.mark.slow
@pytest.mark.parametrize("kind", FORMATS)
def test_damaged_models_are_refused_or_run(root: Path, kind: str) -> None:
    out = output_of(root, "tests.soak.mutations", "--format", kind, "--count", "40", "--first", "10000000")
    assert f"{kind}: 40 models" in out


@pytest.mark.slow
def test_damaged_models_run_between_guard_pages(root: Path) -> None:
    options = ("--format", "nb", "--count", "40", "--first", "10000000", "--guard-pages")
    assert "0 failures" in output_of(root, "tests.soak.mutations", *options)


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
def test_forks_after_devices_ran_answer(root: Path) -> None:
    names = ("cpu", "sim_npu", "onnxruntime, 2 threads", "sim_npu, isolated")
    chosen = [part for name in names for part in ("--setting", name)]
    out = output_of(root, "tests.soak.fork_after_use", "--rounds", "2", "--seconds", "120", *chosen)
    assert [line for line in out.splitlines() if "rounds" in line] == [
        f"{name}: 2 rounds, 0 failures" for name in names
    ]


@pytest.mark.slow
def test_processes_share_caches_and_are_killed(root: Path) -> None:
    out = output_of(root, "tests.soak.cache_chaos", "--rounds", "3", "--processes", "3")
    assert "'rounds': 3" in out
    assert "'temporary files left': 0" in out


@pytest.mark.slow
def test_damaged_caches_are_rebuilt(root: Path) -> None:
    assert "0 failures" in output_of(root, "tests.soak.cache_damage", "--minutes", "0.02", "--files", "1")


@pytest.mark.slow
def test_interrupted_calls_are_followed_by_right_ones(root: Path) -> None:
    options = ("--every", "60", "--only", "host", "--minutes", "0.2")
    assert "0 failures" in output_of(root, "tests.soak.interrupts", *options)


@pytest.mark.slow
def test_predictors_are_made_and_dropped(root: Path) -> None:
    assert "after 20 cycles" in output_of(root, "tests.soak.create_destroy", "--cycles", "20")


@pytest.mark.slow
def test_a_short_soak_is_right(root: Path) -> None:
    # The memory of so short a run tells nothing.
    out = output_of(root, "tests.soak", "--minutes", "0.1", "--models", "1", "--any-growth")
    assert "0 failures" in out


@pytest.mark.parametrize("kind", FORMATS)
def test_equal_seeds_damage_equally_and_most_damages_change_a_file(kind: str) -> None:
    changed = 0
    for seed in range(20):
        first, second = (random.Random(seed) for _ in range(2))
        sample = samples(kind)[seed % len(samples(kind))]
        files = damaged(first, sample, kind)
        assert files == damaged(second, sample, kind)
        changed += files != dict(sample.files)
    assert changed > 10


@pytest.mark.parametrize("way", WAYS)
def test_each_way_of_damage_changes_the_file(way: str, tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"x" * 100)
    path.chmod(0o600)
    (tmp_path / "other").write_bytes(b"y")
    WAYS[way](path, random.Random(1))
    is_same = path.is_file() and not path.is_symlink() and path.read_bytes() == b"x" * 100
    assert not is_same or path.stat().st_mode & 0o777 != 0o600


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")
def test_damaged_weights_of_generated_c_are_refused(root: Path) -> None:
    out = output_of(root, "tests.soak.c_weights", "--count", "300", "--first", "10000000")
    assert out.count(": 300 files") == 2


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")
def test_a_few_random_graphs_are_right_as_c(root: Path) -> None:
    out = output_of(root, "tests.soak.c_code.graphs", "--first", "10000000", "--count", "4")
    assert "wrong" not in out


@pytest.mark.slow
def test_a_server_under_mixed_load_answers_rightly(root: Path) -> None:
    for package in ("grpc", "orjson", "uvicorn"):
        pytest.importorskip(package, reason="the server needs the extra serve")
    out = output_of(root, "tests.soak.serving_load", "--seconds", "10", "--rate", "100")
    assert out.endswith("\n0 failures\n")
