"""The kit on a device that only builds: models are compiled, and checks that run them are declined."""

from __future__ import annotations

import pytest

from lite.bridges.sim_npu.device import SimNpu
from lite.tools.conformance import check_device


def test_nothing_is_wrong_where_models_are_only_built(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SimNpu, "why_not_run", lambda _: "this is a test")

    conformance = check_device("sim_npu", ops=["relu"], sections=["device", "ops", "runs", "partition"])

    outcomes = {section: set[str]() for section in ("device", "ops", "runs", "partition")}
    for finding in conformance.findings:
        outcomes[finding.section].add(finding.outcome)
    assert outcomes == {
        "device": {"passed"},
        "ops": {"declined"},
        "runs": {"declined"},
        "partition": {"declined"},
    }
    details = {finding.detail for finding in conformance.findings if finding.section == "ops"}
    assert any("sim_npu only builds models here: this is a test" in detail for detail in details)
