"""Signatures of machine code: what they cover, and the secret that they depend on."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from lite.plugin import code_signature as signature
from lite.plugin.code_signature import content_of, signed

SELF = os.geteuid()


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder of the secret is one for the test."""
    monkeypatch.setattr(signature, "private_folder", lambda: tmp_path)
    signature._secret.cache_clear()
    yield tmp_path
    monkeypatch.undo()
    signature._secret.cache_clear()


def test_name_and_every_byte_are_authenticated() -> None:
    file = signed("name", b"content")
    assert content_of("name", file, SELF) == b"content"
    assert content_of("other", file, SELF) is None
    for place in range(len(file)):
        damaged = bytearray(file)
        damaged[place] ^= 1
        assert content_of("name", bytes(damaged), SELF) is None
    for length in range(len(file)):
        assert content_of("name", file[:length], SELF) is None


def test_secret_is_kept_for_this_user_alone(folder: Path) -> None:
    file = signed("name", b"content")
    (secret,) = folder.iterdir()
    assert stat.S_IMODE(secret.stat().st_mode) == 0o600
    signature._secret.cache_clear()
    assert content_of("name", file, SELF) == b"content"


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o620])
def test_secret_that_others_can_access_is_not_used(folder: Path, mode: int) -> None:
    file = signed("name", b"content")
    (secret,) = folder.iterdir()
    secret.chmod(mode)
    signature._secret.cache_clear()
    assert content_of("name", file, SELF) is None


def test_without_a_folder_each_process_has_a_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(signature, "private_folder", lambda: None)
    file = signed("name", b"content")
    assert content_of("name", file, SELF) == b"content"
    signature._secret.cache_clear()
    assert content_of("name", file, SELF) is None


def test_files_of_root_serve_other_users_but_not_root_without_a_signature(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    file = signed("name", b"content")
    signature._secret.cache_clear()
    monkeypatch.setattr(signature, "_secret", lambda: b"x" * 32)
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert content_of("name", file, 0) == b"content"
    assert content_of("name", file, 1000) is None
    assert content_of("name", file[:-1] + b"x", 0) is None
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    assert content_of("name", file, 0) is None
