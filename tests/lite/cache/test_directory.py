"""The directory of a cache: entries are found, checked, replaced and evicted; no problem is fatal."""

from __future__ import annotations

import errno
import hashlib
import logging
import os
import shutil
import stat
from pathlib import Path

import pytest

from lite.cache import CacheDirectory, CacheKey, Entry, KeyPart
from lite.cache.entry import pack_entry
from tests.lite.cache.region_keys import made_up_key

BLOB = bytes(range(256)) * 5
KEY = made_up_key("npu", ops="relu", weights="w")
OTHER = made_up_key("npu", ops="tanh", weights="w")


@pytest.fixture
def problems() -> list[str]:
    return []


@pytest.fixture
def cache(tmp_path: Path, problems: list[str]) -> CacheDirectory:
    return CacheDirectory(tmp_path / "cache", on_problem=problems.append)


def stored(cache: CacheDirectory, key: CacheKey = KEY, blob: bytes = BLOB) -> Path:
    """The file of an entry that was just stored."""
    assert cache.store(key, blob, "region 0") is None
    return cache.path(key)


def test_the_directory_is_created_by_the_first_store(cache: CacheDirectory, problems: list[str]) -> None:
    assert cache.load(KEY) is None
    assert cache.entries() == []
    assert cache.explain(KEY) == "no entry yet"
    assert not cache.directory.exists()
    stored(cache)
    assert os.listdir(cache.directory) == [f"{KEY.digest}.model"]
    assert problems == []


@pytest.mark.parametrize("blob", [b"", BLOB])
def test_a_stored_blob_is_loaded_again(cache: CacheDirectory, blob: bytes) -> None:
    stored(cache, blob=blob)
    assert cache.load(KEY) == blob
    assert CacheDirectory(cache.directory).load(KEY) == blob
    assert cache.load(OTHER) is None


def test_a_second_store_replaces_the_entry(cache: CacheDirectory) -> None:
    stored(cache)
    stored(cache, blob=b"new")
    assert cache.load(KEY) == b"new"


DAMAGES = [
    ("empty", "it ends after 0 bytes"),
    ("zeros", "it does not start like a file of the cache"),
    ("truncated", "bytes, expected"),
    ("longer", "bytes, expected"),
    ("head", "the header's digest is wrong"),
    ("blob", "the blob's checksum is wrong"),
    ("other", "it holds the entry of another key"),
    ("keyless", "the header has no key"),
    ("directory", "it is not a regular file"),
    ("fifo", "it is not a regular file"),
]


def without_key(content: bytes) -> bytes:
    """The file of an entry with a header that has no field "key"."""
    size = 24 + int.from_bytes(content[12:16], "little")
    head = content[:size].replace(b'"key"', b'"yek"')
    return head + hashlib.blake2b(head, digest_size=32).digest() + content[size + 32 :]


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
                "other": b"".join(pack_entry(OTHER, BLOB, "", 0)),
                "keyless": without_key(content),
            }[how]
        )


@pytest.mark.parametrize(("how", "problem"), DAMAGES)
def test_a_damaged_entry_is_a_miss_reported_once_and_replaced(
    cache: CacheDirectory, problems: list[str], how: str, problem: str
) -> None:
    path = stored(cache)
    damage(path, how)
    assert cache.load(KEY) is None
    assert cache.load(KEY) is None
    assert len(problems) == 1
    assert problems[0].startswith(f"the cached model {path} cannot be used and is built again: ")
    assert problem in problems[0]
    assert cache.explain(KEY).startswith("the entry is damaged: ")
    stored(cache)
    assert cache.load(KEY) == BLOB
    assert cache.explain(KEY) == "hit"
    assert len(problems) == 1


def test_every_flipped_byte_is_a_miss(cache: CacheDirectory) -> None:
    path = stored(cache, blob=b"model")
    content = path.read_bytes()
    for position in range(len(content)):
        path.write_bytes(content[:position] + bytes([content[position] ^ 0x10]) + content[position + 1 :])
        assert cache.load(KEY) is None
    path.write_bytes(content)
    assert cache.load(KEY) == b"model"


