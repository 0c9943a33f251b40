"""The version of the API, and devices by name."""

from __future__ import annotations

import pytest

import lite
from lite.compat.paddlelite import environment
from lite.compat.paddlelite.environment import get_version, usable_devices
from tests.support.fake_device import fake_device


def test_installed_devices_are_usable_and_others_give_a_warning(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(environment, "installed_devices", lambda: {"one", "two"})
    assert usable_devices(["two", "rockchip_npu", "one", "rockchip_npu"]) == ("two", "one")
    (message,) = caplog.messages
    assert message == (
        "paddlelite: the device 'rockchip_npu' has no effect: no such device is installed; "
        "its ops run on the host"
    )


def test_without_names_there_are_no_devices_and_no_warnings(caplog: pytest.LogCaptureFixture) -> None:
    assert usable_devices([]) == ()
    assert caplog.records == []


def test_a_registered_device_is_installed() -> None:
    with fake_device("relu", name="a_chip"):
        assert "a_chip" in environment.installed_devices()
    assert "a_chip" not in environment.installed_devices()


def test_names_of_paddle_lite_are_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(environment, "installed_devices", lambda: {"openvino"})
    assert usable_devices(["intel_openvino", "openvino"]) == ("openvino",)


def test_the_version_names_paddle_lite_and_litebridge() -> None:
    assert get_version() == f"v2.13 (litebridge {lite.__version__})"
