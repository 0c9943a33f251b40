"""Which fields of a Config change the plan."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import pytest

import lite
from lite.session.plan_key import ELSEWHERE
from tests.lite.cache.plan_cache.starts import IMAGE, Starts, assert_alike

OPTIONS: dict[str, Any] = {
    "passes": [],
    "keep": ["a"],
    "input_shapes": {"x": (2, 3, 20, 20)},
    "precision": "strict",
    "memory": "plain",
    "fallback": "error",
    "min_subgraph_ops": 3,
    "placement": "fewest_regions",
    "valid_places": ["host"],
    "partition_rules": "relu",
    "devices": ["sim_npu"],
    "limits": lite.Limits(nodes=1000),
}
"""A value for each field of a Config that changes the plan."""


def test_every_field_of_a_config_is_in_the_key_or_listed_as_elsewhere() -> None:
    fields = {field.name for field in dataclasses.fields(lite.Config)}
    assert {*OPTIONS, *ELSEWHERE} == fields


@pytest.mark.parametrize("option", OPTIONS)
def test_each_value_of_an_option_has_its_own_plan(starts: Starts, model: Path, option: str) -> None:
    value = OPTIONS[option]
    options = {option: value}
    if option in ("partition_rules", "min_subgraph_ops", "placement"):
        options["devices"] = ["sim_npu"]
    starts(model)
    for _ in range(2):
        changed = starts(model, **options)
    starts(model)
    assert starts.optimised == 2
    assert_alike(lite.create_predictor(lite.Config(model, **options)), changed, IMAGE)


@pytest.mark.parametrize(
    "options",
    [
        {"threads": 2},
        {"max_signatures": 1},
        {"verify_weights": True},
        {"time_limit": 5.0},
        {"passes": None},
    ],
)
def test_options_of_the_runtime_share_a_plan(starts: Starts, model: Path, options: dict[str, Any]) -> None:
    starts(model)
    starts(model, **options)
    assert starts.optimised == 1


def test_device_options_and_settings_have_their_own_plans(starts: Starts, model: Path) -> None:
    for devices, threads in ((["sim_npu"], 1), (["sim_npu"], 2), (["sim_npu{max_ops=3}"], 1)):
        starts(model, devices=devices, threads=threads)
    assert starts.optimised == 3


def test_partition_rules_in_a_file_are_compared_by_content(
    starts: Starts, model: Path, tmp_path: Path
) -> None:
    rules = tmp_path / "rules.txt"
    for text, optimised in (("relu", 1), ("conv2d", 2), ("conv2d", 2)):
        rules.write_text(text)
        starts(model, devices=["sim_npu"], partition_rules=rules)
        assert starts.optimised == optimised
