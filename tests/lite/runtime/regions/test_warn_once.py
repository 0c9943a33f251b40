"""What is said once."""

from __future__ import annotations

from lite.runtime.regions.warn_once import WarnOnce


def test_only_the_first_time_is_one() -> None:
    seen = WarnOnce()
    assert [seen.is_first(what) for what in ("a", ("a", 1), "a", ("a", 1), ("a", 2))] == [
        True,
        True,
        False,
        False,
        True,
    ]
    assert WarnOnce().is_first("a")
