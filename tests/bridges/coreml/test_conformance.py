"""The op cases of the conformance kit as ML programs, which the interpreter of the tests runs."""

from __future__ import annotations

import pytest

from lite.tools.conformance import check_device
from tests.bridges.coreml.interpreted import interpreted
from tests.bridges.devices import COREML

__all__ = ["interpreted"]


@pytest.mark.usefixtures("interpreted")
def test_no_case_is_wrong() -> None:
    COREML.open()

    conformance = check_device("coreml{precision=float32}", sections=["ops"])

    wrong = [finding for finding in conformance.findings if finding.outcome == "wrong"]
    assert wrong == []
    assert sum(finding.outcome == "passed" for finding in conformance.findings) >= 1123
