"""Outputs in files come back as they were."""

from __future__ import annotations

from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

from lite.ir.types import Array
from lite.tools.result_files import write_results

PLAIN: dict[str, Array] = {
    "save_infer_model/scale_0": np.arange(6, dtype=np.float32).reshape(2, 3),
    "..": np.array(True),
    "empty": np.zeros((0, 2), np.int8),
    "file": np.array([1j]),
}


def test_a_directory(tmp_path: Path) -> None:
    paths = write_results(PLAIN, tmp_path / "a" / "b")
    names = ["save_infer_model%2Fscale_0.npy", "...npy", "empty.npy", "file.npy"]
    assert paths == [tmp_path / "a" / "b" / name for name in names]
    for path, array in zip(paths, PLAIN.values(), strict=True):
        np.testing.assert_array_equal(np.load(path), array, strict=True)


def test_one_file(tmp_path: Path) -> None:
    path = tmp_path / "a" / "r.npz"
    assert write_results(PLAIN, path) == [path]
    with np.load(path) as stored:
        assert stored.files == list(PLAIN)
        for name, array in PLAIN.items():
            np.testing.assert_array_equal(stored[name], array, strict=True)


@pytest.mark.parametrize("dtype", [ml_dtypes.bfloat16, ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2])
def test_short_floats_become_float32(tmp_path: Path, dtype: type) -> None:
    (path,) = write_results({"y": np.array([0.5, -2], dtype)}, tmp_path)
    np.testing.assert_array_equal(np.load(path), np.array([0.5, -2], np.float32), strict=True)


def test_texts(tmp_path: Path) -> None:
    (path,) = write_results({"y": np.array(["a", "bcd"], object)}, tmp_path)
    assert np.load(path).tolist() == ["a", "bcd"]
