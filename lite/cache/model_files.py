"""The files that a model lies in, as the cache knows a model: by their content."""

from __future__ import annotations

import functools
import mmap
import os
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from lite.cache import KeyPart, WeightHashes
from lite.cache.array_table import File
from lite.cache.mapped_files import MappedFiles, Stamp
from lite.ir.program import Program
from lite.ir.types import Array
from lite.plugin.format import ModelSource


@dataclass(frozen=True)
class ModelFiles:
    """The files of a model, mapped, and behind them the buffers that it is given as.

    `paths` are absolute, and links in them are not followed: they may lead elsewhere the next time.
    """

    paths: tuple[str, ...]
    contents: tuple[File, ...]

    @classmethod
    def open(cls, paths: Iterable[str], source: ModelSource) -> ModelFiles:
        """The content of these files and of what `source` gives as bytes; raises `OSError`."""
        given = tuple(dict.fromkeys(map(_absolute, paths)))
        buffers = (part for part in (source.model, source.params) if part is not None)
        return cls(given, (*map(_mapped, given), *buffers))

    def key_part(self, weights: WeightHashes) -> KeyPart:
        """What a key says of the model: all its bytes, and the names of the files."""
        digests = weights.digests([np.frombuffer(content, np.uint8) for content in self.contents])
        names = [os.path.basename(path) for path in self.paths]
        total = sum(map(len, self.contents))
        return KeyPart.of("model", [*names, *digests], f"{', '.join(names) or 'buffers'} of {total} bytes")

    def place(self, array: Array, mapped: MappedFiles) -> tuple[int, int] | None:
        """The number of the file that an array shows part of, and where there; None for no file."""
        found = mapped.find(array)
        if found is None or found.path not in self._real_paths:
            return None
        return self._real_paths.index(found.path), found.offset

    @functools.cached_property
    def _real_paths(self) -> list[str]:
        return [os.path.realpath(path) for path in self.paths]

    @property
    def changed_ns(self) -> int:
        """When one of the files was changed last."""
        stamps = map(Stamp.of, self.paths)
        return max((stamp.changed_ns for stamp in stamps if stamp is not None), default=0)


def read_files(program: Program, source: ModelSource) -> list[str] | None:
    """The paths of the files that a program was read from; None where its format does not say them all."""
    from_bytes = source.model is not None and source.params_path is None
    return program.files if program.files or from_bytes else None


def place_fields(source: ModelSource) -> list[str]:
    """What tells, together with the content of files, which files are read.

    That is where the model is and, unless all files are named, what else lies there.
    """
    if source.path is None:
        return ["bytes"]
    fields = [_absolute(source.path)]
    if source.params_path is not None:
        return [*fields, _absolute(source.params_path)]
    try:
        folder = source.path if source.path.is_dir() else source.path.parent
        return [*fields, *sorted(os.listdir(folder))]
    except OSError as error:
        return [*fields, f"unreadable: {error.errno}"]


def place_text(source: ModelSource) -> str:
    """Where a model is, in words; many models that are given as bytes may be in the same place."""
    if source.path is None:
        return str(source)
    params = () if source.params_path is None else (source.params_path,)
    return " with ".join(map(_absolute, (source.path, *params)))


def _absolute(path: str | os.PathLike[str]) -> str:
    # What `os.path.abspath` takes for the folder above may be another one where the way leads over a link.
    return os.path.join(os.getcwd(), path)


def _mapped(path: str) -> File:
    with open(path, "rb") as file:
        # Nothing cannot be mapped.
        if os.fstat(file.fileno()).st_size == 0:
            return b""
        return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
