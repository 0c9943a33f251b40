"""Where the separate file of a parameter lies."""

from __future__ import annotations

import os
from pathlib import Path, PurePosixPath, PureWindowsPath

from lite.errors import ModelParseError


def weight_path(directory: Path, name: str) -> Path:
    """The file of the variable `name`; slashes in names are sub-folders of `directory`.

    Raises `ModelParseError` for a name that would lead out of the directory, on any system.
    """
    posix, windows = PurePosixPath(name), PureWindowsPath(name)
    escapes = posix.is_absolute() or windows.root or ".." in posix.parts or ".." in windows.parts
    if escapes or (os.name == "nt" and windows.drive) or "\0" in name or not posix.parts:
        raise ModelParseError(
            f"{directory}: the variable name {name!r} is not a path inside the model's directory, so it "
            "cannot have a parameter file of its own; use one combined parameter file"
        )
    return directory / name
