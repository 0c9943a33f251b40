"""`litebridge bisect` finds the op that a device computes wrongly, and writes a model that reproduces it."""

from __future__ import annotations

import itertools
import json
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lite
from lite.ir.types import DType
from lite.plugin.kernel.evaluation import Result, evaluate
from tests.support import fake_device as fakes
from tests.support.fake_device import fake_device
from tests.support.small_convnet import convnet
from tests.support.small_programs import OpText, make_program
from tests.tools.tiny_model import call

OPS = ("conv2d", "relu", "reduce_mean", "matmul_v2")


@pytest.fixture
def net(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    lite.save_program(convnet(), tmp_path / "net")
    return tmp_path / "net"


def add_error(monkeypatch: pytest.MonkeyPatch, op: str, error: float = 1) -> None:
    """Let the fake device add `error` to the results of this op."""
    right = evaluate

    def wrong(kind: str, *arguments: Any) -> Mapping[str, Sequence[Result]]:
        results = right(kind, *arguments)
        if kind != op:
            return results
        slot = next(iter(results))
        return {**results, slot: [Result(result.array + np.float32(error)) for result in results[slot]]}

    monkeypatch.setattr("tests.support.fake_device.evaluate", wrong)


def bisect(*arguments: object) -> tuple[int, Any]:
    done = call("bisect", *arguments, "--device", "fake", "--json")
    return done.exit_code, json.loads(done.stdout)


def test_a_right_device_has_no_difference(net: Path) -> None:
    with fake_device(*OPS):
        done = call("bisect", net, "--shape", "x=1,3,6,6", "--device", "fake")
    assert done.exit_code == 0
    assert done.stdout == (
        "region  device  block  ops  error  problem\n"
        "     0  fake    main     5      0\n"
        "\n"
        "no region differs from the host\n"
    )
    assert not (net.parent / "bisect_fake").exists()


@pytest.mark.parametrize(
    ("op", "name"), [("conv2d", "a"), ("relu", "b"), ("reduce_mean", "d"), ("matmul_v2", "y")]
)
def test_the_wrong_op_is_found(net: Path, monkeypatch: pytest.MonkeyPatch, op: str, name: str) -> None:
    add_error(monkeypatch, op)
    with fake_device(*OPS) as faults:
        status, document = bisect(net, "--shape", "x=1,3,6,6", "--out", "out")
        compiled = faults.compiled
    first = document["first"]
    assert status == 3
    assert (first["op"], first["name"], first["ops"]) == (op, name, [op])
    assert first["shows_it"]
    assert compiled <= 10
    (region,) = document["regions"]
    assert region["problem"].startswith("y: above 0.001, relative error ")


@pytest.mark.parametrize("tolerance", [(), ("--tolerance", "1e-5")])
def test_the_printed_command_reproduces_the_difference(
    net: Path, monkeypatch: pytest.MonkeyPatch, tolerance: tuple[str, ...]
) -> None:
    add_error(monkeypatch, "reduce_mean", 5e-3 if tolerance else 1)
    with fake_device(*OPS):
        done = call("bisect", net, "--shape", "x=1,3,6,6", "--device", "fake", *tolerance)
        command = shlex.split(done.stdout.splitlines()[-1])
        assert call(*command[1:]).exit_code == 3
    on_host = call("run", "bisect_fake/model", "--reference", "bisect_fake/reference.npz")
    assert on_host.exit_code == 0, "the host is right"
    program = lite.load_program("bisect_fake/model")
    assert [op.type for op in program.blocks[0].ops if op.type not in ("feed", "fetch")] == ["reduce_mean"]


@pytest.mark.parametrize("names_op", [True, False])
def test_an_op_that_does_not_compile_is_found(net: Path, names_op: bool) -> None:
    with fake_device(*OPS) as faults:
        faults.compile, faults.names_op = frozenset({"relu"}), names_op
        status, document = bisect(net, "--shape", "x=1,3,6,6")
    assert (status, document["first"]["op"], document["first"]["ops"]) == (3, "relu", ["relu"])
    assert document["first"]["problem"] == "CompileError: fake: compiling failed: no circuit for relu"


def test_an_op_that_is_wrong_only_after_another_is_found_with_it(
    net: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Like a device that fuses both ops."""
    right = fakes.FakeModel.run

    def run(self: fakes.FakeModel, inputs: Any, outputs: Any) -> Any:
        results = right(self, inputs, outputs)
        kinds = [kind for kind, _ in self.builder.types]
        pairs = itertools.pairwise(kinds)
        return [result + 1 for result in results] if ("relu", "conv2d") in pairs else results

    monkeypatch.setattr(fakes.FakeModel, "run", run)
    with fake_device(*OPS):
        status, document = bisect(net, "--shape", "x=1,3,6,6")
    first = document["first"]
    assert (status, first["op"], first["name"], first["ops"]) == (3, "conv2d", "c", ["relu", "conv2d"])


def test_right_regions_before_the_wrong_one_are_listed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two regions, with an op of the host between them; the second is wrong."""
    monkeypatch.chdir(tmp_path)
    ops: list[OpText] = [
        ("relu", {"X": ["x"]}, {"Out": ["a"]}, {}),
        ("tanh", {"X": ["a"]}, {"Out": ["b"]}, {}),
        ("sigmoid", {"X": ["b"]}, {"Out": ["c"]}, {}),
        ("relu", {"X": ["c"]}, {"Out": ["y"]}, {}),
    ]
    lite.save_program(make_program({"x": (DType.FLOAT32, (2, 3))}, {}, ops, ["y"]), tmp_path / "two")
    add_error(monkeypatch, "sigmoid")
    with fake_device("relu", "sigmoid"):
        status, document = bisect(tmp_path / "two")
    assert status == 3
    assert [(region["ops"], region["problem"] == "") for region in document["regions"]] == [
        (1, True),
        (2, False),
    ]
    assert (document["first"]["region"], document["first"]["op"]) == (1, "sigmoid")


def test_a_device_that_supports_no_op_is_an_error(net: Path) -> None:
    with fake_device("tanh"):
        done = call("bisect", net, "--shape", "x=1,3,6,6", "--device", "fake")
    assert done.exit_code == 1
    assert "the device supports no op of this model" in done.stderr


def test_a_device_with_its_own_memory_is_compared(net: Path) -> None:
    done = call("bisect", net, "--shape", "x=1,3,6,6", "--device", "sim_npu{memory=true}")
    assert done.exit_code == 0, done.stdout
    done = call("bisect", net, "--shape", "x=1,3,6,6", "--device", "sim_npu{wrong_dtype=true}", "--out", "o")
    assert done.exit_code == 3
    assert np.load("o/reference.npz").files
