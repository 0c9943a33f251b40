"""Arrays in a table: they come back as they were, from where they lie."""

from __future__ import annotations

import mmap
from collections.abc import Sequence
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

from lite.cache import array_table
from lite.cache.array_table import OWN, ArrayWriter, NotKeptError, read_arrays
from lite.cache.container import ALIGNMENT
from lite.ir.types import Array

BASE = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
ARRAYS: list[Array] = [
    BASE,
    BASE.transpose(2, 0, 1),
    BASE[:, ::2],
    BASE[::-1],
    BASE[:0],
    np.asfortranarray(BASE),
    np.broadcast_to(BASE[0, 0], (5, 4)),
    np.array(7, np.int64),
    np.array([True, False]),
    np.arange(3).astype(ml_dtypes.bfloat16),
    np.array([1 + 2j, np.nan], np.complex64),
    np.arange(70, dtype=np.uint8),
]


def back(arrays: Sequence[Array], files: Sequence[bytes | mmap.mmap] = ()) -> list[Array]:
    writer = ArrayWriter(files)
    numbers = [writer.add(array) for array in arrays]
    found = read_arrays(writer.table, memoryview(bytes(writer.content())), files)
    return [found[number] for number in numbers]


def test_arrays_come_back() -> None:
    for array, found in zip(ARRAYS, back(ARRAYS), strict=True):
        assert (found.dtype, found.shape) == (array.dtype, array.shape)
        np.testing.assert_array_equal(found, array)
        assert not found.flags.writeable


def test_the_order_of_axes_in_memory_stays() -> None:
    turned, fortran = back([BASE.transpose(2, 0, 1), np.asfortranarray(BASE)])
    assert turned.strides == BASE.transpose(2, 0, 1).strides
    assert fortran.flags.f_contiguous


def test_the_same_memory_is_kept_once() -> None:
    writer = ArrayWriter()
    assert writer.add(BASE) == writer.add(BASE.view())
    assert writer.add(BASE.reshape(6, 4)) != writer.add(BASE)
    first = writer.size
    writer.add(BASE.copy())
    assert writer.size > first


def test_arrays_begin_at_multiples_of_the_alignment() -> None:
    writer = ArrayWriter()
    for array in ARRAYS:
        writer.add(array)
    assert all(row[1] % ALIGNMENT == 0 for row in writer.table)


def test_what_lies_in_a_file_is_not_kept_again(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    weights = [rng.standard_normal((40, size)).astype(np.float32) for size in (64, 30, 64)]
    noise = bytes(rng.bytes(1001))
    (tmp_path / "w").write_bytes(noise.join([b"", *(w.tobytes() for w in weights[::-1]), b""]))
    with (tmp_path / "w").open("rb") as file:
        mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    for files in ([mapped], [b"", bytes(mapped)]):
        writer = ArrayWriter(files)
        for weight in weights:
            writer.add(weight)
        assert writer.size == 0
        for weight, found in zip(weights, back(weights, files), strict=True):
            np.testing.assert_array_equal(found, weight)
    changed = weights[1].copy()
    changed[-1, -1] += 1
    np.testing.assert_array_equal(back([changed], [mapped])[0], changed)


def test_a_place_that_is_known_is_not_searched(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(array_table, "MOST_PASSES", 0)
    weight = np.arange(5000, dtype=np.int32)
    file = b"12" + weight.tobytes()
    writer = ArrayWriter([file], lambda _: (0, 2))
    writer.add(weight)
    assert (writer.size, writer.table[0][:2]) == (0, [0, 2])
    assert ArrayWriter([file]).add(weight) == 0


def test_searching_comes_to_an_end() -> None:
    """A file of zeros matches everywhere, an array of zeros with a one nowhere."""
    file = bytes(1 << 20)
    weight = np.zeros(1 << 16, np.float32)
    weight[-1] = 1
    writer = ArrayWriter([file])
    for _ in range(50):
        assert writer.table[writer.add(weight.copy())][0] == OWN


@pytest.mark.parametrize("array", [np.array(["a"], object), np.zeros(3, ">f4")])
def test_what_is_no_plain_bytes_is_refused(array: Array) -> None:
    with pytest.raises(NotKeptError, match="is not kept"):
        ArrayWriter().add(array)


@pytest.mark.parametrize(
    "row",
    [
        [OWN, 64, "float32", [4], []],
        [OWN, 0, "float33", [4], []],
        [3, 0, "float32", [1], []],
        [OWN, 0, "float32", [1], [0, 1]],
        [OWN, 0, "float32", None, []],
        [],
    ],
)
def test_a_table_that_says_something_else(row: list[object]) -> None:
    with pytest.raises(NotKeptError, match="an array is not where it was"):
        read_arrays([row], memoryview(bytes(64)))
