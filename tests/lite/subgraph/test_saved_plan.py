"""Saved plans: read back, compared, and pinned."""

from __future__ import annotations

import copy
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given

import lite
from lite.config import Config
from lite.errors import PassError
from lite.ir.program import Program
from lite.session.build import optimize
from lite.subgraph.plan_diff import Move, markdown, plan_diff
from lite.subgraph.report import PlacementReport
from lite.subgraph.saved_plan import SavedDevice, SavedOp, SavedPlan, SavedRegion
from tests.suite.test_random_devices import Setup, drawn, plugged_in, setups
from tests.support.fake_device import fake_device
from tests.support.random_programs.builder import Case
from tests.support.random_programs.tensor_ops import cases
from tests.support.small_programs import affine, affine_reference

X = np.linspace(-2, 2, 12, dtype=np.float32).reshape(3, 4)
ALL = ("elementwise_mul", "elementwise_add", "relu", "scale")
DEVICES = {"npu": SavedDevice("npu", "1")}


def placed(program: Program, config: Config) -> PlacementReport:
    return optimize(copy.deepcopy(program), config).context.results.placed


def saved(report: PlacementReport) -> SavedPlan:
    return SavedPlan.of("m", report, {name: SavedDevice(name, "1") for name in report.devices}, {"x": (3, 4)})


def regions(report: PlacementReport) -> list[Any]:
    return [(region.device, region.block, region.ops) for region in report.regions]


def small_plan(**fields: Any) -> SavedPlan:
    ops = (
        SavedOp("a", "relu", "main", "npu", {}, 10),
        SavedOp("b", "tanh", "main", "npu", {}, 30),
        SavedOp("c", "abs", "main", "host", {"npu": "npu has no bridge for abs"}, 0),
    )
    own = (SavedRegion("npu", "main", ("a", "b")),)
    shares = {"host": {"ops": 1 / 3, "macs": 0.0, "bytes": 0.3}}
    return replace(SavedPlan("m", DEVICES, {"x": [3, 4], "y": None}, ops, own, shares), **fields)


@drawn(10)
@given(case=cases(), setup=setups())
def test_a_plan_that_is_read_back_and_pinned_gives_the_same_regions(case: Case, setup: Setup) -> None:
    with plugged_in(setup):
        config = Config("random", devices=setup.names, **setup.options)
        before = placed(case.program, config)
        path = Path(f"{id(case)}.json")
        plan = saved(before)
        text = plan.to_json()
        try:
            path.write_text(text)
            assert SavedPlan.read(path) == plan
            # Another way to divide the model has no effect.
            other = replace(config, plan=path, placement="fewest_regions", min_subgraph_ops=9)
            after = placed(case.program, other)
        finally:
            path.unlink()
    assert regions(after) == regions(before)
    assert {op.name: op.placed_on for op in after.ops} == {op.name: op.placed_on for op in before.ops}


def test_a_pinned_placement_runs_on_the_devices_of_the_plan(tmp_path: Path) -> None:
    with fake_device(*ALL, name="a"), fake_device(*ALL, name="b"):
        config = Config(model_buffer=b"in memory", devices=["a", "b"])
        plan = saved(placed(affine(), config))
        ops = plan.regions[0].ops
        moved = replace(
            plan,
            regions=(
                SavedRegion("b", "main", ops[:2]),
                SavedRegion("a", "main", ops[2:]),
            ),
        )
        (tmp_path / "plan.json").write_text(moved.to_json())
        pinned = replace(config, plan=tmp_path / "plan.json", fallback="error")
        predictor = lite.Predictor.of_program(affine(), pinned)
        np.testing.assert_array_equal(predictor.run([X])["y"], affine_reference(X))
        assert [(r.device, len(r.ops), r.state) for r in predictor.report().regions] == [
            ("b", 2, "built"),
            ("a", 2, "built"),
        ]


def pin(tmp_path: Path, plan: SavedPlan, *ops: str, devices: tuple[str, ...] = ("npu",)) -> PlacementReport:
    (tmp_path / "plan.json").write_text(plan.to_json())
    with fake_device(*ops, name="npu"):
        config = Config(model_buffer=b"in memory", devices=devices, plan=tmp_path / "plan.json")
        return placed(affine(), config)


@pytest.fixture
def plan() -> SavedPlan:
    with fake_device(*ALL, name="npu"):
        return saved(placed(affine(), Config(model_buffer=b"in memory", devices=["npu"])))


