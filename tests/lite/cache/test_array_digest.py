"""Digests of the content of arrays."""

from __future__ import annotations

import hashlib
import tracemalloc

import ml_dtypes
import numpy as np
import pytest

from lite.cache.weight_hashes import array_digest, content_digest
from lite.ir.types import Array


@pytest.mark.parametrize(
    "dtype",
    [np.float32, np.float16, np.int64, np.uint8, np.bool_, np.complex128, ml_dtypes.bfloat16],
)
def test_the_content_digest_is_that_of_the_bytes_in_row_major_order(dtype: type[np.generic]) -> None:
    base = (np.arange(6 * 400 * 100) % 250).astype(dtype).reshape(6, 400, 100)
    arrays = [base, base.T, base[:, ::3], base[::-1], base[:0], base[:0].T, base[0, 0, 0].reshape(())]
    arrays += [base[1, 2], np.broadcast_to(base[0, 0], (3, 100)), np.asfortranarray(base)]
    for array in arrays:
        expected = hashlib.blake2b(array.tobytes(), digest_size=32).hexdigest()
        assert content_digest(array) == expected


def test_the_borders_and_types_of_strings_change_the_digest() -> None:
    def digest(*items: object) -> str:
        array = np.empty(len(items), object)
        array[:] = items
        return content_digest(array)

    digests = [digest("ab", "c"), digest("a", "bc"), digest("abc"), digest(b"abc"), digest("ab\udcff", "c")]
    assert len(set(digests)) == len(digests)
    assert digest("ab", "c") == digests[0]


def test_dtype_byte_order_and_shape_change_the_digest() -> None:
    zeros: list[Array] = [
        np.zeros(4, np.float32),
        np.zeros((2, 2), np.float32),
        np.zeros((1, 4), np.float32),
        np.zeros(4, np.int32),
        np.zeros(4, np.uint32),
        np.zeros(4, ">f4"),
        np.zeros((), np.float32),
        np.zeros((0, 3), np.float32),
        np.zeros((3, 0), np.float32),
    ]
    assert len({array_digest(array, content_digest(array)) for array in zeros}) == len(zeros)


@pytest.mark.parametrize("transposed", [False, True])
def test_hashing_a_large_array_takes_little_memory(transposed: bool) -> None:
    array = np.ones((4096, 2048), np.float32)
    tracemalloc.start()
    content_digest(array.T if transposed else array)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < array.nbytes / 16
