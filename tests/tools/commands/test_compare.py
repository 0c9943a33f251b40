"""litebridge compare."""

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
from tests.fake_device import fake_device
from tests.lite.runtime.planted import TARGET, planted, relu_shifted
from tests.lite.small_models import OpText, make_program
from tests.tools.tiny_model import call, call_json

ARGUMENTS = ("compare", "model_dir", "--input", "x=x.npy")


@dataclass(frozen=True)
class PlantedPass(Pass):
    """A fault: subtracts what the model adds."""

    name: ClassVar[str] = "planted_pass"

    def run(self, graph: Graph, ctx: PassContext) -> Result:
        found = [node for node in graph if node.op == "elementwise_add"]
        for node in found:
            graph.add_node("elementwise_sub", node.inputs, {"Out": ["sum"]}, node.attrs, before=node)
        for node in found:
            previous = node.previous
            assert previous is not None
            graph.replace_uses(node.output("Out"), previous.output("Out"))
            graph.erase(node)
        return Outcome.of(bool(found))


@pytest.fixture
def planted_pass() -> Iterator[None]:
    register_pass(PlantedPass)
    yield
    PASSES.remove("planted_pass")


def answer(*arguments: Any) -> tuple[int, Any]:
    """Status and document."""
    result = call(*arguments, "--json")
    assert result.stderr == ""
    return result.exit_code, json.loads(result.stdout)


def test_fused_and_not_fused_are_equal(workplace: Path) -> None:
    found = call_json(*ARGUMENTS, "--passes-b", "")
    assert found == {
        "outputs": [{"name": "y", "error": 0.0, "problem": None}],
        "values": [
            {"block": "main", "name": "y", "op_a": "fc", "op_b": "relu", "error": 0.0, "problem": None}
        ],
        "first": None,
        "only_a": [],
        "only_b": [
            {"block": "main", "name": "xw", "op": "mul"},
            {"block": "main", "name": "sum", "op": "elementwise_add"},
        ],
        "sentence": "values that both have: 1, none of which differs",
    }


def test_a_kernel_that_differs_is_found(workplace: Path) -> None:
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
        "outputs\n"
        "output  relative error  verdict\n"
        "y            0.0294118  above 0.001\n"
        "\n"
        "the first value that differs is y, written by relu: above 0.001, relative error 0.0294\n"
    )


def test_a_pass_that_changes_results_is_found(workplace: Path, planted_pass: None) -> None:
    status, found = answer(*ARGUMENTS, "--passes-a", "", "--passes-b", "planted_pass")
    assert status == 3
    assert [(each["name"], each["op_b"], each["problem"]) for each in found["values"]] == [
        ("xw", "mul", None),
        ("y", "relu", "above 0.001"),
    ]
    assert [each["name"] for each in found["only_b"]] == ["sum#1"]
    assert found["first"]["name"] == "y"
    assert found["outputs"][0]["problem"] == "above 0.001"


def test_a_wide_tolerance_accepts_it(workplace: Path) -> None:
    with planted(relu_shifted):
        status, found = answer(
            *ARGUMENTS, "--passes-a", "", "--passes-b", "", "--places-b", TARGET, "--tolerance", 0.03
        )
    assert (status, found["first"]) == (0, None)


def test_two_models_are_matched_by_position_where_names_differ(workplace: Path) -> None:
    for name, x, y in (("first", "x", "y"), ("second", "data", "result")):
        scale = ("scale", {"X": [x]}, {"Out": [y]}, {"scale": 2.0})
        lite.save_program(make_program({x: (DType.FLOAT32, (-1, 4))}, {}, [scale], [y]), name)
    found = call_json("compare", "first", "second", "--input", "x=x.npy")
    assert found["outputs"] == [{"name": "y = result", "error": 0.0, "problem": None}]
    assert (found["values"], found["only_a"], found["only_b"]) == (
        [],
        [{"block": "main", "name": "y", "op": "scale"}],
        [{"block": "main", "name": "result", "op": "scale"}],
    )


def test_models_with_other_numbers_of_outputs_are_not_comparable(workplace: Path) -> None:
    scale = ("scale", {"X": ["x"]}, {"Out": ["y"]}, {"scale": 2.0})
    relu: OpText = ("relu", {"X": ["x"]}, {"Out": ["z"]}, {})
    lite.save_program(make_program({"x": (DType.FLOAT32, (-1, 4))}, {}, [scale, relu], ["y", "z"]), "two")
    result = call("compare", "model_dir", "two", "--input", "x=x.npy")
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr == (
        "litebridge: A and B do not have the same outputs: A has y; B has y, z; "
        "only models with as many can be compared\n"
    )


def test_nothing_to_compare(workplace: Path) -> None:
    result = call(*ARGUMENTS)
    assert (result.exit_code, result.stdout) == (2, "")
    assert "nothing to compare" in result.stderr


def test_a_difference_between_that_no_output_shows_is_reported_with_status_0(workplace: Path) -> None:
    ops: list[OpText] = [
        ("relu", {"X": ["x"]}, {"Out": ["a"]}, {}),
        ("scale", {"X": ["a"]}, {"Out": ["y"]}, {"scale": 0.0}),
    ]
    lite.save_program(make_program({"x": (DType.FLOAT32, (-1, 4))}, {}, ops, ["y"]), "hidden")
    np.save("x.npy", np.ones((1, 4), np.float32))
    with planted(relu_shifted):
        status, found = answer(
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
    assert (status, found["first"]["name"]) == (0, "a")


def test_a_device_is_held_against_the_host(workplace: Path) -> None:
    with fake_device("mul", "elementwise_add") as faults:
        right = call_json(*ARGUMENTS, "--passes-a", "", "--devices-b", "fake")
        faults.result = lambda array: array + np.ones((), array.dtype)
        status, wrong = answer(*ARGUMENTS, "--passes-a", "", "--devices-b", "fake")
    assert [value["problem"] for value in right["values"]] == [None] * len(right["values"])
    assert (status, wrong["first"]["op_b"]) == (3, "subgraph")
