"""The files of a model: their content for the plan's key, and where weights lie in them."""

from __future__ import annotations

import functools
import os
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from lite.cache.key import KeyPart
from lite.cache.mapped_files import MappedFiles, Stamp
from lite.cache.weight_hashes import WeightHashes
from lite.dataclass import dataclass
from lite.ir.program import Program
from lite.ir.types import Array
from lite.plugin.format import FileContent, ModelSource, map_regular


@dataclass(frozen=True)
class ModelFiles:
    """The content of a model: its mapped files, followed by the buffers that the Config passes.

    `paths` are absolute.  Symbolic links in them are not resolved: they may have another target later.
    """

    paths: tuple[str, ...]
    contents: tuple[FileContent, ...]

    @classmethod
    def open(cls, paths: Iterable[str], source: ModelSource) -> ModelFiles:
        """Map these files, and add the buffers of `source`; raises `OSError`."""
        absolute = tuple(dict.fromkeys(map(_absolute, paths)))
        buffers = (part for part in (source.model, source.params) if part is not None)
        return cls(absolute, (*(map_regular(Path(path)) for path in absolute), *buffers))

    def key_part(self, weights: WeightHashes) -> KeyPart:
        """The part of a key that depends on the model: the names of the files and all their bytes."""
        digests = weights.digests([np.frombuffer(content, np.uint8) for content in self.contents])
        names = [os.path.basename(path) for path in self.paths]
        total = sum(map(len, self.contents))
        return KeyPart.of("model", [*names, *digests], f"{', '.join(names) or 'buffers'} of {total} bytes")

    def find(self, array: Array, mapped: MappedFiles) -> tuple[int, int] | None:
        """The number of the file that an array shows part of, and the offset there; None for no file."""
        place = mapped.find(array)
        if place is None or place.path not in self._real_paths:
            return None
        return self._real_paths.index(place.path), place.offset

    @functools.cached_property
    def _real_paths(self) -> list[str]:
        return [os.path.realpath(path) for path in self.paths]

    @property
    def changed_ns(self) -> int:
        """When one of the files was last changed, in nanoseconds since 1970."""
        stamps = map(Stamp.of, self.paths)
        return max((stamp.changed_ns for stamp in stamps if stamp is not None), default=0)


def paths_read(program: Program, source: ModelSource) -> list[str] | None:
    """The files that a program was read from; None where its format does not list all of them."""
    is_from_bytes = source.model is not None and source.params_path is None
    return program.files if program.files or is_from_bytes else None


def location_fields(source: ModelSource) -> list[str]:
    """Fields of a key that decide, together with the content of files, which files a parser reads.

    They are the model's path and, unless the Config names every file, the names of all files beside it.
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


def location_text(source: ModelSource) -> str:
    """The location of a model, for people; all models passed as bytes have the same one."""
    if source.path is None:
        return str(source)
    params = () if source.params_path is None else (source.params_path,)
    return " with ".join(map(_absolute, (source.path, *params)))


def _absolute(path: str | os.PathLike[str]) -> str:
    # os.path.abspath would resolve ".." without regard to symbolic links, and name another folder.
    return os.path.join(os.getcwd(), path)
