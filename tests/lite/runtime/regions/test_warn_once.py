"""What is said once."""

from __future__ import annotations

from lite.runtime.regions.warn_once import FirstTimes


def test_only_the_first_time_is_one() -> None:
    seen = FirstTimes()
    assert [seen.is_first(what) for what in ("a", ("a", 1), "a", ("a", 1), ("a", 2))] == [
        True,
        True,
        False,
        False,
        True,
    ]
    assert FirstTimes().is_first("a")
