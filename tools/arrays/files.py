"""Reads and writes .npy and .npz files."""

from __future__ import annotations

import zipfile
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import quote

import numpy as np

from lite.errors import InputError
from lite.ir.types import Array


def read_arrays(path: Path) -> dict[str, Array]:
    """All arrays of an .npz file; raises `InputError` for another file."""
    loaded = _load(path)
    if isinstance(loaded, np.ndarray):
        raise InputError(f"{path}: expected an .npz file with named arrays, got a single array")
    return loaded


def read_array(path: Path, name: str) -> Array:
    """The array of an .npy file; of an .npz file, the array `name` or the only array.

    Raises `InputError` if there is no such array or the file cannot be read.
    """
    loaded = _load(path)
    if isinstance(loaded, np.ndarray):
        return loaded
    if name in loaded:
        return loaded[name]
    if len(loaded) == 1:
        return next(iter(loaded.values()))
    raise InputError(f"{path}: no array is called {name!r}; the file has {', '.join(loaded) or 'none'}")


def write_arrays(arrays: Mapping[str, Array], target: Path) -> list[Path]:
    """Write one .npz file, or a folder with an .npy file per array; return the paths of the files.

    In file names, %XX replaces a character of the array's name that file names cannot contain.  Dtypes
    that numpy's files lack (bfloat16, float8) are written as float32, strings as fixed-length Unicode.
    """
    stored = {name: _storable(array) for name, array in arrays.items()}
    if target.suffix == ".npz":
        target.parent.mkdir(parents=True, exist_ok=True)
        # np.savez passes names as keyword arguments, so that an array cannot be called "file".
        with zipfile.ZipFile(target, "w") as archive:
            for name, array in stored.items():
                with archive.open(f"{name}.npy", "w", force_zip64=True) as file:
                    np.lib.format.write_array(file, array, allow_pickle=False)
        return [target]
    target.mkdir(parents=True, exist_ok=True)
    paths = [target / f"{quote(name, safe=' ')}.npy" for name in stored]
    for path, array in zip(paths, stored.values(), strict=True):
        np.save(path, array, allow_pickle=False)
    return paths


def _load(path: Path) -> Array | dict[str, Array]:
    try:
        with path.open("rb") as file:
            loaded = np.load(file, allow_pickle=False)
            return loaded if isinstance(loaded, np.ndarray) else dict(loaded)
    except FileNotFoundError as error:
        raise InputError(f"{path}: no such file; check the path") from error
    except (OSError, ValueError, EOFError, zipfile.BadZipFile) as error:
        raise InputError(f"{path}: the file cannot be read: {error}") from error


def _storable(array: Array) -> Array:
    if array.dtype.kind == "O":
        return array.astype(str)
    return array.astype(np.float32) if array.dtype.kind == "V" or array.dtype.isbuiltin == 2 else array
