"""Arrays in .npy and .npz files."""

from __future__ import annotations

from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

from lite.errors import InputError
from lite.ir.types import Array
from lite.tools.arrays.files import read_array, read_arrays, write_arrays

PLAIN: dict[str, Array] = {
    "save_infer_model/scale_0": np.arange(6, dtype=np.float32).reshape(2, 3),
    "..": np.array(True),
    "empty": np.zeros((0, 2), np.int8),
    "file": np.array([1j]),
}


def test_a_directory_has_a_file_per_array(tmp_path: Path) -> None:
    paths = write_arrays(PLAIN, tmp_path / "a" / "b")
    names = ["save_infer_model%2Fscale_0.npy", "...npy", "empty.npy", "file.npy"]
    assert paths == [tmp_path / "a" / "b" / name for name in names]
    for path, array in zip(paths, PLAIN.values(), strict=True):
        np.testing.assert_array_equal(np.load(path), array, strict=True)


def test_an_npz_file_has_all_arrays(tmp_path: Path) -> None:
    path = tmp_path / "a" / "r.npz"
    assert write_arrays(PLAIN, path) == [path]
    with np.load(path) as stored:
        assert stored.files == list(PLAIN)
        for name, array in PLAIN.items():
            np.testing.assert_array_equal(stored[name], array, strict=True)


@pytest.mark.parametrize("dtype", [ml_dtypes.bfloat16, ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2])
def test_floats_that_numpy_lacks_are_written_as_float32(tmp_path: Path, dtype: type) -> None:
    (path,) = write_arrays({"y": np.array([0.5, -2], dtype)}, tmp_path)
    np.testing.assert_array_equal(np.load(path), np.array([0.5, -2], np.float32), strict=True)


def test_strings_are_written_with_fixed_length(tmp_path: Path) -> None:
    (path,) = write_arrays({"y": np.array(["a", "bcd"], object)}, tmp_path)
    assert np.load(path).tolist() == ["a", "bcd"]


def test_the_only_array_of_a_file_may_have_any_name(tmp_path: Path) -> None:
    np.savez(tmp_path / "one.npz", other=np.arange(3))
    np.testing.assert_array_equal(read_array(tmp_path / "one.npz", "x"), np.arange(3))


def test_an_array_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    np.savez(tmp_path / "two.npz", a=np.arange(3), b=np.arange(3))
    np.save(tmp_path / "one.npy", np.arange(3))
    np.save(tmp_path / "objects.npy", np.array([None]))
    (tmp_path / "bad.npz").write_bytes(b"PK\x03\x04 and no more")
    (tmp_path / "empty.npy").write_bytes(b"")
    with pytest.raises(InputError, match=r"two.npz: no array is called 'x'; the file has a, b$"):
        read_array(tmp_path / "two.npz", "x")
    with pytest.raises(InputError, match=r"one.npy: expected an .npz file with named arrays"):
        read_arrays(tmp_path / "one.npy")
    for name in ("missing.npy", "objects.npy", "bad.npz", "empty.npy"):
        with pytest.raises(
            InputError, match=rf"{name}: (the file cannot be read: |no such file; check the path)"
        ):
            read_array(tmp_path / name, "x")
