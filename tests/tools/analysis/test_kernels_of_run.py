"""The kernels of a run, as a line."""

from __future__ import annotations

import pytest

from lite.tools.analysis.kernels_of_run import KernelsOfRun


@pytest.mark.parametrize(
    ("kernels", "text"),
    [
        (KernelsOfRun("cpu", 0, 0, ""), "cpu"),
        (KernelsOfRun("cpu", 0, 16, ""), "cpu"),
        (KernelsOfRun("host", 0, 0, ""), "host"),
        (
            KernelsOfRun("host", 12, 16, ""),
            "host, as 12 of 16 are still being compiled in the background",
        ),
        (
            KernelsOfRun("host", 0, 16, "the kernels a could not be compiled"),
            "host; the kernels a could not be compiled",
        ),
    ],
)
def test_the_line_says_what_is_left(kernels: KernelsOfRun, text: str) -> None:
    assert kernels.text() == text
