"""Devices by name."""

from __future__ import annotations

import pytest

from lite.compat.paddlelite import devices
from lite.compat.paddlelite.devices import usable_devices
from tests.fake_device import fake_device


def test_those_that_are_there(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    monkeypatch.setattr(devices, "installed_devices", lambda: {"one", "two"})
    assert usable_devices(["two", "rockchip_npu", "one", "rockchip_npu"]) == ("two", "one")
    (message,) = caplog.messages
    assert message == (
        "paddlelite: the device 'rockchip_npu' has no effect: no such device is installed; "
        "its ops run on the host"
    )


def test_no_names_need_no_devices(caplog: pytest.LogCaptureFixture) -> None:
    assert usable_devices([]) == ()
    assert caplog.records == []


def test_installed_devices_are_those_that_registered() -> None:
    with fake_device("relu", name="a_chip"):
        assert "a_chip" in devices.installed_devices()
    assert "a_chip" not in devices.installed_devices()


def test_names_of_paddle_lite_are_followed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(devices, "installed_devices", lambda: {"openvino"})
    assert usable_devices(["intel_openvino", "openvino"]) == ("openvino",)
