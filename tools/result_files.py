"""Writes the outputs of a run to files."""

from __future__ import annotations

import zipfile
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import quote

import numpy as np

from lite.ir.types import Array


def write_results(results: Mapping[str, Array], target: Path) -> list[Path]:
    """Write to one .npz file, or to a directory with an .npy file each; the files written.

    A character of a name that file names cannot have is written as %XX.  Types that numpy's files
    lack (bfloat16, float8) are written as float32, strings as text of fixed length.
    """
    arrays = {name: _storable(array) for name, array in results.items()}
    if target.suffix == ".npz":
        target.parent.mkdir(parents=True, exist_ok=True)
        # Not by np.savez, whose own parameters no array may be called after.
        with zipfile.ZipFile(target, "w") as archive:
            for name, array in arrays.items():
                with archive.open(f"{name}.npy", "w", force_zip64=True) as file:
                    np.lib.format.write_array(file, array, allow_pickle=False)
        return [target]
    target.mkdir(parents=True, exist_ok=True)
    paths = [target / f"{quote(name, safe=' ')}.npy" for name in arrays]
    for path, array in zip(paths, arrays.values(), strict=True):
        np.save(path, array, allow_pickle=False)
    return paths


def _storable(array: Array) -> Array:
    if array.dtype.kind == "O":
        return array.astype(str)
    return array.astype(np.float32) if array.dtype.kind == "V" or array.dtype.isbuiltin == 2 else array
