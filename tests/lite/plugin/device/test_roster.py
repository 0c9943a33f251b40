"""DeviceRoster opens devices and reports problems once."""

from __future__ import annotations

from typing import Any

import pytest

from lite.errors import CompileError, ConfigError
from lite.ir.graph import Graph
from lite.plugin.device import DEVICES, Device, Settings
from lite.plugin.device.roster import DeviceRoster, UnopenedDevice, named_twice
from lite.spec.grammar import parse_spec
from tests.support.fake_device import fake_device
from tests.support.log_records import warnings_in


def test_a_device_is_opened_once_for_each_text() -> None:
    with fake_device("relu"):
        roster = DeviceRoster(Settings(3, "strict"))
        plain, other = roster.open("fake"), roster.open(parse_spec("fake{version=two}"))
        assert roster.open(parse_spec("fake")) is plain
        assert roster.open("fake{ version = two }") is other
    assert plain is not other
    assert (plain.settings, other.settings) == (Settings(3, "strict"), Settings(3, "strict"))
    assert (roster.text(plain), roster.text(other)) == ("fake", "fake{version=two}")


def test_opened_devices_can_be_wrapped() -> None:
    wrapped: list[tuple[Device[Any], str]] = []

    def wrap(device: Device[Any], text: str) -> Device[Any]:
        wrapped.append((device, text))
        return device

    with fake_device("relu"):
        [device] = DeviceRoster(wrap=wrap).open_all(["fake{version=two}"])
    assert wrapped == [(device, "fake{version=two}")]


def test_a_device_may_be_named_only_once() -> None:
    assert named_twice(["a", "b", "c", "b", "a"]) == "b"
    assert named_twice(["a", "b"]) is None
    with fake_device("relu"), pytest.raises(ConfigError, match="devices: 'fake' is named twice"):
        DeviceRoster().open_all(["fake", "fake{version=two}"])


def test_unknown_devices_and_options_are_errors() -> None:
    with fake_device("relu"):
        with pytest.raises(ConfigError, match="did you mean 'fake'"):
            DeviceRoster().open("fade")
        with pytest.raises(ConfigError, match="no option 'speed'"):
            DeviceRoster().open("fake{speed=2}")


def test_a_device_that_throws_when_opened_cannot_be_used(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def opened(*_: Any) -> None:
        raise OSError("no such bus")

    reason = "fake: opening the device failed: OSError: no such bus"
    with fake_device("relu"):
        monkeypatch.setattr(DEVICES.get("fake"), "__init__", opened)
        roster = DeviceRoster()
        device = roster.open("fake")
        assert isinstance(device, UnopenedDevice)
        assert (device.name, device.version(), roster.facts(device).why_not) == ("fake", "", reason)
        with pytest.raises(CompileError, match="no such bus"):
            device.compile(Graph(), ())
        strict = DeviceRoster(fallback="error")
        device = strict.open("fake")
        with pytest.raises(CompileError, match="device fake cannot be used: fake: opening the device failed"):
            strict.facts(device)
    assert roster.warnings == warnings_in(caplog) == [f"device fake cannot be used: {reason}"]
    assert UnopenedDevice.name == ""


def test_each_problem_is_reported_once(caplog: pytest.LogCaptureFixture) -> None:
    roster = DeviceRoster()
    for about, sentence in ((1, "one"), (2, "two"), (1, "one again")):
        roster.complain(about, sentence)
    assert roster.warnings == warnings_in(caplog) == ["one", "two"]
    strict = DeviceRoster(fallback="error")
    for _ in range(2):
        with pytest.raises(CompileError, match="one"):
            strict.complain(1, "one")


def test_without_problems_nothing_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    with fake_device("relu"):
        roster = DeviceRoster()
        facts = roster.facts(roster.open("fake"))
    assert (facts.why_not, facts.composites, roster.warnings, warnings_in(caplog)) == (None, (), [], [])
