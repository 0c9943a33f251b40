"""Hashes of weights: right after every change of files and arrays, and remembered where that is safe."""

from __future__ import annotations

import gc
import mmap
import os
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from lite.cache import WeightHashes, weight_hashes
from lite.cache.weight_hashes import WEIGHT_FILE
from lite.ir.types import Array

SIZE = 1 << 16
OLD_NS = 1_700_000_000_000_000_000

linux_only = pytest.mark.skipif(sys.platform != "linux", reason="only Linux lists the mappings of a process")


@pytest.fixture(autouse=True)
def _settled_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Remember new files, too: the change time of a file cannot be set back."""
    monkeypatch.setattr(weight_hashes, "SETTLED_NS", 0)


def write(path: Path, seed: int = 0) -> Array:
    """Write a file of random bytes, and return them."""
    content = np.random.default_rng(seed).integers(0, 256, SIZE, np.uint8)
    path.write_bytes(content.tobytes())
    return content


def mapped(path: Path, offset: int = 0, count: int = SIZE) -> Array:
    """Part of a file, mapped as the parsers of models map it."""
    with path.open("rb") as file:
        memory = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    return np.frombuffer(memory, np.uint8, count, offset)


def computed(array: Array) -> str:
    """The digest that is computed without any memory."""
    return WeightHashes().digest(np.array(array))


def test_a_mapped_file_and_its_copy_in_memory_have_the_same_digest(tmp_path: Path) -> None:
    content = write(tmp_path / "w")
    weights = WeightHashes()
    assert weights.digest(content) == weights.digest(mapped(tmp_path / "w")) == computed(content)
    content[7] += 1
    assert weights.digest(content) == computed(content) != weights.digest(mapped(tmp_path / "w"))


def test_digests_are_in_the_order_of_the_arrays(tmp_path: Path) -> None:
    write(tmp_path / "w")
    arrays = [
        np.arange(5),
        mapped(tmp_path / "w"),
        np.ones(SIZE),
        mapped(tmp_path / "w", 64, 20_000),
        np.arange(4),
    ]
    weights = WeightHashes()
    assert weights.digests(arrays) == [computed(array) for array in arrays]
    assert weights.digests(arrays) == [computed(array) for array in arrays]
    assert weights.digests([]) == []


@linux_only
def test_a_mapped_file_is_read_once(tmp_path: Path) -> None:
    write(tmp_path / "w")
    weights = WeightHashes()
    first = weights.digest(mapped(tmp_path / "w"))
    assert weights.bytes_read == SIZE
    assert weights.digest(mapped(tmp_path / "w")) == first
    assert weights.digest(mapped(tmp_path / "w").reshape(2, -1)) != first
    assert weights.bytes_read == SIZE
    assert weights.digest(mapped(tmp_path / "w", 0, SIZE - 1)) != first
    assert weights.digest(mapped(tmp_path / "w", 1, SIZE - 1)) != first
    assert weights.bytes_read == 3 * SIZE - 2


@linux_only
def test_a_file_mapped_by_numpy_is_read_once(tmp_path: Path) -> None:
    content = write(tmp_path / "w")
    weights = WeightHashes()
    for _ in range(2):
        assert weights.digest(np.memmap(tmp_path / "w", np.uint8, "r", 4096)) == computed(content[4096:])
    assert weights.bytes_read == SIZE - 4096


@linux_only
def test_the_digest_of_a_file_is_remembered_for_the_next_process(tmp_path: Path) -> None:
    content = write(tmp_path / "w")
    cache = tmp_path / "new" / "cache"
    assert WeightHashes(cache).digest(mapped(tmp_path / "w")) == computed(content)
    later = WeightHashes(cache)
    assert later.digest(mapped(tmp_path / "w")) == computed(content)
    assert later.bytes_read == 0


def test_verify_reads_every_time(tmp_path: Path) -> None:
    content = write(tmp_path / "w")
    array = mapped(tmp_path / "w")
    WeightHashes(tmp_path).digest(array)
    weights = WeightHashes(tmp_path, verify=True)
    assert [weights.digest(array), weights.digest(array)] == [computed(content)] * 2
    assert weights.bytes_read == 2 * SIZE


def test_a_file_written_in_place_is_read_again(tmp_path: Path) -> None:
    write(tmp_path / "w")
    weights = WeightHashes(tmp_path)
    array = mapped(tmp_path / "w")
    before = weights.digest(array)
    with (tmp_path / "w").open("r+b") as file:
        file.seek(100)
        file.write(b"changed")
    assert weights.digest(array) == computed(mapped(tmp_path / "w")) != before
    assert WeightHashes(tmp_path).digest(mapped(tmp_path / "w")) == computed(mapped(tmp_path / "w"))


def test_a_changed_file_with_its_old_time_is_read_again(tmp_path: Path) -> None:
    write(tmp_path / "w", seed=1)
    os.utime(tmp_path / "w", ns=(OLD_NS, OLD_NS))
    before = WeightHashes(tmp_path).digest(mapped(tmp_path / "w"))
    time.sleep(0.02)
    content = np.random.default_rng(2).integers(0, 256, SIZE, np.uint8)
    with (tmp_path / "w").open("r+b") as file:
        file.write(content.tobytes())
    os.utime(tmp_path / "w", ns=(OLD_NS, OLD_NS))
    assert WeightHashes(tmp_path).digest(mapped(tmp_path / "w")) == computed(content) != before


def test_the_old_content_of_a_replaced_file_is_not_remembered(tmp_path: Path) -> None:
    """A mapping of the old file still has the old digest; a new mapping has the new one."""
    old_content = write(tmp_path / "w", seed=1)
    old = mapped(tmp_path / "w")
    new_content = write(tmp_path / "w.new", seed=2)
    os.replace(tmp_path / "w.new", tmp_path / "w")
    weights = WeightHashes(tmp_path)
    assert weights.digest(old) == computed(old_content)
    assert weights.digest(mapped(tmp_path / "w")) == computed(new_content)
    assert weights.digest(old) == computed(old_content)
    assert WeightHashes(tmp_path).digest(mapped(tmp_path / "w")) == computed(new_content)


def test_the_mapping_of_a_removed_file_is_hashed(tmp_path: Path) -> None:
    content = write(tmp_path / "w")
    array = mapped(tmp_path / "w")
    (tmp_path / "w").unlink()
    weights = WeightHashes(tmp_path)
    assert [weights.digest(array), weights.digest(array)] == [computed(content)] * 2


def test_a_file_that_was_just_written_is_not_remembered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another write in the same tick of the file system's clock would not change the file's stamp."""
    monkeypatch.setattr(weight_hashes, "SETTLED_NS", 3600 * 10**9)
    write(tmp_path / "w")
    weights = WeightHashes(tmp_path)
    for _ in range(2):
        weights.digest(mapped(tmp_path / "w"))
    assert weights.bytes_read == 2 * SIZE
    assert not (tmp_path / WEIGHT_FILE).exists()


