"""The folder of the worker environments."""

from __future__ import annotations

import os
from pathlib import Path

from lite.trusted_folder import uses_environment


def environments_folder() -> Path:
    """``litebridge/environments`` in ``$XDG_DATA_HOME``, or in ``~/.local/share``.

    A program with the rights of another user does not read the variable.  Raises `OSError` for a user without
    a home directory.
    """
    data = os.environ.get("XDG_DATA_HOME", "") if uses_environment() else ""
    if os.path.isabs(data):
        return Path(data, "litebridge", "environments")
    try:
        home = Path.home()
    except RuntimeError as error:
        raise OSError(f"there is no home directory; set XDG_DATA_HOME ({error})") from error
    return home / ".local" / "share" / "litebridge" / "environments"


def environment_folder(name: str) -> Path:
    """The folder of a device's environment; raises `OSError`."""
    return environments_folder() / name
