"""Devices are opened by name and asked whether they can be used."""

from __future__ import annotations

from typing import Any

import pytest

from lite.plugin.device import DEVICES
from lite.plugin.device.opening import DeviceFacts, facts_of, open_device
from lite.plugin.pattern import is_op
from lite.plugin.pattern.composite import Composite
from tests.support.fake_device import fake_device


def test_an_available_device_states_its_composites(monkeypatch: pytest.MonkeyPatch) -> None:
    composite = Composite("fake.it", is_op("relu"))
    with fake_device("relu"):
        assert facts_of(open_device("fake")) == DeviceFacts(None, ())
        monkeypatch.setattr(DEVICES.get("fake"), "patterns", lambda _: iter([composite]))
        assert facts_of(open_device("fake")) == DeviceFacts(None, (composite,))


def test_an_unavailable_device_is_asked_no_further_questions(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[str] = []
    with fake_device("relu") as faults:
        faults.missing = "no driver"
        monkeypatch.setattr(DEVICES.get("fake"), "memory", lambda _: calls.append("memory"))
        monkeypatch.setattr(DEVICES.get("fake"), "patterns", lambda _: calls.append("patterns"))
        assert facts_of(open_device("fake")) == DeviceFacts("no driver")
    assert calls == []


@pytest.mark.parametrize(
    ("method", "doing"),
    [
        ("available", "asking whether it is there"),
        ("memory", "opening its memory"),
        ("patterns", "naming its composites"),
    ],
)
def test_a_device_that_fails_to_answer_cannot_be_used(
    monkeypatch: pytest.MonkeyPatch, method: str, doing: str
) -> None:
    def fails(_: Any) -> None:
        raise OSError("no such register")

    with fake_device("relu"):
        monkeypatch.setattr(DEVICES.get("fake"), method, fails)
        why_not = facts_of(open_device("fake")).why_not
    assert why_not == f"fake: {doing} failed: OSError: no such register"
