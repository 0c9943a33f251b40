"""The conformance kit on every available device: sections other than op cases.

The op cases, one by one, are in `tests/bridges/test_conformance.py`.
"""

from __future__ import annotations

import pytest

from lite.tools.conformance import check_device
from lite.tools.conformance.findings import SECTIONS
from tests.support.device_availability import require

DEVICES = ("openvino", "onnxruntime", "sim_npu")
FORMS = ("memory=true", "max_ops=1")
"""Options of the reference device that make the engine take another path."""


@pytest.mark.parametrize("device", [*DEVICES, *(f"sim_npu{{{form}}}" for form in FORMS)])
def test_all_sections_but_the_op_cases_pass(device: str) -> None:
    require(device.partition("{")[0])
    findings = check_device(device, sections=[section for section in SECTIONS if section != "ops"])
    assert findings.wrong == []
    assert {tally.name for tally in findings.sections() if tally.passed} == set(SECTIONS) - {"ops"}
