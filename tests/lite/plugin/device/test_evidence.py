"""Evidence: the sentence about work that is not done on the device."""

from __future__ import annotations

import pytest

from lite.plugin.device import Evidence


@pytest.mark.parametrize(
    ("evidence", "problem"),
    [
        (Evidence("the profile", 3), ""),
        (Evidence("the profile", 0), "the profile: no work is done on the device"),
        (
            Evidence("the profile", 3, ("Erf on the CPU", "Det on the CPU")),
            "the profile: not all work is done on the device: Erf on the CPU; Det on the CPU",
        ),
    ],
)
def test_evidence_of_work_elsewhere_is_a_problem(evidence: Evidence, problem: str) -> None:
    assert evidence.problem() == problem
