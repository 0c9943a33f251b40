"""An environment is used if it is complete, of the present requirements, and not written by others."""

from __future__ import annotations

from pathlib import Path

import pytest

from lite.environments.folder import environment_folder
from lite.environments.installed import Installed, find_installed
from tests.support.fake_sdk_device import NAME
from tests.support.fake_sdk_environment import declared, make_environment, mark

INSTALL = "litebridge devices install fake_sdk"


def why_not() -> str:
    found = find_installed(NAME, declared())
    assert isinstance(found, str)
    return found


def test_a_complete_environment_gives_its_interpreter() -> None:
    packages = make_environment()
    folder = environment_folder(NAME)
    assert find_installed(NAME, declared()) == Installed(folder, folder / "bin" / "python", packages)


def test_without_an_environment_the_sentence_names_the_command() -> None:
    assert why_not() == f"its environment is not installed: {INSTALL}"


def test_an_environment_without_a_marker_is_not_used() -> None:
    make_environment()
    (environment_folder(NAME) / "litebridge.json").unlink()
    assert why_not() == f"its environment is not installed: {INSTALL}"


def test_changed_requirements_are_noticed() -> None:
    make_environment()
    mark("another digest")
    assert why_not() == f"its environment was installed for other requirements: {INSTALL}"


@pytest.mark.parametrize("text", ["", "[]", "{", "1"])
def test_a_damaged_marker_is_not_used(text: str) -> None:
    make_environment()
    (environment_folder(NAME) / "litebridge.json").write_text(text)
    assert why_not().endswith(INSTALL)


def test_a_lost_interpreter_is_noticed() -> None:
    make_environment()
    python = environment_folder(NAME) / "bin" / "python"
    python.unlink()
    python.symlink_to("/nowhere/python")
    assert why_not() == f"the interpreter of its environment, {python}, is gone: {INSTALL}"


def test_a_folder_that_others_may_write_to_is_not_used(data: Path) -> None:
    make_environment()
    folder = environment_folder(NAME)
    folder.chmod(0o777)
    assert why_not() == (
        f"its environment {folder} is not used: {folder}: other users may write to it (mode 0777)"
    )
