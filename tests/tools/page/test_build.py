"""The beginning of a page."""

from __future__ import annotations

import pytest

import lite
from lite.tools.page.build import page_of
from tests.tools.page.page_data import data_of


@pytest.mark.parametrize(
    ("devices", "threads", "subtitle"),
    [
        ((), 1, f"litebridge {lite.__version__} profile, no device, 1 thread"),
        (("npu", "gpu"), 2, f"litebridge {lite.__version__} profile, npu, gpu, 2 threads"),
    ],
)
def test_a_page_says_how_it_was_made(devices: tuple[str, ...], threads: int, subtitle: str) -> None:
    page = page_of("profile", lite.Config("models/net", devices=devices, threads=threads))
    data = data_of(page.html())
    assert (data["title"], data["subtitle"]) == ("net", subtitle)
