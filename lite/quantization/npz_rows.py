"""Reads the arrays of an .npz file row by row, without holding them in memory."""

from __future__ import annotations

import math
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO

import numpy as np

from lite.dataclass import dataclass
from lite.errors import InputError
from lite.ir.types import Array

PREFIX = "in:"
"""Recorded inputs have this before their names; arrays with ``out:`` are recorded results."""


@dataclass(frozen=True)
class StoredArray:
    """An array of an .npz file: the model's input it is for, its dtype and its shape."""

    path: Path
    member: str
    name: str
    dtype: np.dtype[np.generic]
    shape: tuple[int, ...]

    def rows(self, count: int) -> Iterator[Array]:
        """Slices of `count` rows of axis 0; the last one may be shorter."""
        size = math.prod(self.shape[1:])
        try:
            with zipfile.ZipFile(self.path) as archive, archive.open(self.member) as file:
                _read_header(file)
                for start in range(0, self.shape[0], count):
                    rows = min(count, self.shape[0] - start)
                    data = file.read(rows * size * self.dtype.itemsize)
                    yield np.frombuffer(data, self.dtype).reshape(rows, *self.shape[1:])
        except (OSError, ValueError, EOFError, zipfile.BadZipFile) as error:
            raise InputError(f"{self.path}: array {self.name!r} cannot be read: {error}") from error


def stored_arrays(path: Path) -> list[StoredArray]:
    """The arrays of an .npz file for inputs; raises `InputError` if it is no such file or has none."""
    try:
        with zipfile.ZipFile(path) as archive:
            arrays = [_stored(path, archive, member) for member in archive.namelist()]
    except (OSError, ValueError, EOFError, zipfile.BadZipFile) as error:
        raise InputError(f"{path}: the file cannot be read: {error}; expected an .npz file") from error
    inputs = [each for each in arrays if each.member.startswith(PREFIX)]
    return inputs or [each for each in arrays if not each.member.startswith("out:")]


def _stored(path: Path, archive: zipfile.ZipFile, member: str) -> StoredArray:
    name = member.removesuffix(".npy").removeprefix(PREFIX)
    with archive.open(member) as file:
        shape, is_fortran, dtype = _read_header(file)
    if dtype.hasobject:
        raise InputError(f"{path}: array {name!r} holds Python objects; store numbers")
    if is_fortran and len(shape) > 1:
        raise InputError(f"{path}: array {name!r} is in Fortran order; store np.ascontiguousarray(array)")
    return StoredArray(path, member, name, dtype, shape)


def _read_header(file: IO[bytes]) -> tuple[tuple[int, ...], bool, np.dtype[np.generic]]:
    if np.lib.format.read_magic(file) == (1, 0):
        return np.lib.format.read_array_header_1_0(file)
    return np.lib.format.read_array_header_2_0(file)
