"""The directory of kept models: found, checked, replaced, never fatal."""

from __future__ import annotations

import errno
import logging
import os
import shutil
import stat
from pathlib import Path

import pytest

from lite.cache import CacheKey, DeviceCache, Entry, KeyPart
from lite.cache.container import pack
from lite.cache.entry import make_header
from tests.lite.cache.plain_device import key_named

BLOB = bytes(range(256)) * 5
KEY = key_named("npu", ops="relu", weights="w")
OTHER = key_named("npu", ops="tanh", weights="w")


@pytest.fixture
def problems() -> list[str]:
    return []


@pytest.fixture
def cache(tmp_path: Path, problems: list[str]) -> DeviceCache:
    return DeviceCache(tmp_path / "cache", problem=problems.append)


def kept(cache: DeviceCache, key: CacheKey = KEY, blob: bytes = BLOB) -> Path:
    """The file of a model that was just stored."""
    assert cache.store(key, blob, "region 0") is None
    return cache.path(key)


def test_the_directory_is_made_when_something_is_stored(cache: DeviceCache, problems: list[str]) -> None:
    assert cache.load(KEY) is None
    assert cache.entries() == []
    assert cache.explain(KEY) == "no entry yet"
    assert not cache.directory.exists()
    kept(cache)
    assert os.listdir(cache.directory) == [f"{KEY.digest}.model"]
    assert problems == []


@pytest.mark.parametrize("blob", [b"", BLOB])
def test_a_stored_model_comes_back_in_another_process(cache: DeviceCache, blob: bytes) -> None:
    kept(cache, blob=blob)
    assert cache.load(KEY) == blob
    assert DeviceCache(cache.directory).load(KEY) == blob
    assert cache.load(OTHER) is None


def test_a_model_is_replaced(cache: DeviceCache) -> None:
    kept(cache)
    kept(cache, blob=b"new")
    assert cache.load(KEY) == b"new"


DAMAGES = [
    ("empty", "it ends after 0 bytes"),
    ("zeros", "it does not begin as a kept model does"),
    ("truncated", "bytes, expected"),
    ("longer", "bytes, expected"),
    ("head", "the header's checksum is wrong"),
    ("blob", "the model's checksum is wrong"),
    ("other", "it holds the model of another key"),
    ("keyless", "the header has no key"),
    ("directory", "it is no file"),
    ("fifo", "it is no file"),
]


def damage(path: Path, how: str) -> None:
    content = path.read_bytes()
    path.unlink()
    if how == "directory":
        path.mkdir()
    elif how == "fifo":
        os.mkfifo(path)
    else:
        path.write_bytes(
            {
                "empty": b"",
                "zeros": bytes(len(content)),
                "truncated": content[:-1],
                "longer": content + b"\0",
                "head": content[:40] + bytes([content[40] ^ 1]) + content[41:],
                "blob": content[:-50] + bytes([content[-50] ^ 1]) + content[-49:],
                "other": b"".join(pack(make_header(OTHER, "", 0), BLOB)),
                "keyless": b"".join(pack({"described": ""}, BLOB)),
            }[how]
        )


@pytest.mark.parametrize(("how", "problem"), DAMAGES)
def test_a_damaged_entry_is_a_miss_said_once_and_replaced(
    cache: DeviceCache, problems: list[str], how: str, problem: str
) -> None:
    path = kept(cache)
    damage(path, how)
    assert cache.load(KEY) is None
    assert cache.load(KEY) is None
    assert len(problems) == 1
    assert problems[0].startswith(f"the kept model {path} cannot be used and is built anew: ")
    assert problem in problems[0]
    assert cache.explain(KEY).startswith("the entry is damaged: ")
    kept(cache)
    assert cache.load(KEY) == BLOB
    assert cache.explain(KEY) == "hit"
    assert len(problems) == 1


def test_every_flipped_byte_is_a_miss(cache: DeviceCache) -> None:
    path = kept(cache, blob=b"model")
    content = path.read_bytes()
    for position in range(len(content)):
        path.write_bytes(content[:position] + bytes([content[position] ^ 0x10]) + content[position + 1 :])
        assert cache.load(KEY) is None
    path.write_bytes(content)
    assert cache.load(KEY) == b"model"


def test_a_full_directory_in_its_place_stays(cache: DeviceCache, problems: list[str]) -> None:
    cache.path(KEY).mkdir(parents=True)
    (cache.path(KEY) / "precious").write_text("")
    assert cache.load(KEY) is None
    assert cache.store(KEY, BLOB, "") == f"{cache.directory}: Directory not empty"
    assert (cache.path(KEY) / "precious").exists()


