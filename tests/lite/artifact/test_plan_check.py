"""Plans that a file states are checked; derived facts in the file are not believed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lite
from lite.errors import ModelParseError
from tests.lite.artifact.files import edit, image, model_folder, saved

Change = Callable[[Any], None]

WRONG: dict[str, Change] = {
    "an index that is no value": lambda plan: plan["instructions"][0][1].update(Input=[99]),
    "a negative index": lambda plan: plan["results"].__setitem__(0, -1),
    "an index that is no integer": lambda plan: plan["args"].__setitem__(0, True),
    "a value that is read before it is written": lambda plan: plan["instructions"].reverse(),
    "a value that is written twice": lambda plan: plan["instructions"].append(plan["instructions"][0]),
    "an unknown op": lambda plan: plan["instructions"][0].__setitem__(0, "conv99d"),
    "an attribute of another type": lambda plan: plan["instructions"][0][3].update(groups="many"),
    "a slot that the op lacks": lambda plan: plan["instructions"][0][1].update(Nothing=[0]),
    "a place without a kernel": lambda plan: plan["instructions"][0].__setitem__(4, ["moon", None, "any"]),
    "a result that nothing writes": lambda plan: plan["instructions"].pop(),
    "a constant of another shape": lambda plan: plan["values"][plan["constants"][0][0]].__setitem__(2, [7]),
    "an argument that is a constant": lambda plan: plan["args"].append(plan["constants"][0][0]),
    "an argument twice": lambda plan: plan["args"].append(plan["args"][0]),
    "a value in no device's memory": lambda plan: plan["values"][plan["results"][0]].__setitem__(7, True),
}


@pytest.mark.parametrize("name", WRONG)
def test_the_model_is_optimised_again_where_its_plan_is_not_valid(tmp_path: Path, name: str) -> None:
    path, expected = saved(tmp_path, valid_places=["host"])
    edit(path, "plan.json", lambda document: WRONG[name](document["plan"]))
    predictor = lite.create_predictor(lite.Config(path))

    (warning,) = predictor.report().warnings
    assert warning.startswith("the model is optimised again: its plan cannot be used: ")
    np.testing.assert_array_equal(predictor.run({"x": image()})["y"], expected)


def test_a_plan_that_is_not_valid_is_an_error_without_an_origin(tmp_path: Path) -> None:
    lite.save_artifact(lite.Config(model_folder(tmp_path)), tmp_path / "m.lbm", origin=False)
    edit(tmp_path / "m.lbm", "plan.json", lambda document: document["plan"]["instructions"].reverse())

    with pytest.raises(ModelParseError, match="reads a value that is not known yet"):
        lite.create_predictor(lite.Config(tmp_path / "m.lbm"))


def test_lifetimes_and_aliases_are_computed_again(tmp_path: Path) -> None:
    path, expected = saved(tmp_path, valid_places=["host"])

    def forge(document: Any) -> None:
        for value in document["plan"]["values"]:
            value[3:6] = [0, 0, 0]
        for item in document["plan"]["instructions"]:
            item[5] = [[0, 0]]
        document["plan"]["reads_lod"] = True

    edit(path, "plan.json", forge)
    predictor = lite.create_predictor(lite.Config(path))

    assert predictor.report().warnings == []
    np.testing.assert_array_equal(predictor.run({"x": image()})["y"], expected)


@pytest.mark.parametrize(
    "row",
    [
        [0, 1, "float32", [4], []],
        [0, -64, "float32", [4], []],
        [0, 0, "float32", [-1], []],
        [1, 0, "float32", [4], []],
        [0, 1 << 40, "float32", [4], []],
        [0, 0, "float32", [1 << 40], []],
        [0, 0, "f", [4], []],
        [0],
    ],
)
def test_arrays_outside_of_the_weights_are_refused(tmp_path: Path, row: list[Any]) -> None:
    path, _ = saved(tmp_path, valid_places=["host"])
    edit(path, "plan.json", lambda document: document["arrays"].__setitem__(0, row))

    with pytest.raises(ModelParseError):
        lite.create_predictor(lite.Config(path))
