"""Blobs of data and arrays: the arrays are read back as views of the blob and of files."""

from __future__ import annotations

import mmap
from collections.abc import Sequence
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

from lite.cache import array_blob
from lite.cache.array_blob import (
    IN_BLOB,
    ArrayWriter,
    NotCacheableError,
    pack_blob,
    read_arrays,
    unpack_blob,
)
from lite.cache.entry import ALIGNMENT, InvalidEntryError
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


def read_back(arrays: Sequence[Array], files: Sequence[bytes | mmap.mmap] = ()) -> list[Array]:
    """The arrays after packing and unpacking them."""
    writer = ArrayWriter(files)
    numbers, unpacked = unpack_blob(
        memoryview(pack_blob([writer.add(array) for array in arrays], writer)), files
    )
    return [unpacked[number] for number in numbers]


def test_arrays_are_read_back_read_only() -> None:
    for array, read in zip(ARRAYS, read_back(ARRAYS), strict=True):
        assert (read.dtype, read.shape) == (array.dtype, array.shape)
        np.testing.assert_array_equal(read, array)
        assert not read.flags.writeable


def test_the_order_of_axes_in_memory_is_preserved() -> None:
    transposed, fortran = read_back([BASE.transpose(2, 0, 1), np.asfortranarray(BASE)])
    assert transposed.strides == BASE.transpose(2, 0, 1).strides
    assert fortran.flags.f_contiguous


def test_the_same_memory_is_stored_once() -> None:
    writer = ArrayWriter()
    assert writer.add(BASE) == writer.add(BASE.view())
    assert writer.add(BASE.reshape(6, 4)) != writer.add(BASE)
    first = writer.size
    writer.add(BASE.copy())
    assert writer.size > first


def test_arrays_start_at_multiples_of_the_alignment() -> None:
    writer = ArrayWriter()
    for array in ARRAYS:
        writer.add(array)
    assert all(row[1] % ALIGNMENT == 0 for row in writer.table)


def test_an_array_that_lies_in_a_file_is_stored_as_a_reference(tmp_path: Path) -> None:
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
        for weight, read in zip(weights, read_back(weights, files), strict=True):
            np.testing.assert_array_equal(read, weight)
    changed = weights[1].copy()
    changed[-1, -1] += 1
    np.testing.assert_array_equal(read_back([changed], [mapped])[0], changed)


def test_an_array_whose_place_is_known_is_not_searched_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(array_blob, "MAX_SCANS", 0)
    weight = np.arange(5000, dtype=np.int32)
    file = b"12" + weight.tobytes()
    writer = ArrayWriter([file], lambda _: (0, 2))
    writer.add(weight)
    assert (writer.size, writer.table[0][:2]) == (0, [0, 2])
    assert ArrayWriter([file]).add(weight) == 0


def test_a_search_with_many_false_matches_ends() -> None:
    """A file of zeros matches the needle everywhere, but an array that ends in a one nowhere."""
    file = bytes(1 << 20)
    weight = np.zeros(1 << 16, np.float32)
    weight[-1] = 1
    writer = ArrayWriter([file])
    for _ in range(50):
        assert writer.table[writer.add(weight.copy())][0] == IN_BLOB


@pytest.mark.parametrize("array", [np.array(["a"], object), np.zeros(3, ">f4")])
def test_an_array_of_other_than_plain_bytes_is_refused(array: Array) -> None:
    with pytest.raises(NotCacheableError, match=r"an array of \S+ cannot be cached"):
        ArrayWriter().add(array)


@pytest.mark.parametrize(
    "row",
    [
        [IN_BLOB, 64, "float32", [4], []],
        [IN_BLOB, 0, "float33", [4], []],
        [3, 0, "float32", [1], []],
        [IN_BLOB, 0, "float32", [1], [0, 1]],
        [IN_BLOB, 0, "float32", None, []],
        [],
    ],
)
def test_an_invalid_row_of_the_table_is_refused(row: list[object]) -> None:
    with pytest.raises(InvalidEntryError, match="an array cannot be read from its place"):
        read_arrays([row], memoryview(bytes(64)))


def test_data_that_json_cannot_express_is_refused() -> None:
    with pytest.raises(NotCacheableError, match="the data cannot be written as JSON"):
        pack_blob(object(), ArrayWriter())


@pytest.mark.parametrize("blob", [b"", b"\2" + bytes(7) + b"{}", b"\5" + bytes(7) + b"hello"])
def test_a_blob_without_data_is_refused(blob: bytes) -> None:
    with pytest.raises(InvalidEntryError, match="it holds no JSON data"):
        unpack_blob(memoryview(blob))
