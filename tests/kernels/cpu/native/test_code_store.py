"""Machine code on disk: compiled once, and again when it is damaged."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from lite.kernels.cpu.native import code_store, folder
from lite.kernels.cpu.native.code_store import SYMBOL, Code, find_code, is_compiled

NAME = "squeeze_excite.scale_channels"


class Counting:
    """Stands for a function to compile."""

    parameters = ("r", "i")

    def __init__(self) -> None:
        self.calls = 0

    def object_code(self, symbol: str) -> bytes:
        assert symbol == SYMBOL
        self.calls += 1
        return b"code\n%d" % self.calls


@pytest.fixture(autouse=True)
def _own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(code_store, "cache_folder", lambda: tmp_path)


def test_code_is_compiled_once() -> None:
    entry = Counting()
    assert not is_compiled(NAME)
    for _ in range(2):
        assert find_code(NAME, lambda: entry) == Code(("r", "i"), b"code\n1")
    assert (is_compiled(NAME), entry.calls) == (True, 1)


@pytest.mark.parametrize(
    "damage",
    [
        lambda content: content[:-1],
        lambda content: content[:-1] + b"0",
        lambda _: b"",
        lambda content: b"{}\n" + content.partition(b"\n")[2],
        lambda content: b"\xff" + content,
    ],
)
def test_damaged_code_is_compiled_again(damage: object, tmp_path: Path) -> None:
    assert callable(damage)
    entry = Counting()
    find_code(NAME, lambda: entry)
    (path,) = tmp_path.iterdir()
    path.write_bytes(damage(path.read_bytes()))
    assert find_code(NAME, lambda: entry).content == b"code\n2"
    assert find_code(NAME, lambda: entry).content == b"code\n2"


def test_a_folder_that_cannot_be_written_costs_only_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setattr(code_store, "cache_folder", lambda: tmp_path / "file" / "below")
    entry = Counting()
    assert [find_code(NAME, lambda: entry).content for _ in range(2)] == [b"code\n1", b"code\n2"]


def test_it_says_that_it_compiles(caplog: pytest.LogCaptureFixture, tmp_path: Path) -> None:
    code_store._say_once.cache_clear()
    with caplog.at_level(logging.WARNING):
        find_code(NAME, Counting)
        find_code(NAME + "2", Counting)
    (record,) = caplog.records
    assert str(tmp_path) in record.getMessage()
    assert "litebridge warmup" in record.getMessage()


def test_the_folder_is_the_named_one(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv(folder.CACHE_VARIABLE, str(tmp_path / "named"))
    folder.cache_folder.cache_clear()
    try:
        assert folder.cache_folder() == tmp_path / "named"
    finally:
        monkeypatch.undo()
        folder.cache_folder.cache_clear()
