"""litebridge devices: the list, and the environments of devices."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from lite.environments.folder import environment_folder
from lite.plugin.device import DEVICES
from lite.plugin.device.opening import about_options
from lite.plugin.loader import load_devices
from tests.support.fake_sdk_device import NAME, registered
from tests.support.fake_sdk_environment import make_environment
from tests.tools.tiny_model import call, call_json


@pytest.fixture(autouse=True)
def _device(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    (tmp_path / "data").mkdir(mode=0o700)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    with registered():
        yield


def test_the_list_is_the_default() -> None:
    assert call("devices").stdout == call("devices", "list").stdout
    assert "sim_npu" in call("devices").stdout
    assert call_json("devices", "sim_npu") == call_json("devices", "list", "sim_npu")


def test_one_device_is_shown() -> None:
    result = call("devices", "sim_npu")
    assert (result.exit_code, result.stdout.splitlines()[:2]) == (
        0,
        ["device   sim_npu", "state    available"],
    )
    assert call("devices", "sim_npus").exit_code == 1


def test_every_option_is_explained() -> None:
    load_devices()
    for name in DEVICES:
        cls = DEVICES.get(name)
        words = re.findall(r"\w+", about_options(cls))
        assert {field.name for field in dataclasses.fields(cls.Options)} <= set(words), name


def test_one_device_is_asked_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    load_devices()
    monkeypatch.setattr(DEVICES.get("sim_npu"), "available", lambda self: asked.append(self.name))
    assert call("devices", NAME).exit_code == 0
    assert asked == []
    assert call("devices", "sim_npu").exit_code == 0
    assert asked == ["sim_npu"]


def test_the_help_names_the_commands() -> None:
    result = call("devices", "--help")
    assert result.exit_code == 0
    assert {"install", "list", "remove"} <= set(result.stdout.split())


def test_a_missing_environment_is_the_state() -> None:
    [info] = call_json("devices", NAME)["devices"]
    assert info["why_not"] == f"its environment is not installed: litebridge devices install {NAME}"


def test_an_environment_is_shown_and_removed() -> None:
    make_environment()
    [info] = call_json("devices", NAME)["devices"]
    assert info["why_not"] is None
    folder = environment_folder(NAME)
    result = call("devices", "install", NAME)
    assert (result.exit_code, result.stdout) == (0, f"{NAME}: installed in {folder}\n")
    assert f"{folder} is up to date" in result.stderr
    assert call("devices", "remove", NAME).stdout == f"{NAME}: removed\n"
    assert not folder.exists()
    assert call("devices", "remove", NAME).stdout == f"{NAME}: no environment is installed\n"


@pytest.mark.parametrize("command", ["install", "remove"])
def test_a_device_without_an_environment_has_nothing_to_install(command: str) -> None:
    result = call("devices", command, "sim_npu")
    assert result.exit_code == 1
    assert "sim_npu runs in this environment; there is nothing to install or remove" in result.stderr
    assert (
        "no device is called 'sim_npx'; did you mean 'sim_npu'?" in call("devices", command, "sim_npx").stderr
    )


def test_a_missing_interpreter_is_an_error(tmp_path: Path) -> None:
    result = call("devices", "install", NAME, "--python", tmp_path / "python")
    assert result.exit_code == 1
    assert "is no interpreter, expected Python" in result.stderr