def test_a_directory_with_files_in_place_of_the_entry_is_not_removed(
    cache: CacheDirectory, problems: list[str]
) -> None:
    cache.path(KEY).mkdir(parents=True)
    (cache.path(KEY) / "precious").write_text("")
    assert cache.load(KEY) is None
    assert cache.store(KEY, BLOB, "") == f"{cache.directory}: Directory not empty"
    assert (cache.path(KEY) / "precious").exists()


def test_a_damaged_entry_is_one_warning_in_the_log(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    cache = CacheDirectory(tmp_path)
    damage(stored(cache), "truncated")
    with caplog.at_level(logging.WARNING):
        cache.load(KEY)
        cache.load(KEY)
    assert [(record.name.partition(".")[0], record.levelname) for record in caplog.records] == [
        ("lite", "WARNING")
    ]


def test_a_file_in_place_of_the_directory_is_reported_by_store(tmp_path: Path, problems: list[str]) -> None:
    (tmp_path / "file").write_text("")
    cache = CacheDirectory(tmp_path / "file", on_problem=problems.append)
    assert cache.load(KEY) is None
    assert cache.store(KEY, BLOB, "") == f"{tmp_path / 'file'}: Not a directory"
    assert cache.entries() == []
    assert cache.explain(KEY) == "no entry yet"
    assert problems == []


def test_a_full_disk_leaves_no_file(cache: CacheDirectory, monkeypatch: pytest.MonkeyPatch) -> None:
    stored(cache, OTHER)

    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    assert cache.store(KEY, BLOB, "") == f"{cache.directory}: No space left on device"
    assert os.listdir(cache.directory) == [f"{OTHER.digest}.model"]
    assert cache.load(OTHER) == BLOB


def test_files_and_directory_respect_the_umask(tmp_path: Path) -> None:
    before = os.umask(0o077)
    try:
        path = stored(CacheDirectory(tmp_path / "cache"))
    finally:
        os.umask(before)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_the_first_store_removes_stale_temporary_files(cache: CacheDirectory) -> None:
    cache.directory.mkdir()
    old = cache.directory / ".x.tmp"
    old.write_text("")
    os.utime(old, (1, 1))
    stored(cache)
    assert not old.exists()


def test_explain_names_the_parts_in_which_the_nearest_key_differs(cache: CacheDirectory) -> None:
    stored(cache, made_up_key("gpu", ops="relu", weights="w"))
    assert cache.explain(KEY) == "nearest entry differs in: device (npu, there gpu)"
    stored(cache, made_up_key("npu", ops="tanh", weights="v"))
    assert cache.explain(KEY) == "nearest entry differs in: ops (relu, there tanh), weights (w, there v)"
    stored(cache, OTHER)
    assert cache.explain(KEY) == "nearest entry differs in: ops (relu, there tanh)"
    stored(cache)
    assert cache.explain(KEY) == "hit"


def test_explain_shows_equal_texts_once_and_missing_parts_as_none(cache: CacheDirectory) -> None:
    def key(digest: str, *more: KeyPart) -> CacheKey:
        return CacheKey.of([KeyPart("weights", digest, "3 arrays"), KeyPart("source", digest), *more])

    stored(cache, key("00", KeyPart("chip", "7", "rev A")))
    assert cache.explain(key("01")) == (
        "nearest entry differs in: weights (3 arrays), source, chip (none, there rev A)"
    )


def test_explain_ignores_damaged_entries(cache: CacheDirectory) -> None:
    damage(stored(cache, OTHER), "head")
    assert cache.explain(KEY) == "no entry yet"


def set_last_used(cache: CacheDirectory, key: CacheKey, seconds: int) -> None:
    os.utime(cache.path(key), (seconds, seconds))


def test_entries_are_listed_with_their_headers_last_used_first(cache: CacheDirectory) -> None:
    for seconds, key in ((1000, OTHER), (2000, KEY)):
        stored(cache, key)
        set_last_used(cache, key, seconds)
    (cache.directory / "notes.txt").write_text("a foreign file")
    entries = cache.entries()
    assert [(entry.key, entry.description, entry.last_used, entry.problem) for entry in entries] == [
        (KEY, "region 0", 2000.0, None),
        (OTHER, "region 0", 1000.0, None),
    ]
    assert [entry.size for entry in entries] == [entry.path.stat().st_size for entry in entries]
    assert entries[0].key is not None
    assert [(part.name, part.text) for part in entries[0].key.parts] == [
        ("device", "npu"),
        ("ops", "relu"),
        ("weights", "w"),
    ]
    assert abs(entries[0].created - cache.directory.stat().st_mtime) < 600


@pytest.mark.parametrize(("how", "problem"), DAMAGES)
def test_entries_report_damage_to_blobs_only_if_they_are_checked(
    cache: CacheDirectory, how: str, problem: str
) -> None:
    path = stored(cache)
    damage(path, how)
    (entry,) = cache.entries(check=True)
    assert problem in (entry.problem or "")
    assert (entry.path, entry.size) == (path, path.stat().st_size)
    (unchecked,) = cache.entries()
    assert (unchecked.problem is None) == (how == "blob")


def test_a_load_counts_as_use_and_explain_does_not(cache: CacheDirectory) -> None:
    stored(cache)
    set_last_used(cache, KEY, 1000)
    cache.explain(KEY)
    assert cache.entries()[0].last_used == 1000.0
    cache.load(KEY)
    assert cache.entries()[0].last_used > 1000.0


def test_the_least_recently_used_entries_are_evicted(cache: CacheDirectory) -> None:
    keys = [made_up_key("npu", ops=op) for op in ("a", "b", "c", "d")]
    for number, key in enumerate(keys[:3]):
        stored(cache, key)
        set_last_used(cache, key, 1000 + number)
    assert cache.load(keys[0]) == BLOB
    cache.limit = sum(entry.size for entry in cache.entries())
    stored(cache, keys[3])
    assert {entry.key for entry in cache.entries()} == {keys[0], keys[2], keys[3]}
    set_last_used(cache, keys[3], 1001)
    stored(cache, keys[1], BLOB + BLOB)
    assert {entry.key for entry in cache.entries()} == {keys[0], keys[1]}


def test_an_entry_larger_than_the_limit_is_not_stored(tmp_path: Path) -> None:
    cache = CacheDirectory(tmp_path / "cache", limit=100)
    problem = cache.store(KEY, BLOB, "")
    assert problem is not None
    assert problem.endswith("bytes, the limit of the cache is 100")
    assert not cache.directory.exists()


def test_without_a_limit_no_entry_is_evicted(cache: CacheDirectory) -> None:
    for number in range(10):
        stored(cache, made_up_key("npu", ops=str(number)))
    assert len(cache.entries()) == 10


def test_clear_removes_the_files_of_the_cache_and_no_other(cache: CacheDirectory) -> None:
    stored(cache)
    damage(stored(cache, OTHER), "empty")
    for name in (".a.tmp", "weights.json", "notes.txt", "my.tmp"):
        (cache.directory / name).write_text("")
    assert cache.clear() == 2
    assert sorted(os.listdir(cache.directory)) == ["my.tmp", "notes.txt"]
    assert cache.load(KEY) is None
    shutil.rmtree(cache.directory)
    assert cache.clear() == 0


def test_an_entry_whose_file_was_removed_is_not_listed(cache: CacheDirectory) -> None:
    stored(cache)
    (cache.directory / "0.model").symlink_to(cache.directory / "removed")
    assert [entry.key for entry in cache.entries()] == [KEY]
    assert isinstance(cache.entries()[0], Entry)
