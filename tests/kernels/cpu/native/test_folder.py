"""Folders for machine code that are full, missing, or have damaged files."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from lite.kernels.cpu import machine
from lite.kernels.cpu.checked import IS_CHECKED
from lite.kernels.cpu.native import folder

OWN = "kernels-checked" if IS_CHECKED else "kernels"


@pytest.fixture(autouse=True)
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The named folder is one for the test."""
    monkeypatch.setenv(folder.CACHE_VARIABLE, str(tmp_path))
    _forget()
    yield tmp_path
    monkeypatch.undo()
    _forget()


def _forget() -> None:
    folder.cache_folders.cache_clear()
    folder.writable_folder.cache_clear()


def test_kept_files_are_read(own: Path) -> None:
    assert folder.read_kept("name") == []
    folder.keep("name", b"content")
    assert folder.read_kept("name") == [b"content"]
    assert os.listdir(own) == ["name"]


def test_a_full_disk_leaves_no_file(own: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    folder.keep("name", b"content")
    assert os.listdir(own) == []


def test_a_user_without_a_home_has_the_folder_beside_the_sources(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(folder.CACHE_VARIABLE)
    monkeypatch.setattr(folder, "private_folder", lambda: None)
    (cache_folder,) = folder.cache_folders()
    assert cache_folder.relative_to(machine.__file__[: -len("/machine.py")]).parts[0] == "compiled"


def test_named_folder_that_is_read_only_is_followed_by_the_users_own(
    own: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(folder, "private_folder", lambda: tmp_path / "private")
    assert folder.cache_folders() == (own,)
    _forget()
    monkeypatch.setattr(folder, "_is_writable", lambda path: path != own)
    assert folder.cache_folders() == (own, tmp_path / "private" / OWN)
    assert folder.writable_folder() == tmp_path / "private" / OWN


@pytest.mark.parametrize(
    "damaged",
    [
        '{"cpu": "x"',
        "[1]",
        "{}",
        '{"cpu": "x", "features": "", "lanes": "8", "registers": 16}',
        '{"cpu": "x", "features": "", "lanes": 9, "registers": 16}',
        '{"cpu": "x", "features": "", "lanes": 8, "registers": null}',
    ],
)
def test_a_damaged_description_of_the_machine_is_replaced(
    damaged: str, own: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    described = machine.Machine("y", "", 8, 16)
    monkeypatch.setattr(machine, "_ask_llvm", lambda: described)
    folder.keep(f"{machine.processor_key()}.machine", damaged.encode())
    assert machine.machine.__wrapped__() == described
    monkeypatch.setattr(machine, "_ask_llvm", lambda: pytest.fail("asked twice"))
    assert machine.machine.__wrapped__() == described


@pytest.mark.parametrize(
    ("features", "has_masks"),
    [("+avx2,+avx512vl", True), ("+avx2,-avx512vl", False), ("+avx512vlx", False), ("", False)],
)
def test_masks_need_the_feature_of_the_processor(features: str, has_masks: bool) -> None:
    assert machine.Machine("x", features, 8, 16).has_masks == has_masks