def test_problems_are_warnings_in_the_log(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    cache = DeviceCache(tmp_path)
    damage(kept(cache), "truncated")
    with caplog.at_level(logging.WARNING):
        cache.load(KEY)
        cache.load(KEY)
    assert [(record.name.partition(".")[0], record.levelname) for record in caplog.records] == [
        ("lite", "WARNING")
    ]


def test_a_file_where_the_directory_should_be(tmp_path: Path, problems: list[str]) -> None:
    (tmp_path / "file").write_text("")
    cache = DeviceCache(tmp_path / "file", problem=problems.append)
    assert cache.load(KEY) is None
    assert cache.store(KEY, BLOB, "") == f"{tmp_path / 'file'}: File exists"
    assert cache.entries() == []
    assert cache.explain(KEY) == "no entry yet"
    assert problems == []


def test_a_full_disk(cache: DeviceCache, monkeypatch: pytest.MonkeyPatch) -> None:
    kept(cache, OTHER)

    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    assert cache.store(KEY, BLOB, "") == f"{cache.directory}: No space left on device"
    assert os.listdir(cache.directory) == [f"{OTHER.digest}.model"]
    assert cache.load(OTHER) == BLOB


def test_rights_and_umask(tmp_path: Path) -> None:
    before = os.umask(0o077)
    try:
        path = kept(DeviceCache(tmp_path / "cache"))
    finally:
        os.umask(before)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_left_overs_are_swept_at_the_first_store(cache: DeviceCache) -> None:
    cache.directory.mkdir()
    old = cache.directory / ".x.tmp"
    old.write_text("")
    os.utime(old, (1, 1))
    kept(cache)
    assert not old.exists()


def test_explain(cache: DeviceCache) -> None:
    kept(cache, key_named("gpu", ops="relu", weights="w"))
    assert cache.explain(KEY) == "nearest entry differs in: device (npu, there gpu)"
    kept(cache, key_named("npu", ops="tanh", weights="v"))
    assert cache.explain(KEY) == "nearest entry differs in: ops (relu, there tanh), weights (w, there v)"
    kept(cache, OTHER)
    assert cache.explain(KEY) == "nearest entry differs in: ops (relu, there tanh)"
    kept(cache)
    assert cache.explain(KEY) == "hit"


def test_explain_where_the_shown_texts_are_equal_or_a_part_is_missing(cache: DeviceCache) -> None:
    def key(digest: str, *more: KeyPart) -> CacheKey:
        return CacheKey.of([KeyPart("weights", digest, "3 arrays"), KeyPart("source", digest), *more])

    kept(cache, key("00", KeyPart("chip", "7", "rev A")))
    assert cache.explain(key("01")) == (
        "nearest entry differs in: weights (3 arrays), source, chip (none, there rev A)"
    )


def test_damaged_entries_explain_nothing(cache: DeviceCache) -> None:
    damage(kept(cache, OTHER), "head")
    assert cache.explain(KEY) == "no entry yet"


def used(cache: DeviceCache, key: CacheKey, seconds: int) -> None:
    os.utime(cache.path(key), (seconds, seconds))


def test_entries_describe_themselves_last_used_first(cache: DeviceCache) -> None:
    for seconds, key in ((1000, OTHER), (2000, KEY)):
        kept(cache, key)
        used(cache, key, seconds)
    (cache.directory / "notes.txt").write_text("not ours")
    found = cache.entries()
    assert [(entry.key, entry.described, entry.used, entry.problem) for entry in found] == [
        (KEY, "region 0", 2000.0, None),
        (OTHER, "region 0", 1000.0, None),
    ]
    assert [entry.size for entry in found] == [entry.path.stat().st_size for entry in found]
    assert found[0].key is not None
    assert [(part.name, part.shown) for part in found[0].key.parts] == [
        ("device", "npu"),
        ("ops", "relu"),
        ("weights", "w"),
    ]
    assert abs(found[0].created - cache.directory.stat().st_mtime) < 600


@pytest.mark.parametrize(("how", "problem"), DAMAGES)
def test_entries_are_checked(cache: DeviceCache, how: str, problem: str) -> None:
    path = kept(cache)
    damage(path, how)
    (found,) = cache.entries(check=True)
    assert problem in (found.problem or "")
    assert (found.path, found.size) == (path, path.stat().st_size)
    (unchecked,) = cache.entries()
    assert (unchecked.problem is None) == (how == "blob")


def test_a_hit_counts_as_use(cache: DeviceCache) -> None:
    kept(cache)
    used(cache, KEY, 1000)
    cache.explain(KEY)
    assert cache.entries()[0].used == 1000.0
    cache.load(KEY)
    assert cache.entries()[0].used > 1000.0


def test_the_least_recently_used_go(cache: DeviceCache) -> None:
    keys = [key_named("npu", ops=op) for op in ("a", "b", "c", "d")]
    for number, key in enumerate(keys[:3]):
        kept(cache, key)
        used(cache, key, 1000 + number)
    assert cache.load(keys[0]) == BLOB
    cache.limit = sum(entry.size for entry in cache.entries())
    kept(cache, keys[3])
    assert {entry.key for entry in cache.entries()} == {keys[0], keys[2], keys[3]}
    used(cache, keys[3], 1001)
    kept(cache, keys[1], BLOB + BLOB)
    assert {entry.key for entry in cache.entries()} == {keys[0], keys[1]}


def test_a_model_larger_than_the_limit_is_not_kept(tmp_path: Path) -> None:
    cache = DeviceCache(tmp_path / "cache", limit=100)
    answer = cache.store(KEY, BLOB, "")
    assert answer is not None
    assert answer.endswith("bytes, the limit of the cache is 100")
    assert not cache.directory.exists()


def test_without_a_limit_nothing_goes(cache: DeviceCache) -> None:
    for number in range(10):
        kept(cache, key_named("npu", ops=str(number)))
    assert len(cache.entries()) == 10


def test_clear_removes_what_is_ours_and_nothing_else(cache: DeviceCache) -> None:
    kept(cache)
    damage(kept(cache, OTHER), "empty")
    for name in (".a.tmp", "weights.json", "notes.txt", "my.tmp"):
        (cache.directory / name).write_text("")
    assert cache.clear() == 2
    assert sorted(os.listdir(cache.directory)) == ["my.tmp", "notes.txt"]
    assert cache.load(KEY) is None
    shutil.rmtree(cache.directory)
    assert cache.clear() == 0


def test_entries_that_vanish_are_not_listed(cache: DeviceCache, monkeypatch: pytest.MonkeyPatch) -> None:
    kept(cache)
    gone = cache.directory / "0.model"
    gone.symlink_to(cache.directory / "nothing")
    assert [entry.key for entry in cache.entries()] == [KEY]
    assert isinstance(cache.entries()[0], Entry)
