"""Entries that `litebridge cache` lists, checks and clears."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from lite.cache import PLANS, CacheDirectory, CacheKey, KeyPart
from lite.tools.options.output import ANSWER_IS_NO
from tests.tools.tiny_model import call, call_json

FIRST = CacheKey.of([KeyPart("device", "1", "npu"), KeyPart("ops", "2", "3 ops")])
SECOND = CacheKey.of([KeyPart("device", "1", "npu"), KeyPart("ops", "3", "4 ops")])


@pytest.fixture
def kept(tmp_path: Path) -> CacheDirectory:
    """Two models; the second was last used half an hour ago."""
    cache = CacheDirectory(tmp_path)
    cache.store(FIRST, b"model", "region 0 on npu, float32[1,3]")
    cache.store(SECOND, b"another model", "region 1 on npu, float32[2,3]")
    then = time.time() - 1800
    os.utime(cache.path(SECOND), (then, then))
    return cache


def test_the_models_are_listed(kept: CacheDirectory) -> None:
    first, second = call_json("cache", kept.directory)
    assert (first.pop("age") < 100, first.pop("unused") < 100) == (True, True)
    assert first == {
        "file": f"{FIRST.digest}.model",
        "kind": "model",
        "device": "npu",
        "of": "region 0 on npu, float32[1,3]",
        "bytes": kept.path(FIRST).stat().st_size,
        "problem": None,
    }
    assert (second["of"], second["bytes"]) == (
        "region 1 on npu, float32[2,3]",
        kept.path(SECOND).stat().st_size,
    )
    assert 1800 <= second["unused"] < 1900
    lines = call("cache", kept.directory, "--wide").stdout.splitlines()
    assert lines[0].split() == [
        "kind",
        "device",
        "contents",
        "bytes",
        "age",
        "unused",
        "for",
        "problem",
        "file",
    ]
    assert lines[2].split()[:7] == ["model", "npu", "region", "1", "on", "npu,", "float32[2,3]"]
    assert "30 minutes" in lines[2]
    assert len(lines) == 3


def test_plans_are_listed_and_cleared(kept: CacheDirectory) -> None:
    plans = CacheDirectory(kept.directory / PLANS)
    plans.store(CacheKey.of([KeyPart("kind", "1", "plan")]), b"plan", "a/model")
    entries = call_json("cache", kept.directory)
    assert [entry["kind"] for entry in entries] == ["model", "model", "plan"]
    assert (entries[2]["device"], entries[2]["of"]) == (None, "a/model")
    assert call("cache", kept.directory, "--clear").stdout == "removed 3 entries\n"
    assert os.listdir(kept.directory) == []


def test_a_damaged_model_exits_with_3(kept: CacheDirectory) -> None:
    path = kept.path(SECOND)
    content = path.read_bytes()
    path.write_bytes(content[:-10] + b"#" + content[-9:])
    kept.path(FIRST).write_bytes(b"")
    result = call("cache", kept.directory)
    assert result.exit_code == ANSWER_IS_NO
    assert "the blob's checksum is wrong" in result.stdout
    assert "it ends after 0 bytes" in result.stdout


def test_an_empty_directory_has_no_entries(tmp_path: Path) -> None:
    assert (call("cache", tmp_path).stdout, call_json("cache", tmp_path)) == ("none\n", [])


def test_the_current_directory_is_the_default(kept: CacheDirectory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(kept.directory)
    assert len(call_json("cache")) == 2


def test_listing_does_not_change_the_time_of_last_use(kept: CacheDirectory) -> None:
    before = kept.path(SECOND).stat().st_mtime_ns
    call("cache", kept.directory)
    assert kept.path(SECOND).stat().st_mtime_ns == before


def test_clear_removes_entries_and_no_other_file(kept: CacheDirectory) -> None:
    (kept.directory / "notes.txt").write_text("another file")
    assert call("cache", kept.directory, "--clear").stdout == "removed 2 entries\n"
    assert os.listdir(kept.directory) == ["notes.txt"]
    assert call_json("cache", kept.directory, "--clear") == {"removed": 0}


def test_a_missing_directory_is_wrong_usage(tmp_path: Path) -> None:
    result = call("cache", tmp_path / "none")
    assert result.exit_code == 2
    assert "does not exist" in result.stderr
