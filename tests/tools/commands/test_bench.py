"""Results and output of `litebridge bench`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.fake_device import fake_device
from tests.tools.tiny_model import call, call_json

ARGUMENTS = ("bench", "model_dir", "--input", "x=x.npy")


def test_the_document_has_times_and_settings(workplace: Path) -> None:
    result = call_json(*ARGUMENTS, "--runs", 7, "--threads", 2)
    latency = result.pop("latency")
    assert list(latency) == ["min_ms", "mean_ms", "p50_ms", "p90_ms", "p99_ms", "max_ms"]
    ordered = [latency[name] for name in ("min_ms", "p50_ms", "p90_ms", "p99_ms", "max_ms")]
    assert ordered == sorted(ordered)
    assert all(result.pop(name) > 0 for name in ("load_ms", "optimize_ms", "first_ms", "runs_per_second"))
    del result["peak_bytes"]
    assert result.pop("places") == [{"place": "host", "ops": 3, "regions": 0, "on_host": 0}]
    assert result.pop("kernels") == {"target": "cpu", "left": 0, "total": 0, "problem": ""}
    assert result.pop("compiled") >= 0
    assert result == {"threads": 2, "clones": 1, "warmup": 3, "runs": 7}


def test_each_clone_does_all_runs(workplace: Path) -> None:
    result = call_json(*ARGUMENTS, "--runs", 5, "--clones", 3, "--warmup", 0)
    assert (result["clones"], result["warmup"], result["runs"]) == (3, 0, 15)


def test_seconds_limit_the_runs(workplace: Path) -> None:
    assert call_json(*ARGUMENTS, "--seconds", 1e-6)["runs"] >= 1


def test_the_output_has_a_line_per_fact(workplace: Path) -> None:
    lines = call(*ARGUMENTS, "--runs", 2).stdout.splitlines()
    names = [line[:17].strip() for line in lines]
    assert names == [
        "load", "optimise", "first run", "runs", "min", "mean", "p50", "p90", "p99", "max", "runs per second",
        "ran on", "kernels", "peak memory",
    ]  # fmt: skip
    assert lines[3].split("  ")[-1].strip() == "2 (1 at the same time, 1 thread each)"


@pytest.mark.parametrize(
    "more", [("--runs", 1, "--seconds", 1), ("--runs", 0), ("--seconds", 0), ("--clones", 0)]
)
def test_wrong_usage_is_refused(workplace: Path, more: tuple[object, ...]) -> None:
    result = call(*ARGUMENTS, *more)
    assert (result.exit_code, result.stdout) == (2, "")


def test_a_device_that_is_not_there_is_an_error(workplace: Path) -> None:
    with fake_device("mul") as faults:
        faults.missing = "its driver is not loaded"
        result = call(*ARGUMENTS, "--device", "fake")
        assert (result.exit_code, result.stdout) == (1, "")
        assert result.stderr == "litebridge: --device fake: its driver is not loaded\n"
        assert call("run", "model_dir", "--input", "x=x.npy", "--device", "fake").exit_code == 0


def test_the_places_of_a_run_are_named(workplace: Path) -> None:
    with fake_device("mul", "elementwise_add"):
        result = call(*ARGUMENTS, "--runs", 1, "--device", "fake")
    assert "ran on           fake: 2 ops in 1 region; host: 1 op\n" in result.stdout
