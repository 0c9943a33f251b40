"""The folder for machine code, and how files get there."""

from __future__ import annotations

import functools
import os
import tempfile
from pathlib import Path

CACHE_VARIABLE = "LITEBRIDGE_KERNEL_CACHE"
"""Environment variable: the folder for machine code."""


@functools.cache
def cache_folder() -> Path:
    """Where machine code is kept: the named folder, beside the sources, or the user's cache."""
    named = os.environ.get(CACHE_VARIABLE)
    if named:
        return Path(named)
    beside = Path(__file__).parent.parent / "compiled" / "__pycache__"
    home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "litebridge" / "kernels"
    for folder in (beside, home):
        if _is_writable(folder):
            return folder
    return (
        Path(tempfile.gettempdir()) / f"litebridge-{os.getuid() if hasattr(os, 'getuid') else 0}" / "kernels"
    )


def _is_writable(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


def write_whole(path: Path, content: bytes) -> None:
    """Write a file so that no other process ever sees part of it; a folder that cannot be written is left."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=path.parent)
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        os.replace(name, path)
    except OSError:
        # The next process compiles again, no worse.
        return
