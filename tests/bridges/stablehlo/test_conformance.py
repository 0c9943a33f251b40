"""The op cases of the conformance kit as StableHLO, which the interpreter of the tests runs."""

from __future__ import annotations

import pytest

from lite.tools.conformance import check_device
from tests.bridges.stablehlo.interpreted import interpreted

__all__ = ["interpreted"]


@pytest.mark.usefixtures("interpreted")
def test_no_case_is_wrong() -> None:
    conformance = check_device("xla", sections=["ops"])

    assert [finding for finding in conformance.findings if finding.outcome == "wrong"] == []
    assert sum(finding.outcome == "passed" for finding in conformance.findings) >= 1590
