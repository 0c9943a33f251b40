"""Warnings that are given once."""

from __future__ import annotations

import pytest

from lite.compat.notice import Notice


def test_a_warning_is_given_once(caplog: pytest.LogCaptureFixture) -> None:
    notice = Notice("an api")
    notice("a setting", "something else happens")
    notice("a setting", "something else happens")
    notice("another", "nothing happens")

    assert [(record.levelname, record.getMessage()) for record in caplog.records] == [
        ("WARNING", "an api: a setting has no effect: something else happens"),
        ("WARNING", "an api: another has no effect: nothing happens"),
    ]


def test_two_apis_do_not_know_of_each_other(caplog: pytest.LogCaptureFixture) -> None:
    Notice("one")("a setting", "x")
    Notice("two")("a setting", "x")
    assert len(caplog.records) == 2


def test_forgetting(caplog: pytest.LogCaptureFixture) -> None:
    notice = Notice("an api")
    notice("a setting", "x")
    notice.forget()
    notice("a setting", "x")
    assert len(caplog.records) == 2
