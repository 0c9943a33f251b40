"""The files of a run: where each result belongs, and how arrays are read and written."""

from __future__ import annotations

import glob
import io
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from lite.atomic_file import write_atomically
from lite.dataclass import dataclass
from lite.errors import ConfigError, InputError
from lite.ir.types import Array

_DAMAGE = (OSError, ValueError, EOFError, KeyError, zipfile.BadZipFile)
"""What numpy raises for files that are missing, damaged or need pickle."""


@dataclass(frozen=True)
class Item:
    """An input file; `name` is the path of its result below the output folder."""

    source: Path
    name: str


def find_items(patterns: Sequence[str]) -> list[Item]:
    """The files that patterns such as ``in/*.npz`` and ``in/**/*.npy`` match, sorted by path.

    The result of a file has its path below the part of the pattern without wildcards, and ends in .npz.
    Raises `ConfigError` for a pattern without files, and if two files have the same result.
    """
    items: dict[str, Item] = {}
    for pattern in patterns:
        root = _fixed_part(pattern)
        paths = [Path(text) for text in sorted(glob.glob(pattern, recursive=True))]
        files = [path for path in paths if path.is_file()]
        if not files:
            raise ConfigError(f"{pattern}: no file matches")
        for path in files:
            item = Item(path, path.relative_to(root).with_suffix(".npz").as_posix())
            other = items.setdefault(item.name, item)
            if other.source != path:
                raise ConfigError(f"{other.source} and {path} have the same result, {item.name}")
    return list(items.values())


def read_inputs(item: Item, names: Sequence[str]) -> dict[str, Array]:
    """The arrays of a file by input name; an .npy file is the input of a model with one.

    Raises `InputError` for a file that cannot be read; arrays of Python objects are not.
    """
    try:
        # numpy would leave a damaged file open.
        with item.source.open("rb") as file:
            loaded = np.load(file, allow_pickle=False)
            if not isinstance(loaded, np.ndarray):
                return {name: loaded[name] for name in loaded.files}
    except _DAMAGE as error:
        raise InputError(f"{item.source}: cannot be read: {error}") from error
    if len(names) != 1:
        raise InputError(f"{item.source}: an .npy file is one array; the model takes {', '.join(names)}")
    return {names[0]: loaded}


def write_result(folder: Path, item: Item, outputs: Mapping[str, Array]) -> None:
    """Write a result completely or not at all; raises `OSError`."""
    buffer = io.BytesIO()
    np.savez(buffer, **outputs)  # type: ignore[arg-type]  # the names are not those of savez's arguments
    path = folder / item.name
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(path, [buffer.getbuffer()])


def _fixed_part(pattern: str) -> Path:
    path = Path(pattern)
    if not glob.has_magic(pattern):
        return path.parent
    parts = []
    for part in path.parts:
        if glob.has_magic(part):
            break
        parts.append(part)
    return Path(*parts)