@linux_only
def test_a_private_writable_mapping_is_read_every_time(tmp_path: Path) -> None:
    write(tmp_path / "w")
    weights = WeightHashes(tmp_path)
    private = np.memmap(tmp_path / "w", np.uint8, "c")
    before = weights.digest(private)
    private[5] += 1
    assert weights.digest(private) == computed(private) != before
    assert weights.digest(mapped(tmp_path / "w")) == before


def test_an_array_of_immutable_memory_is_read_once() -> None:
    array = np.frombuffer(bytes(SIZE), np.uint8)
    weights = WeightHashes()
    assert weights.digest(array) == weights.digest(array) == computed(array)
    assert weights.bytes_read == SIZE


def test_a_read_only_view_of_writable_memory_is_read_every_time() -> None:
    base = np.zeros(SIZE, np.uint8)
    view = base.view()
    view.flags.writeable = False
    weights = WeightHashes()
    before = weights.digest(view)
    base[3] = 1
    assert weights.digest(view) == computed(view) != before
    raw = bytearray(SIZE)
    window = np.frombuffer(raw, np.uint8)
    window.flags.writeable = False
    before = weights.digest(window)
    raw[3] = 1
    assert weights.digest(window) == computed(window) != before


def test_digests_of_collected_arrays_are_dropped() -> None:
    weights = WeightHashes()
    for seed in range(20):
        array = np.frombuffer(np.random.default_rng(seed).bytes(SIZE), np.uint8)
        assert weights.digest(array) == computed(array)
        del array
    gc.collect()
    assert weights._living == {}


@linux_only
@pytest.mark.parametrize("damage", [b"", b"\0" * 50, b"nonsense", b"[]\n[]", None])
def test_a_damaged_memory_is_ignored_and_replaced(tmp_path: Path, damage: bytes | None) -> None:
    content = write(tmp_path / "w")
    memory = tmp_path / WEIGHT_FILE
    WeightHashes(tmp_path).digest(mapped(tmp_path / "w"))
    good = memory.read_bytes()
    memory.write_bytes(good[:-30] + b"0" * 30 if damage is None else damage)
    weights = WeightHashes(tmp_path)
    assert weights.digest(mapped(tmp_path / "w")) == computed(content)
    assert weights.bytes_read == SIZE
    assert memory.read_bytes() == good


@linux_only
def test_every_flipped_byte_of_the_memory_is_found(tmp_path: Path) -> None:
    write(tmp_path / "w")
    WeightHashes(tmp_path).digest(mapped(tmp_path / "w"))
    memory = tmp_path / WEIGHT_FILE
    good = memory.read_bytes()
    for position in range(0, len(good), 5):
        memory.write_bytes(good[:position] + bytes([good[position] ^ 1]) + good[position + 1 :])
        weights = WeightHashes(tmp_path)
        weights.digest(mapped(tmp_path / "w"))
        assert weights.bytes_read == SIZE


@linux_only
def test_the_memory_keeps_entries_of_other_processes_and_drops_removed_files(tmp_path: Path) -> None:
    for number in range(3):
        write(tmp_path / f"w{number}", number)
    cache = tmp_path / "cache"
    first, second = WeightHashes(cache), WeightHashes(cache)
    first.digest(mapped(tmp_path / "w0"))
    second.digest(mapped(tmp_path / "w1"))
    (tmp_path / "w0").unlink()
    second.digest(mapped(tmp_path / "w2"))
    later = WeightHashes(cache)
    later.digests([mapped(tmp_path / "w1"), mapped(tmp_path / "w2")])
    assert later.bytes_read == 0
    assert b'/w0"' not in (cache / WEIGHT_FILE).read_bytes()


def test_a_memory_that_cannot_be_written_does_not_change_the_digest(tmp_path: Path) -> None:
    content = write(tmp_path / "w")
    (tmp_path / "file").write_text("not a directory")
    weights = WeightHashes(tmp_path / "file")
    for _ in range(2):
        assert weights.digest(mapped(tmp_path / "w")) == computed(content)


def test_threads_get_the_same_digests(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(weight_hashes, "THREADS_MIN_BYTES", SIZE)
    write(tmp_path / "w")
    arrays = [mapped(tmp_path / "w", 0, SIZE - number) for number in range(8)]
    expected = [computed(array) for array in arrays]
    weights = WeightHashes(tmp_path)
    results: list[list[str]] = []
    threads = [threading.Thread(target=lambda: results.append(weights.digests(arrays))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [expected] * 4
