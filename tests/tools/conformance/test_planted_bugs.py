"""The kit finds bugs that are planted into sim_npu, and goes on where the device ends its process."""

from __future__ import annotations

from contextlib import nullcontext

import pytest

from lite.tools.conformance import Conformance, check_device
from tests.tools.conformance.planted_bugs import BUGS, Bug


def found(bug: Bug) -> Conformance:
    ops = [bug.op] if bug.op else []
    with nullcontext() if bug.plant is None else bug.plant():
        return check_device(bug.device, ops, [bug.section], in_children=bug.plant is None)


def test_there_are_as_many_bugs_as_in_the_trial() -> None:
    assert len({bug.name for bug in BUGS}) == len(BUGS) >= 38


@pytest.mark.parametrize("bug", BUGS, ids=lambda bug: bug.name)
def test_the_kit_finds_the_bug(bug: Bug) -> None:
    conformance = found(bug)
    assert conformance.findings
    assert conformance.wrong


@pytest.mark.parametrize("op", sorted({bug.op for bug in BUGS if bug.op}))
def test_without_a_bug_nothing_is_wrong(op: str) -> None:
    conformance = check_device("sim_npu", [op], ["ops"])
    assert conformance.wrong == []


def test_a_process_that_ends_is_named_and_the_rest_is_checked() -> None:
    conformance = check_device("sim_npu{kill=1}", ["relu"], ["device", "ops"], in_children=True)
    details = {finding.detail for finding in conformance.wrong}
    assert details == {"the device's process ended by signal 9"}
    assert {finding.op for finding in conformance.wrong} == {"relu"}
    assert [tally.name for tally in conformance.sections()] == ["device", "ops"]
    assert conformance.never_passed == ("relu",)


def test_the_kit_finds_almost_all_bugs_of_a_real_device() -> None:
    pytest.importorskip("onnxruntime")
    from tests.tools.conformance.planted_onnx_bugs import ONNX_BUGS

    assert len({bug.name for bug in ONNX_BUGS}) == len(ONNX_BUGS)
    missed = []
    for bug in ONNX_BUGS:
        with bug.plant():
            conformance = check_device("onnxruntime", [bug.op] if bug.op else [], [bug.section])
        assert conformance.findings
        if not conformance.wrong:
            missed.append(bug.name)

    assert missed == ["a constant version"]
