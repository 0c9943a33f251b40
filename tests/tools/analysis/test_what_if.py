"""What-if: removing what was named gives exactly the regions and the coverage that were predicted."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

import lite
from lite.config import Config
from lite.io.load import load_program
from lite.plugin.device import BRIDGES, BridgeOp, Conversion, Device, bridge
from lite.plugin.device.bridge_search import find_bridge
from lite.session.build import optimize
from lite.session.devices import open_in_its_process
from lite.subgraph.assumptions import Assumption, general_reason
from lite.subgraph.report import PlacementReport
from lite.tools.analysis.what_if import WhatIf
from tests.suite.test_random_devices import OPS, Setup, drawn, plugged_in, setups
from tests.support.data_folders import SHARED
from tests.support.fake_device import fake_device
from tests.support.random_programs.builder import Case
from tests.support.random_programs.tensor_ops import cases
from tests.support.small_convnet import convnet


def summary(report: PlacementReport) -> tuple[Any, ...]:
    """Regions and coverage."""
    regions = [(r.device, r.block, r.ops, sorted(r.inputs), sorted(r.outputs)) for r in report.regions]
    return regions, report.coverage


class Lenient:
    """A bridge that takes what the right one declines for one reason; `right` is None where there is none."""

    def __init__(self, right: Any, assumed: Assumption) -> None:
        self.right, self.assumed = right, assumed

    def why_not(self, op: BridgeOp, device: Device[Any]) -> str | None:
        reason = None if self.right is None else self.right.why_not(op, device)
        return None if reason is None or self.assumed.covers(op.op, reason) else str(reason)

    def convert(self, op: BridgeOp, ctx: Conversion[Any, Any]) -> None:
        raise NotImplementedError


@contextmanager
def patched(device: str, assumed: Assumption) -> Iterator[None]:
    """The device with a bridge that is as lenient as assumed."""
    right = find_bridge(open_in_its_process(device), assumed.op)
    key = (device, assumed.op)
    if right is not None:
        BRIDGES.remove(key)
    bridge(device, assumed.op)(Lenient(right, assumed))
    try:
        yield
    finally:
        BRIDGES.remove(key)
        if right is not None:
            bridge(device, assumed.op)(right)


@drawn(8)
@given(case=cases(), setup=setups())
def test_a_device_with_one_more_op_gives_what_was_predicted_for_random_programs(
    case: Case, setup: Setup
) -> None:
    chip = setup.chips[0]
    one = Setup((chip,), {**setup.options, "placement": "priority", "passes": None})
    config = Config("random", devices=one.names, **one.options)
    with plugged_in(one):
        analysis = WhatIf(config, program=copy.deepcopy(case.program))
        before = optimize(copy.deepcopy(case.program), config).context.results.placed
        assert summary(analysis.report()) == summary(before)
        predicted = {
            each.op: analysis.report([each])
            for each in analysis.assumptions()
            if each.op in OPS and "no bridge" not in each.reason
        }
    for op, report in list(predicted.items())[:3]:
        more = Setup((type(chip)(**{**vars(chip), "ops": (*chip.ops, op)}),), one.options)
        with plugged_in(more):
            after = optimize(copy.deepcopy(case.program), config).context.results.placed
        assert summary(report) == summary(after), op


MODELS = ("crnn_lstm_gru", "vit_tiny", "while_and_cond")


@pytest.mark.skipif(not SHARED.exists(), reason="the shared models are not here")
@pytest.mark.parametrize("name", MODELS)
def test_a_patched_sim_npu_gives_what_was_predicted_for_shared_models(name: str) -> None:
    config = Config(SHARED / "models" / "paddle" / name, devices=["sim_npu"])
    analysis = WhatIf(config)
    checked = 0
    for assumed in list(analysis.assumptions())[:3]:
        predicted = summary(analysis.report([assumed]))
        with patched("sim_npu", assumed):
            actual = summary(optimize(load_program(config), config).context.results.placed)
        assert predicted == actual, assumed
        checked += 1
    assert checked


def test_gains_are_in_the_order_of_their_use(tmp_path: Path) -> None:
    lite.save_program(convnet(), tmp_path / "net")
    config = Config(tmp_path / "net", devices=["fake"], input_shapes={"x": (1, 3, 6, 6)})
    with fake_device("conv2d", "relu"):
        analysis = WhatIf(config)
        gains = analysis.gains()
        both = analysis.placed([Assumption("reduce_mean"), Assumption("matmul_v2")])
    found = [(each.assumption, each.count, each.before.regions, each.after.regions) for each in gains]
    assert found == [("reduce_mean", 1, 1, 1), ("matmul_v2", 1, 1, 1)] or found == [
        ("matmul_v2", 1, 1, 1),
        ("reduce_mean", 1, 1, 1),
    ]
    assert (both.regions, both.ops, both.macs) == (1, 1.0, 1.0)
    assert gains[0].before.ops == pytest.approx(3 / 5)


def test_a_model_that_runs_on_the_device_has_no_gains(tmp_path: Path) -> None:
    lite.save_program(convnet(), tmp_path / "net")
    with fake_device("conv2d", "relu", "reduce_mean", "matmul_v2"):
        assert WhatIf(Config(tmp_path / "net", devices=["fake"])).gains() == []


@pytest.mark.parametrize(
    ("text", "op", "reason", "covered"),
    [
        ("softmax", "softmax", "npu has no bridge for softmax", True),
        ("softmax", "relu", "npu has no bridge for relu", False),
        ("reduce_*", "reduce_mean", "anything", True),
        ("conv2d: of rank", "conv2d", "X is float32[2], of rank 1; 4 axes", True),
        ("conv2d: groups", "conv2d", "X is float32[2], of rank 1; 4 axes", False),
        ("conv2d: X is float32…, of rank …; … axes", "conv2d", "X is float32[2], of rank 1; 4 axes", True),
    ],
)
def test_assumptions_cover_ops_by_type_and_reason(text: str, op: str, reason: str, covered: bool) -> None:
    assumed = Assumption.parse(text)
    assert assumed.covers(op, reason) is covered
    assert str(assumed) == text


@pytest.mark.parametrize("text", ["", ": reason", "two words: reason"])
def test_an_assumption_without_an_op_is_refused(text: str) -> None:
    with pytest.raises(lite.ConfigError, match="expected 'op' or"):
        Assumption.parse(text)


def test_reasons_in_general_terms_have_no_shapes_names_and_numbers() -> None:
    assert general_reason("'conv 1' has 3x3 of float32[1,?] and 2.5 more, int64 too") == (
        "… has …x3 of float32… and … more, int64 too"
    )
