"""Differences that `litebridge compare` finds."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

import lite
from lite.ir.graph import Graph
from lite.ir.types import DType
from lite.passes.base import Outcome, Pass, PassContext, Result
from lite.passes.registry import PASSES, register_pass
from tests.lite.runtime.planted import TARGET, planted, relu_shifted
from tests.support.fake_device import fake_device
from tests.support.small_programs import OpText, make_program
from tests.tools.tiny_model import call, call_json

ARGUMENTS = ("compare", "model_dir", "--input", "x=x.npy")


@dataclass(frozen=True)
class PlantedPass(Pass):
    """A wrong pass: it replaces additions by subtractions."""

    name: ClassVar[str] = "planted_pass"

    def run(self, graph: Graph, ctx: PassContext) -> Result:
        additions = [node for node in graph if node.op == "elementwise_add"]
        for node in additions:
            graph.add_node("elementwise_sub", node.inputs, {"Out": ["sum"]}, node.attrs, before=node)
        for node in additions:
            previous = node.previous
            assert previous is not None
            graph.replace_uses(node.output("Out"), previous.output("Out"))
            graph.erase(node)
        return Outcome.of(bool(additions))


@pytest.fixture
def planted_pass() -> Iterator[None]:
    register_pass(PlantedPass)
    yield
    PASSES.remove("planted_pass")


def test_values_inside_of_a_region_are_compared(workplace: Path) -> None:
    sides = (*ARGUMENTS, "--passes-a", "", "--devices-b", "fake")
    with fake_device("mul", "elementwise_add") as faults:
        outside = call_json(*sides)
        inside = call_json(*sides, "--inside")
        faults.result = lambda array: array + np.ones((), array.dtype)
        status, wrong = answer(*sides, "--inside")
    names = [[value["name"] for value in result["values"]] for result in (outside, inside)]
    assert len(names[1]) == len(names[0]) + 1
    assert [value["problem"] for value in inside["values"]] == [None] * len(names[1])
    (inner,) = set(names[1]) - set(names[0])
    assert (status, wrong["first"]["name"], wrong["first"]["op_a"]) == (3, inner, "mul")


def answer(*arguments: Any) -> tuple[int, Any]:
    """The exit status and the document."""
    result = call(*arguments, "--json")
    assert result.stderr == ""
    return result.exit_code, json.loads(result.stdout)


def test_fused_and_unfused_runs_are_equal(workplace: Path) -> None:
    result = call_json(*ARGUMENTS, "--passes-b", "")
    assert result == {
        "outputs": [{"name": "y", "error": 0.0, "problem": None, "is_near": False}],
        "values": [
            {"block": "main", "name": "y", "op_a": "fc", "op_b": "relu", "error": 0.0, "problem": None}
        ],
        "first": None,
        "only_a": [],
        "only_b": [
            {"block": "main", "name": "xw", "op": "mul"},
            {"block": "main", "name": "sum", "op": "elementwise_add"},
        ],
        "other_meaning": [],
        "sentence": "both runs have 1 values in common; none of them differs",
    }


def test_a_wrong_kernel_is_found(workplace: Path) -> None:
    with planted(relu_shifted):
        result = call(*ARGUMENTS, "--passes-a", "", "--passes-b", "", "--places-b", TARGET)
    assert (result.exit_code, result.stderr) == (3, "")
    assert result.stdout == (
        "values of both\n"
        "value  op in A          op in B          relative error  verdict\n"
        "xw     mul              mul                           0  equal\n"
        "sum    elementwise_add  elementwise_add               0  equal\n"
        "y      relu             relu                  0.0294118  above 0.001\n"
        "\n"
        "\n"
        "outputs\n"
        "output  relative error  verdict\n"
        "y            0.0294118  above 0.001\n"
        "\n"
        "the first value that differs is y, which relu writes: above 0.001, relative\n"
        "error 0.0294\n"
    )


def test_a_wrong_pass_is_found(workplace: Path, planted_pass: None) -> None:
    status, result = answer(*ARGUMENTS, "--passes-a", "", "--passes-b", "planted_pass")
    assert status == 3
    assert [(each["name"], each["op_b"], each["problem"]) for each in result["values"]] == [
        ("xw", "mul", None),
        ("y", "relu", "above 0.001"),
    ]
    assert [each["name"] for each in result["only_b"]] == ["sum#1"]
    assert result["first"]["name"] == "y"
    assert result["outputs"][0]["problem"] == "above 0.001"


def test_a_large_tolerance_accepts_the_difference(workplace: Path) -> None:
    with planted(relu_shifted):
        status, result = answer(
            *ARGUMENTS, "--passes-a", "", "--passes-b", "", "--places-b", TARGET, "--tolerance", 0.03
        )
    assert (status, result["first"]) == (0, None)


def test_inputs_and_outputs_of_other_names_match_by_position(workplace: Path) -> None:
    for name, x, y in (("first", "x", "y"), ("second", "data", "result")):
        scale = ("scale", {"X": [x]}, {"Out": [y]}, {"scale": 2.0})
        lite.save_program(make_program({x: (DType.FLOAT32, (-1, 4))}, {}, [scale], [y]), name)
    result = call_json("compare", "first", "second", "--input", "x=x.npy")
    assert result["outputs"] == [{"name": "y = result", "error": 0.0, "problem": None, "is_near": False}]
    assert (result["values"], result["only_a"], result["only_b"]) == (
        [],
        [{"block": "main", "name": "y", "op": "scale"}],
        [{"block": "main", "name": "result", "op": "scale"}],
    )


def test_models_with_different_numbers_of_outputs_are_refused(workplace: Path) -> None:
    scale = ("scale", {"X": ["x"]}, {"Out": ["y"]}, {"scale": 2.0})
    relu: OpText = ("relu", {"X": ["x"]}, {"Out": ["z"]}, {})
    lite.save_program(make_program({"x": (DType.FLOAT32, (-1, 4))}, {}, [scale, relu], ["y", "z"]), "two")
    result = call("compare", "model_dir", "two", "--input", "x=x.npy")
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr == (
        "litebridge: A and B must have the same number of outputs: A has y; B has y, z\n"
    )


def test_two_equal_sides_are_wrong_usage(workplace: Path) -> None:
    result = call(*ARGUMENTS)
    assert (result.exit_code, result.stdout) == (2, "")
    assert "both runs are the same" in result.stderr


def test_a_difference_that_does_not_reach_an_output_exits_with_0(workplace: Path) -> None:
    ops: list[OpText] = [
        ("relu", {"X": ["x"]}, {"Out": ["a"]}, {}),
        ("scale", {"X": ["a"]}, {"Out": ["y"]}, {"scale": 0.0}),
    ]
    lite.save_program(make_program({"x": (DType.FLOAT32, (-1, 4))}, {}, ops, ["y"]), "hidden")
    np.save("x.npy", np.ones((1, 4), np.float32))
    with planted(relu_shifted):
        status, result = answer(
            "compare",
            "hidden",
            "--input",
            "x=x.npy",
            "--passes-a",
            "",
            "--passes-b",
            "",
            "--places-b",
            TARGET,
        )
    assert (status, result["first"]["name"]) == (0, "a")


def test_a_device_is_compared_with_the_host(workplace: Path) -> None:
    with fake_device("mul", "elementwise_add") as faults:
        right = call_json(*ARGUMENTS, "--passes-a", "", "--devices-b", "fake")
        faults.result = lambda array: array + np.ones((), array.dtype)
        status, wrong = answer(*ARGUMENTS, "--passes-a", "", "--devices-b", "fake")
    assert [value["problem"] for value in right["values"]] == [None] * len(right["values"])
    assert (status, wrong["first"]["op_b"]) == (3, "subgraph")
