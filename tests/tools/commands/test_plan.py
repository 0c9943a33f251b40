"""`litebridge plan` saves plans; `litebridge plan diff` finds what became worse."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import lite
from tests.support.fake_device import fake_device
from tests.support.small_convnet import convnet
from tests.tools.tiny_model import call, call_json

OPS = ("conv2d", "relu", "reduce_mean", "matmul_v2")
SHAPE = ("--shape", "x=1,3,6,6")


@pytest.fixture
def net(tmp_path: Path) -> Path:
    lite.save_program(convnet(), tmp_path / "net")
    return tmp_path / "net"


def save(net: Path, path: Path, *ops: str, more: tuple[object, ...] = ()) -> Path:
    with fake_device(*ops):
        done = call("plan", net, *SHAPE, "--device", "fake", "--save", path, *more)
    assert done.exit_code == 0, done.stderr
    assert f"wrote {path}" in done.stdout
    return path


def test_a_plan_has_ops_regions_and_versions(net: Path, tmp_path: Path) -> None:
    content = json.loads(save(net, tmp_path / "a.json", "conv2d", "relu", more=("--runs", 1)).read_text())
    assert {op["name"]: op["place"] for op in content["ops"]} == {
        "a": "fake",
        "b": "fake",
        "c": "fake",
        "d": "host",
        "y": "host",
    }
    assert content["regions"] == [{"device": "fake", "block": "main", "ops": ["a", "b", "c"]}]
    assert content["devices"] == {"fake": {"spec": "fake", "version": "1"}}
    assert (content["format"], content["litebridge"]) == (1, lite.__version__)
    assert content["seconds"] > 0


def test_a_plan_without_regions_says_why(net: Path) -> None:
    assert call("plan", net, *SHAPE).stdout.startswith("no regions: no --device is given\n\nhost 100.0%")
    with fake_device("conv3d"):
        done = call("plan", net, *SHAPE, "--device", "fake")
    assert done.stdout.startswith("no regions: the devices take no op\n")


def test_a_planted_regression_ends_with_status_3(net: Path, tmp_path: Path) -> None:
    old, new = save(net, tmp_path / "a.json", *OPS), save(net, tmp_path / "b.json", "conv2d", "relu")
    assert call("plan", "diff", old, new).exit_code == 0
    done = call("plan", "diff", old, new, "--fail-on", "regions,host-ops", "--markdown")
    assert done.exit_code == 3
    assert "| 1 | reduce_mean | fake | host | fake has no bridge for reduce_mean |" in done.stdout
    assert call("plan", "diff", old, new, "--fail-on", "regions,time").exit_code == 0
    result = call_json("plan", "diff", new, old, "--fail-on", "coverage,regions,host-ops,time")
    assert (result["failed"], [move["after"] for move in result["moved"]]) == ([], ["fake", "fake"])


def test_a_saved_plan_pins_the_placement_of_other_commands(net: Path, tmp_path: Path) -> None:
    path = save(net, tmp_path / "a.json", "conv2d", "relu")
    with fake_device(*OPS):
        options = (*SHAPE, "--device", "fake", "--runs", 0)
        free = call_json("report", net, *options)
        pinned = call_json("report", net, *options, "--plan", path)
    assert [region["ops"] for region in free["regions"]] == [["a", "b", "c", "d", "y"]]
    assert [region["ops"] for region in pinned["regions"]] == [["a", "b", "c"]]


def test_an_unknown_check_is_a_usage_error(net: Path, tmp_path: Path) -> None:
    path = save(net, tmp_path / "a.json", *OPS)
    done = call("plan", "diff", path, path, "--fail-on", "speed")
    assert done.exit_code == 2
    assert "'speed' is none of coverage, regions, host-ops, time" in done.stderr
