"""Detects model files that were overwritten in place while a predictor maps them."""

from __future__ import annotations

import os
from collections.abc import Iterable

from lite.errors import ExecutionError

_State = tuple[int, int, int, int]
"""Device, inode, size in bytes, and time of the last change in nanoseconds."""


class LoadedFiles:
    """The files of a model, and the cache entries that it was taken from, as they were when it was loaded.

    Weights are mapped: a file that is overwritten in place changes them, and one that is cut short ends the
    process when they are read.  A file that was replaced by another one or removed is no danger, as the
    mapping keeps the old one.  Processes that read an entry set its time, so its size counts alone.
    """

    def __init__(self, paths: Iterable[str] = (), entries: Iterable[str] = ()) -> None:
        self._states: dict[str, tuple[int, ...]]
        self._states = {path: state for path in paths if (state := _state(path)) is not None}
        self._states |= {path: state[:3] for path in entries if (state := _state(path)) is not None}

    def check(self) -> None:
        """Raise `ExecutionError` if a file was overwritten in place."""
        for path, before in self._states.items():
            now = _state(path)
            if now is not None and now[: len(before)] != before and now[:2] == before[:2]:
                raise ExecutionError(
                    f"{path} was overwritten after the model was loaded: {before[2]} bytes before, "
                    f"{now[2]} now; load the model again, and replace model files by renaming new ones"
                )


def loaded_files(mapping: str, paths: Iterable[str], entries: Iterable[str] = ()) -> LoadedFiles:
    """The files whose changes the first run looks for: with another `Config.mapping` they were copied."""
    return LoadedFiles(paths if mapping == "private" else (), entries)


def _state(path: str) -> _State | None:
    """The state of a regular file; None for anything else."""
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return None
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns
