"""`litebridge tune` measures ops and keeps their costs, which placement by cost uses."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest

import lite
from lite.plugin.kernel import evaluate
from lite.subgraph.measured_costs import COSTS_FILE
from lite.tools.analysis.region_meter import RegionMeter
from tests.support.fake_device import fake_device
from tests.support.small_convnet import convnet
from tests.tools.tiny_model import call, call_json

OPS = ("conv2d", "relu", "reduce_mean", "matmul_v2")
SHAPE = ("--shape", "x=1,3,6,6")


@pytest.fixture
def net(tmp_path: Path) -> Path:
    lite.save_program(convnet(), tmp_path / "net")
    return tmp_path / "net"


def test_each_op_is_measured_on_the_places_that_support_it(net: Path, tmp_path: Path) -> None:
    with fake_device("conv2d", "relu"):
        result = call_json("tune", net, *SHAPE, "--device", "fake", "--cache-dir", tmp_path / "new" / "cache")
    measured = {op["name"]: (op["op"], op["count"], set(op["seconds"])) for op in result["ops"]}
    assert measured == {
        "a": ("conv2d", 1, {"fake", "host"}),
        "b": ("relu", 1, {"fake", "host"}),
        "c": ("conv2d", 1, {"fake", "host"}),
        "d": ("reduce_mean", 1, {"host"}),
        "y": ("matmul_v2", 1, {"host"}),
    }
    assert all(seconds >= 0 for op in result["ops"] for seconds in op["seconds"].values())
    kept = json.loads((tmp_path / "new" / "cache" / COSTS_FILE).read_text())
    assert len(kept["ops"]) == 5


def test_the_output_names_the_options_that_use_the_times(
    net: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with fake_device(*OPS):
        done = call("tune", net, *SHAPE, "--device", "fake", "--cache-dir", "costs", "--save", "best.json")
    assert done.exit_code == 0
    assert [line for line in done.stdout.splitlines() if len(line) > 80] == []
    assert done.stdout.splitlines()[0].split() == ["op", "count", "fake", "(us)", "host", "(us)"]
    words = "to use it, run commands with --placement cost --cache-dir costs or --plan best.json"
    assert " ".join(done.stdout.split()).endswith(words)


def test_earlier_measurements_are_kept(net: Path, tmp_path: Path) -> None:
    with fake_device(*OPS):
        for size in (6, 7, 6):
            call("tune", net, "--shape", f"x=1,3,{size},{size}", "--device", "fake", "--cache-dir", tmp_path)
        kept = json.loads((tmp_path / COSTS_FILE).read_text())
    assert len(kept["ops"]) == 2 * 5 - 1, "the last op has the same shapes in both models"


def test_an_op_that_the_device_cannot_compile_has_no_cost_there(net: Path, tmp_path: Path) -> None:
    with fake_device(*OPS) as faults:
        faults.compile = frozenset({"reduce_mean"})
        result = call_json("tune", net, *SHAPE, "--device", "fake", "--cache-dir", tmp_path)
    places = {op["op"]: set(op["seconds"]) for op in result["ops"]}
    assert places["reduce_mean"] == {"host"}
    assert places["conv2d"] == {"fake", "host"}


def test_placement_by_cost_leaves_out_a_slow_device(
    net: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    right = evaluate

    def slow(kind: str, *arguments: Any) -> Any:
        time.sleep(0.01 if kind == "conv2d" else 0)
        return right(kind, *arguments)

    monkeypatch.setattr("tests.support.fake_device.evaluate", slow)
    device = ("--devices", "fake", "--cache-dir", tmp_path, "--runs", "0")
    with fake_device(*OPS):
        call("tune", net, *SHAPE, "--device", "fake", "--cache-dir", tmp_path)
        by_cost = call_json("report", net, *SHAPE, *device, "--placement", "cost")
        # The log says that a plan for another placement is in the cache.
        by_priority = json.loads(call("report", net, *SHAPE, *device, "--json").stdout)
    assert (len(by_cost["regions"]), len(by_priority["regions"])) == (0, 1)
    reasons = {op["why_not"]["fake"] for op in by_cost["ops"]}
    assert all("the host takes" in reason for reason in reasons)


def test_an_unknown_device_is_an_error(net: Path, tmp_path: Path) -> None:
    done = call("tune", net, *SHAPE, "--device", "no_such", "--cache-dir", tmp_path)
    assert (done.exit_code, done.stdout) == (1, "")
    assert "no device is called 'no_such'" in done.stderr


def test_the_fastest_of_whole_placements_is_saved(net: Path, tmp_path: Path) -> None:
    plan = tmp_path / "plan.json"
    with fake_device(*OPS, name="slow") as slow, fake_device("conv2d", "relu", name="quick"):
        slow.seconds = 0.02
        result = call_json(
            "tune", net, *SHAPE, "--device", "slow,quick", "--cache-dir", tmp_path, "--save", plan
        )
        pinned = call_json("report", net, *SHAPE, "--device", "slow,quick", "--runs", 0, "--plan", plan)
    tried = {each["name"]: each for each in result["placements"]}
    assert {"host", "slow", "quick", "quick, slow (priority)"} <= set(tried)
    (chosen,) = (each for each in tried.values() if each["chosen"])
    assert tried["slow"]["seconds"] > 0.02
    assert chosen["name"] in ("host", "quick")
    assert "slow" not in {region["device"] for region in pinned["regions"]}


def test_a_placement_that_fails_is_not_chosen(net: Path, tmp_path: Path) -> None:
    with fake_device(*OPS) as faults:
        faults.result = lambda _: None
        options = ("--device", "fake", "--cache-dir", tmp_path, "--save", tmp_path / "p.json", "--json")
        done = call("tune", net, *SHAPE, *options)
    tried = {each["name"]: each for each in json.loads(done.stdout)["placements"]}
    assert "fake" in tried["fake"]["note"]
    assert tried["fake"]["seconds"] is None
    assert tried["host"]["chosen"]


def test_the_tuned_placement_is_used_and_reported(net: Path, tmp_path: Path) -> None:
    with fake_device(*OPS, name="slow") as slow, fake_device("conv2d", "relu", name="quick"):
        slow.seconds = 0.02
        devices = ("--device", "slow,quick", "--cache-dir", tmp_path)
        result = call_json("tune", net, *SHAPE, *devices)
        by_cost = call_json("report", net, *SHAPE, *devices, "--runs", 0, "--placement", "cost")
    assert "slow" not in {region["device"] for region in by_cost["regions"]}
    assert by_cost["measured"] == result["placements"]
    assert [row["seconds"] for row in by_cost["measured"]] == sorted(
        row["seconds"] for row in by_cost["measured"]
    )


def test_equal_regions_are_measured_once(net: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = convnet()
    for weight in program.weights.values():
        weight.array = weight.array * 2
    lite.save_program(program, tmp_path / "other")
    measured: list[str] = []
    measure = RegionMeter._measure

    def counted(self: RegionMeter, place: str, *rest: Any) -> float:
        measured.append(place)
        return measure(self, place, *rest)

    monkeypatch.setattr(RegionMeter, "_measure", counted)
    with fake_device(*OPS):
        for model in (net, tmp_path / "other"):
            call("tune", model, *SHAPE, "--device", "fake", "--cache-dir", tmp_path)
            assert bool(measured) == (model == net)
            measured.clear()
