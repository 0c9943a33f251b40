"""The garbage collector rests while a model is loaded, and is afterwards as it was."""

from __future__ import annotations

import gc
import subprocess
import sys
from collections.abc import Iterator

import pytest

from lite.runtime.paused_collector import paused_collector
from tests.support.interrupts import interrupted, lines_of


@pytest.fixture(autouse=True)
def _enabled_afterwards() -> Iterator[None]:
    yield
    gc.enable()


def test_a_pause_ends_with_its_block_also_by_an_error() -> None:
    with paused_collector():
        assert not gc.isenabled()
        with paused_collector():
            assert not gc.isenabled()
        assert not gc.isenabled()
    assert gc.isenabled()
    with pytest.raises(KeyError), paused_collector():
        raise KeyError
    assert gc.isenabled()


def test_a_pause_that_is_interrupted_at_any_line_ends() -> None:
    def work() -> None:
        with paused_collector():
            pass

    lines = lines_of(work)
    assert len(lines) > 5
    for line in lines:
        assert interrupted(work, line)
        assert gc.isenabled(), line


def test_a_collector_that_the_user_stopped_stays_so() -> None:
    gc.disable()
    with paused_collector():
        assert not gc.isenabled()
    assert not gc.isenabled()


_COUNTS = """
import gc
import subprocess
import sys
from lite.runtime.paused_collector import paused_collector
from tests.support.interrupts import interrupted, lines_of

{before}
with paused_collector():
    made = [[] for _ in range(5000)]
print(any(each is made for each in gc.get_objects(generation=2)), gc.get_freeze_count() > 0)
"""


@pytest.mark.parametrize(
    ("before", "expected"), [("", "True False"), ("gc.freeze()", "False True")], ids=["plain", "frozen"]
)
def test_what_a_pause_made_counts_as_old_unless_the_user_froze_objects(before: str, expected: str) -> None:
    text = _COUNTS.format(before=before)
    ended = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=True)
    assert ended.stdout.strip() == expected
