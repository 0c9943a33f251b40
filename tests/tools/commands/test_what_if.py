"""The table, document and page of `litebridge what-if`."""

from __future__ import annotations

from pathlib import Path

import pytest

import lite
from tests.support.fake_device import fake_device
from tests.support.small_convnet import convnet
from tests.support.small_programs import affine
from tests.tools.tiny_model import call, call_json

SHAPE = ("--shape", "x=1,3,6,6")


@pytest.fixture
def net(tmp_path: Path) -> Path:
    lite.save_program(convnet(), tmp_path / "models" / "net")
    return tmp_path / "models" / "net"


def test_the_table_shows_what_each_op_changes(net: Path) -> None:
    with fake_device("conv2d", "relu", "matmul_v2"):
        done = call("what-if", net, *SHAPE, "--device", "fake")
    assert done.exit_code == 0
    header, row = done.stdout.splitlines()
    assert header.split("  ")[0] == "if the device took"
    assert row.split()[:6] == ["reduce_mean", "1", "1", "60.0%", "->", "100.0%"]


def test_a_device_that_takes_all_ops_lacks_nothing(net: Path) -> None:
    with fake_device("conv2d", "relu", "matmul_v2", "reduce_mean"):
        done = call("what-if", net, *SHAPE, "--device", "fake")
    assert done.stdout == "the devices decline no op\n"


def test_assumptions_are_taken_together(net: Path) -> None:
    with fake_device("conv2d", "relu"):
        result = call_json(
            "what-if", net, *SHAPE, "--device", "fake", "--assume", "reduce_*", "--assume", "matmul_v2"
        )
    (item,) = result["items"]
    assert (item["assumption"], item["count"]) == ("reduce_*, matmul_v2", 2)
    assert (item["before"]["ops"], item["after"]["ops"], item["after"]["regions"]) == (0.6, 1.0, 1)


def test_the_time_is_estimated_from_measured_ops(net: Path) -> None:
    with fake_device("conv2d", "relu"):
        result = call_json("what-if", net, *SHAPE, "--device", "fake", "--time")
    assert all(item[side]["seconds"] > 0 for item in result["items"] for side in ("before", "after"))


def test_a_folder_of_models_gives_one_table_and_page(net: Path, tmp_path: Path) -> None:
    lite.save_program(affine(), tmp_path / "models" / "more" / "affine")
    (tmp_path / "models" / "notes.txt").write_text("no model")
    (tmp_path / "models" / "damaged").mkdir()
    (tmp_path / "models" / "damaged" / "inference.pdmodel").write_bytes(b"\x0a\xff")
    page = tmp_path / "page.html"
    with fake_device("conv2d", "elementwise_mul", "elementwise_add"):
        result = call_json("what-if", tmp_path / "models", "--device", "fake", "--html", page)
    assert [model["name"] for model in result["models"]] == ["more/affine", "net"]
    assert list(result["skipped"]) == ["damaged"]
    relu = next(item for item in result["items"] if item["assumption"] == "relu")
    assert (relu["count"], relu["models"]) == (2, ["more/affine", "net"])
    assert result["items"][-1]["assumption"] == "all of these"
    text = page.read_text()
    assert "<h2>more/affine</h2>" in text
    assert "<td>relu</td>" in text


def test_a_path_without_a_model_is_an_error(tmp_path: Path) -> None:
    done = call("what-if", tmp_path / "nothing", "--device", "sim_npu")
    assert (done.exit_code, done.stdout) == (1, "")
