"""Pages of mapped weights leave the memory when they are released, and are read again."""

from __future__ import annotations

import ctypes
import mmap
from pathlib import Path

import numpy as np
import pytest

from lite.ir.types import Array
from lite.plugin.format import map_regular, release_pages
from tests.support.resident import resident_bytes

PAGE = mmap.PAGESIZE
PAGES = 64


@pytest.fixture
def content(tmp_path: Path) -> Path:
    path = tmp_path / "weights"
    path.write_bytes(bytes(range(256)) * (PAGES * PAGE // 256))
    path.chmod(0o644)
    return path


def views(whole: Array) -> dict[str, tuple[Array, int]]:
    """Arrays in a mapped file, and how many whole pages they have."""
    part = whole[PAGE // 2 : 9 * PAGE // 2]
    return {
        "all": (whole, PAGES),
        "unaligned": (whole[3 : 3 + 16 * PAGE].view(np.float32), 15),
        "transposed": (whole.reshape(PAGES, PAGE).T, PAGES),
        "in the middle of pages": (part, 3),
        "less than a page": (whole[10:20], 0),
        "with gaps": (whole[::2], 0),
        "empty": (whole[:0], 0),
    }


@pytest.mark.parametrize("name", views(np.zeros(PAGES * PAGE, np.uint8)))
def test_whole_pages_are_released(content: Path, name: str) -> None:
    whole = np.frombuffer(map_regular(content), np.uint8)
    expected = np.tile(np.arange(256, dtype=np.uint8), PAGES * PAGE // 256)
    np.testing.assert_array_equal(whole, expected)
    array, pages = views(whole)[name]
    assert resident_bytes(content) == PAGES * PAGE
    release_pages(array)
    assert resident_bytes(content) == (PAGES - pages) * PAGE
    np.testing.assert_array_equal(whole, expected)


def test_pages_that_the_process_has_locked_stay(content: Path) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    whole = np.frombuffer(map_regular(content), np.uint8)
    address = ctypes.c_void_p(whole.__array_interface__["data"][0])
    if libc.mlock(address, ctypes.c_size_t(PAGE)):
        pytest.skip("this process may not lock memory")
    try:
        release_pages(whole)
        assert resident_bytes(content) >= PAGE
    finally:
        libc.munlock(address, ctypes.c_size_t(PAGE))


def test_other_memory_stays_as_it_is() -> None:
    for array in (np.arange(1 << 16), np.frombuffer(bytes(1 << 16), np.uint8), np.zeros(())):
        before = array.copy()
        release_pages(array)
        np.testing.assert_array_equal(array, before)