def test_an_op_that_the_device_no_longer_takes_is_an_error(tmp_path: Path, plan: SavedPlan) -> None:
    with pytest.raises(PassError, match="on npu, which declines it: npu has no bridge for relu"):
        pin(tmp_path, plan, "elementwise_mul", "elementwise_add", "scale")


def test_an_op_that_the_model_lacks_is_an_error(tmp_path: Path, plan: SavedPlan) -> None:
    wrong = replace(plan, regions=(SavedRegion("npu", "main", ("no_such",)),))
    with pytest.raises(PassError, match="op 'no_such' in region 0 of npu, and the model has no such op"):
        pin(tmp_path, wrong, *ALL)


def test_regions_that_need_each_other_are_an_error(tmp_path: Path, plan: SavedPlan) -> None:
    ops = plan.regions[0].ops
    wrong = replace(
        plan, regions=(SavedRegion("npu", "main", (ops[0], ops[2])), SavedRegion("npu", "main", (ops[1],)))
    )
    with pytest.raises(PassError, match="the plan cannot run"):
        pin(tmp_path, wrong, *ALL)


def test_a_device_that_the_config_lacks_is_an_error(tmp_path: Path, plan: SavedPlan) -> None:
    with pytest.raises(lite.ConfigError, match="it has a region on npu; the Config's devices: none"):
        pin(tmp_path, plan, *ALL, devices=())


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{", "cannot be read as JSON"),
        ("[]", "it is no plan"),
        ('{"format": 99}', "it has format 99, expected 1"),
        ('{"format": 1, "model": "m"}', "it is damaged"),
    ],
)
def test_a_file_that_is_no_plan_is_an_error(tmp_path: Path, content: str, message: str) -> None:
    path = tmp_path / "plan.json"
    path.write_text(content)
    with pytest.raises(lite.ConfigError, match=message):
        SavedPlan.read(path)


def test_fields_of_later_versions_are_ignored(tmp_path: Path) -> None:
    path = tmp_path / "plan.json"
    path.write_text(json.dumps({**json.loads(small_plan().to_json()), "more": 1}))
    assert SavedPlan.read(path) == small_plan()


def test_equal_plans_have_no_differences() -> None:
    diff = plan_diff(small_plan(), small_plan())
    assert diff.is_same
    assert diff.regressions == {}
    assert markdown(diff, "m") == "### Placement of m\n\nNo op moved.\n"


def test_what_moved_and_became_worse_is_found_with_the_reason() -> None:
    old = small_plan(seconds=0.010)
    ops = (
        old.ops[0],
        SavedOp("b", "tanh", "main", "host", {"npu": "no tables"}, 30),
        SavedOp("d", "abs", "main", "host"),
    )
    own = (SavedRegion("npu", "main", ("a",)), SavedRegion("npu", "main", ()))
    new = small_plan(ops=ops, regions=own, seconds=0.012, devices={"npu": SavedDevice("npu", "2")})
    diff = plan_diff(old, new)
    assert diff.moved == (Move("b", "tanh", "main", "npu", "host", "no tables"),)
    assert (diff.added, diff.removed) == (("d",), ("c",))
    assert diff.versions == {"npu": ("npu, 1", "npu, 2")}
    assert diff.regressions == {
        "coverage": "coverage 100.0% -> 25.0%",
        "regions": "1 -> 2 regions",
        "host-ops": "1 -> 2 ops on the host",
        "time": "10 -> 12 ms",
    }
    text = markdown(diff, "m")
    assert "| 1 | tanh | npu | host | no tables |" in text
    assert "**Worse: time** (10 -> 12 ms)" in text
    better = plan_diff(new, old)
    assert (better.is_same, better.regressions) == (False, {})


def test_regions_are_equal_whatever_the_order_of_their_ops() -> None:
    def plan(*regions: SavedRegion) -> SavedPlan:
        return SavedPlan("", {}, {}, (), regions, {})

    one, two = SavedRegion("npu", "main", ("a", "b")), SavedRegion("cpu", "main", ("c",))
    assert plan(one, two).has_regions_of(plan(two, replace(one, ops=("b", "a"))))
    assert plan().has_regions_of(plan())
    for other in (
        plan(one),
        plan(),
        plan(one, replace(two, device="npu")),
        plan(one, replace(two, ops=("d",))),
    ):
        assert not plan(one, two).has_regions_of(other)
