"""Warnings about ignored settings, and buffers with a stated size."""

from __future__ import annotations

import pytest

from lite.compat.settings import WarnIgnored, first_bytes
from lite.errors import ConfigError


def test_each_setting_gives_one_warning(caplog: pytest.LogCaptureFixture) -> None:
    warn = WarnIgnored("an api")
    warn("a setting", "something else happens")
    warn("a setting", "something else happens")
    warn("another", "nothing happens")

    assert [(record.levelname, record.getMessage()) for record in caplog.records] == [
        ("WARNING", "an api: a setting has no effect: something else happens"),
        ("WARNING", "an api: another has no effect: nothing happens"),
    ]


def test_two_apis_warn_independently(caplog: pytest.LogCaptureFixture) -> None:
    WarnIgnored("one")("a setting", "x")
    WarnIgnored("two")("a setting", "x")
    assert len(caplog.records) == 2


def test_reset_repeats_the_warning(caplog: pytest.LogCaptureFixture) -> None:
    warn = WarnIgnored("an api")
    warn("a setting", "x")
    warn.reset()
    warn("a setting", "x")
    assert len(caplog.records) == 2


def test_a_buffer_is_cut_to_its_size() -> None:
    assert first_bytes("model", b"abc", 2) == b"ab"
    assert first_bytes("model", b"abc", 3) == b"abc"
    assert first_bytes("model", b"", 0) == b""


@pytest.mark.parametrize("size", [-1, 4])
def test_a_size_outside_the_buffer_is_refused(size: int) -> None:
    message = f"the buffer of model has 3 bytes; expected a size from 0 to 3, got {size}"
    with pytest.raises(ConfigError, match=message):
        first_bytes("model", b"abc", size)
