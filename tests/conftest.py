"""Settings of property tests, and a guard against testing another checkout."""

from __future__ import annotations

import gc
import logging
import os
from collections.abc import Iterator
from pathlib import Path

import hypothesis
import pytest

import lite

# Results shall not depend on which kernels are compiled already; tests of that name what they want.
os.environ["LITEBRIDGE_COMPILATION"] = "wait"

ROOT = Path(__file__).resolve().parent.parent
LONG_FOLDERS = ("tests/suite/", "tests/soak/", "tests/bridges/")

# No deadline: a machine that is busy is not a wrong answer. Derandomised: a red run is red again.
hypothesis.settings.register_profile("litebridge", deadline=None, derandomize=True, print_blob=True)
hypothesis.settings.load_profile("litebridge")
hypothesis.settings.register_profile("long", max_examples=400)


def pytest_configure(config: pytest.Config) -> None:
    """Stop when `lite` is not the one beside these tests."""
    package = Path(lite.__file__).resolve().parent
    if package != ROOT / "lite":
        raise pytest.UsageError(f"these tests are of {ROOT / 'lite'}, but 'import lite' gives {package}")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the files whose tests take long: at the end, one of them would run beside an idle worker."""
    items.sort(key=lambda item: not item.nodeid.startswith(LONG_FOLDERS))


def pytest_collection_finish() -> None:
    """Leave the collected tests, which stay until the end, out of garbage collection: it takes less time."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session")
def root() -> Path:
    """The checkout."""
    return ROOT


@pytest.fixture(autouse=True)
def level_of_the_log() -> Iterator[None]:
    """A program that a test runs may set the level of litebridge's log; the next test has the usual one."""
    log = logging.getLogger("lite")
    level = log.level
    yield
    log.setLevel(level)
