"""Packed weights: kept where pack_version is slow, found in the next process, never wrong."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from lite.cache import CacheKey, DeviceCache, KeyPart
from lite.cache.container import ALIGNMENT
from lite.cache.packed_weights import WORTH_REWRITING, PackedWeights, is_worth_keeping
from lite.ir.types import Array
from lite.plugin.kernel.pack_version import PACK_VERSIONS, pack_version

PLAN = CacheKey.of([KeyPart("kind", "1", "plan"), KeyPart("model", "2")])
OTHER = CacheKey.of([KeyPart("kind", "1", "plan"), KeyPart("model", "3")])
WEIGHT = np.arange(1000, dtype=np.float32).reshape(10, 100)
SLOW = 1.0


def weights(directory: Path, plan: CacheKey = PLAN, problems: list[str] | None = None) -> PackedWeights:
    """As a new process has them."""
    cache = DeviceCache(directory, problem=None if problems is None else problems.append)
    return PackedWeights(cache, plan, ["host", "npu"], "a model")


def kept(directory: Path, name: str = "0 dense", array: Array = WEIGHT) -> PackedWeights:
    made = weights(directory)
    made.enter(name, array, SLOW)
    made.write()
    return made


def test_what_is_kept_is_found_mapped_and_aligned(tmp_path: Path) -> None:
    kept(tmp_path)
    found = weights(tmp_path).find("0 dense")
    assert found is not None
    np.testing.assert_array_equal(found, WEIGHT)
    assert not found.flags.writeable
    assert not found.flags.owndata
    assert found.__array_interface__["data"][0] % ALIGNMENT == 0
    assert weights(tmp_path).find("1 dense") is None
    assert weights(tmp_path, OTHER).find("0 dense") is None


def test_blocks_have_names_of_their_own(tmp_path: Path) -> None:
    block = weights(tmp_path).of_block()
    assert block.inside(3, 1).inside(0, 0)._within == "3.1/0.0/"
    assert block._within == ""


@pytest.mark.parametrize(
    ("size", "seconds", "worth"),
    [(100, 1e-4, False), (100, 1e-3, True), (10**9, 0.5, False), (10**9, 5.0, True), (0, 0.0, False)],
)
def test_only_slow_packing_is_worth_keeping(size: int, seconds: float, worth: bool) -> None:
    assert is_worth_keeping(size, seconds) == worth


def test_nothing_is_written_for_little(tmp_path: Path) -> None:
    made = weights(tmp_path / "cache")
    made.enter("0 quick", WEIGHT, 0.0)
    made.enter("1 short", WEIGHT, 5e-4)
    assert not made.is_unwritten
    assert not (tmp_path / "cache").exists()
    made.enter("2 slow", WEIGHT, SLOW)
    assert made.is_unwritten
    made.write()
    assert not made.is_unwritten
    again = weights(tmp_path / "cache")
    assert again.find("1 short") is not None
    assert again.find("0 quick") is None
    again.enter("3 new", WEIGHT, WORTH_REWRITING / 2)
    assert not again.is_unwritten
    again.enter("4 new", WEIGHT, WORTH_REWRITING / 2)
    assert again.is_unwritten


def test_what_another_process_added_stays(tmp_path: Path) -> None:
    first, second = weights(tmp_path), weights(tmp_path)
    for made, name in ((first, "0 a"), (second, "0 b")):
        assert made.find(name) is None
        made.enter(name, WEIGHT, SLOW)
    first.write()
    second.write()
    assert all(weights(tmp_path).find(name) is not None for name in ("0 a", "0 b"))


def test_a_target_says_what_its_packing_depends_on(tmp_path: Path) -> None:
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
def test_damage_is_said_once_and_replaced(tmp_path: Path, how: str) -> None:
    path = tmp_path / f"{kept(tmp_path).key.digest}.model"
    content = path.read_bytes()
    if how == "other":
        made = weights(tmp_path)
        made._cache.store(made.key, b"no packed weights", "a model")
    else:
        path.write_bytes(content[:-9] if how == "cut" else content[:-9] + b"#" + content[-8:])
    problems: list[str] = []
    made = weights(tmp_path, problems=problems)
    assert made.find("0 dense") is None
    assert made.find("0 dense") is None
    (problem,) = problems
    assert problem.startswith(f"the kept weight pack {path} cannot be used and is built anew: ")
    kept(tmp_path)
    assert weights(tmp_path).find("0 dense") is not None


def test_a_directory_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no directory")
    made = kept(tmp_path / "file")
    assert made.find("0 dense") is WEIGHT
    assert not made.is_unwritten
    assert os.listdir(tmp_path) == ["file"]
