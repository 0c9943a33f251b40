"""Machine code on disk is compiled once, and again when it is damaged."""

from __future__ import annotations

import logging
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from lite.kernels.cpu.aot import compile_all
from lite.kernels.cpu.machine import Machine
from lite.kernels.cpu.native import code_store, folder
from lite.kernels.cpu.native.code_store import SYMBOL, Code, find_code, is_compiled
from lite.plugin import code_signature

_CACHED = folder.cache_folders, folder.writable_folder

NAME = "squeeze_excite.scale_channels"


class Counting:
    """The function to compile."""

    parameters = ("r", "i")

    def __init__(self) -> None:
        self.calls = 0

    def object_code(self, symbol: str) -> bytes:
        assert symbol == SYMBOL
        self.calls += 1
        return b"code\n%d" % self.calls


@pytest.fixture(autouse=True)
def entry(monkeypatch: pytest.MonkeyPatch) -> Counting:
    """What every name stands for."""
    counting = Counting()
    monkeypatch.setattr(code_store, "_named", lambda _: counting)
    return counting


@pytest.fixture(autouse=True)
def _own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv(folder.CACHE_VARIABLE, str(tmp_path))
    _forget()
    yield
    _forget()
    code_store._warn_once.cache_clear()


def _forget() -> None:
    for cached in _CACHED:
        cached.cache_clear()


def test_code_is_compiled_once(entry: Counting) -> None:
    assert not is_compiled(NAME)
    for _ in range(2):
        assert find_code(NAME) == Code(("r", "i"), b"code\n1")
    assert (is_compiled(NAME), entry.calls) == (True, 1)


def test_code_depends_on_the_width_of_vectors(entry: Counting, monkeypatch: pytest.MonkeyPatch) -> None:
    """A newer LLVM may describe the same processor differently."""
    try:
        for lanes in (8, 16, 8):
            monkeypatch.setattr(code_store, "machine", lambda lanes=lanes: Machine("x", "", lanes, 32))
            code_store.code_key.cache_clear()
            find_code(NAME)
    finally:
        code_store.code_key.cache_clear()
    assert entry.calls == 2


@pytest.mark.parametrize(
    "damage",
    [
        lambda content: content[:-1],
        lambda content: content[:-1] + b"0",
        lambda _: b"",
        lambda content: b"{}\n" + content.partition(b"\n")[2],
        lambda content: b"\xff" + content,
        # Nothing but the kinds of the parameters.
        lambda content: content.replace(b'"i"', b'"f"'),
    ],
)
def test_damaged_code_is_compiled_again(damage: object, tmp_path: Path) -> None:
    assert callable(damage)
    find_code(NAME)
    (path,) = tmp_path.iterdir()
    path.write_bytes(damage(path.read_bytes()))
    assert find_code(NAME).content == b"code\n2"
    assert find_code(NAME).content == b"code\n2"


def test_without_a_writable_folder_each_process_compiles(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv(folder.CACHE_VARIABLE, str(tmp_path / "file" / "below"))
    monkeypatch.setattr(folder, "private_folder", lambda: None)
    _forget()
    code_store._warn_once.cache_clear()
    assert [find_code(NAME).content for _ in range(2)] == [b"code\n1", b"code\n2"]
    (record,) = caplog.records
    assert "name a folder in the environment variable LITEBRIDGE_KERNEL_CACHE" in record.getMessage()
    assert "name one in the environment variable LITEBRIDGE_KERNEL_CACHE" in compile_all().why_not


def test_code_beside_the_sources_serves_all_users(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    beside, own = tmp_path / "beside", tmp_path / "own"
    monkeypatch.setattr(folder, "cache_folders", lambda: (beside, own))
    monkeypatch.setattr(folder, "_BESIDE_SOURCES", beside)
    for content in (b"code\n1", b"code\n1"):
        assert find_code(NAME).content == content
    (path,) = beside.iterdir()
    assert stat.S_IMODE(path.stat().st_mode) == 0o644
    assert stat.S_IMODE(beside.stat().st_mode) == 0o755
    monkeypatch.setattr(folder, "writable_folder", lambda: own)
    assert find_code(NAME).content == b"code\n1"
    own.mkdir()
    path.write_bytes(b"damaged")
    for _ in range(2):
        assert find_code(NAME).content == b"code\n2"
    assert len(list(own.iterdir())) == 1


def test_compiling_is_logged_once(caplog: pytest.LogCaptureFixture, tmp_path: Path) -> None:
    code_store._warn_once.cache_clear()
    with caplog.at_level(logging.WARNING):
        find_code(NAME)
        find_code(NAME + "2")
    (record,) = caplog.records
    assert str(tmp_path) in record.getMessage()
    assert "litebridge warmup" in record.getMessage()


def test_folders_are_the_named_one_or_those_beside_the_sources_and_of_the_user(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert folder.cache_folders() == (tmp_path,)
    monkeypatch.delenv(folder.CACHE_VARIABLE)
    monkeypatch.setattr(folder, "private_folder", lambda: tmp_path / "litebridge")
    folder.cache_folders.cache_clear()
    beside, own = folder.cache_folders()
    assert (beside.name, beside.parent.name) == ("__pycache__", "compiled")
    assert own == tmp_path / "litebridge" / "kernels"


def test_code_of_another_function_under_the_name_is_compiled_again(tmp_path: Path) -> None:
    find_code("a.other")
    (other,) = tmp_path.iterdir()
    (tmp_path / other.name.replace("a.other", NAME)).write_bytes(other.read_bytes())
    assert find_code(NAME).content == b"code\n2"


def test_code_signed_with_another_secret_is_compiled_again(monkeypatch: pytest.MonkeyPatch) -> None:
    find_code(NAME)
    monkeypatch.setattr(code_signature, "_secret", lambda: b"x" * 32)
    assert not is_compiled(NAME)
    assert find_code(NAME).content == b"code\n2"
