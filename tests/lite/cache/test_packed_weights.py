"""Packed weights: stored where packing is slow, found by the next process, replaced if damaged."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from lite.cache import CacheDirectory, CacheKey, KeyPart
from lite.cache.entry import ALIGNMENT
from lite.cache.packed_weights import REWRITE_MIN_SECONDS, PackedWeights, is_worth_storing
from lite.ir.types import Array
from lite.plugin.kernel.pack_version import PACK_VERSIONS, pack_version

PLAN = CacheKey.of([KeyPart("kind", "1", "plan"), KeyPart("model", "2")])
OTHER = CacheKey.of([KeyPart("kind", "1", "plan"), KeyPart("model", "3")])
WEIGHT = np.arange(1000, dtype=np.float32).reshape(10, 100)
SLOW = 1.0


def weights(directory: Path, plan: CacheKey = PLAN, problems: list[str] | None = None) -> PackedWeights:
    """The packed weights as a new process opens them."""
    cache = CacheDirectory(directory, on_problem=None if problems is None else problems.append)
    return PackedWeights(cache, plan, ["host", "npu"], "a model")


def stored(directory: Path, name: str = "0 dense", array: Array = WEIGHT) -> PackedWeights:
    packed = weights(directory)
    packed.add(name, array, SLOW)
    packed.write()
    return packed


def test_a_stored_array_is_found_mapped_and_aligned(tmp_path: Path) -> None:
    stored(tmp_path)
    array = weights(tmp_path).find("0 dense")
    assert array is not None
    np.testing.assert_array_equal(array, WEIGHT)
    assert not array.flags.writeable
    assert not array.flags.owndata
    assert array.__array_interface__["data"][0] % ALIGNMENT == 0
    assert weights(tmp_path).find("1 dense") is None
    assert weights(tmp_path, OTHER).find("0 dense") is None


def test_the_names_of_a_block_start_with_its_path(tmp_path: Path) -> None:
    block = weights(tmp_path).main_block()
    assert block.sub_block(3, 1).sub_block(0, 0)._prefix == "3.1/0.0/"
    assert block._prefix == ""


@pytest.mark.parametrize(
    ("size", "seconds", "worth"),
    [(100, 1e-4, False), (100, 1e-3, True), (10**9, 0.5, False), (10**9, 5.0, True), (0, 0.0, False)],
)
def test_only_slow_packing_is_worth_storing(size: int, seconds: float, worth: bool) -> None:
    assert is_worth_storing(size, seconds) == worth


def test_weights_are_written_after_a_minimum_of_packing_time(tmp_path: Path) -> None:
    packed = weights(tmp_path / "cache")
    packed.add("0 quick", WEIGHT, 0.0)
    packed.add("1 short", WEIGHT, 5e-4)
    assert not packed.needs_write
    assert not (tmp_path / "cache").exists()
    packed.add("2 slow", WEIGHT, SLOW)
    assert packed.needs_write
    packed.write()
    assert not packed.needs_write
    later = weights(tmp_path / "cache")
    assert later.find("1 short") is not None
    assert later.find("0 quick") is None
    later.add("3 new", WEIGHT, REWRITE_MIN_SECONDS / 2)
    assert not later.needs_write
    later.add("4 new", WEIGHT, REWRITE_MIN_SECONDS / 2)
    assert later.needs_write


def test_writing_keeps_the_arrays_of_another_process(tmp_path: Path) -> None:
    first, second = weights(tmp_path), weights(tmp_path)
    for packed, name in ((first, "0 a"), (second, "0 b")):
        assert packed.find(name) is None
        packed.add(name, WEIGHT, SLOW)
    first.write()
    second.write()
    assert all(weights(tmp_path).find(name) is not None for name in ("0 a", "0 b"))


def test_the_pack_version_of_a_target_changes_the_key(tmp_path: Path) -> None:
    before = weights(tmp_path).key
    lanes = ["8 lanes"]
    pack_version("npu")(lambda: lanes[0])
    try:
        eight = weights(tmp_path).key
        lanes[0] = "16 lanes"
        sixteen = weights(tmp_path).key
    finally:
        PACK_VERSIONS.remove("npu")
    assert len({before.digest, eight.digest, sixteen.digest}) == 3
    assert weights(tmp_path).key == before


@pytest.mark.parametrize("how", ["cut", "flipped", "other"])
def test_a_damaged_entry_is_reported_once_and_replaced(tmp_path: Path, how: str) -> None:
    path = tmp_path / f"{stored(tmp_path).key.digest}.model"
    content = path.read_bytes()
    if how == "other":
        packed = weights(tmp_path)
        packed._cache.store(packed.key, b"no packed weights", "a model")
    else:
        path.write_bytes(content[:-9] if how == "cut" else content[:-9] + b"#" + content[-8:])
    problems: list[str] = []
    packed = weights(tmp_path, problems=problems)
    assert packed.find("0 dense") is None
    assert packed.find("0 dense") is None
    (problem,) = problems
    assert problem.startswith(f"the cached weight pack {path} cannot be used and is built again: ")
    stored(tmp_path)
    assert weights(tmp_path).find("0 dense") is not None


def test_a_directory_that_cannot_be_written_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a directory")
    packed = stored(tmp_path / "file")
    assert packed.find("0 dense") is WEIGHT
    assert not packed.needs_write
    assert os.listdir(tmp_path) == ["file"]
