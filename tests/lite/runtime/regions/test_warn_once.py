"""WarnOnce: the first report of a cause is a warning."""

from __future__ import annotations

from lite.runtime.regions.warn_once import WarnOnce


def test_only_the_first_report_of_a_cause_is_a_warning() -> None:
    once = WarnOnce()
    assert [once.is_first(cause) for cause in ("a", ("a", 1), "a", ("a", 1), ("a", 2))] == [
        True,
        True,
        False,
        False,
        True,
    ]
    assert WarnOnce().is_first("a")
