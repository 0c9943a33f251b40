"""Headless Chromium for tests of pages."""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

_FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--window-size=1400,900",
)


@contextmanager
def chromium(profile: Path) -> Iterator[Any]:
    """A Selenium driver; skips the test where Chromium, its driver or Selenium is not installed."""
    program = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    driver_program = shutil.which("chromedriver")
    if program is None or driver_program is None:
        pytest.skip("Chromium or chromedriver is not installed")
    webdriver = pytest.importorskip("selenium.webdriver", reason="Selenium is not installed")
    options = webdriver.ChromeOptions()
    options.binary_location = program
    for flag in (*_FLAGS, f"--user-data-dir={profile}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(driver_program))
    try:
        yield driver
    finally:
        driver.quit()


def wait_until(driver: Any, condition: str, seconds: float = 120) -> None:
    """Wait until an expression of JavaScript is true; fails after `seconds`."""
    end = time.monotonic() + seconds
    while not driver.execute_script(f"return Boolean({condition})"):
        assert time.monotonic() < end, f"not true within {seconds} s: {condition}"
        time.sleep(0.02)
