"""Files that a Config names, such as recipes and saved plans: regular files with text or JSON."""

from __future__ import annotations

import json
import os
from pathlib import Path

from lite.errors import ConfigError
from lite.plugin.format import open_regular

DAMAGE = (ValueError, LookupError, TypeError, AttributeError, RecursionError)
"""What it may raise to read a damaged document."""


def read_text(path: str | os.PathLike[str], what: str) -> str:
    """The text of a file; raises `ConfigError`, whose message begins with `what` and the path."""
    name = f"{what} {os.fspath(path)}"
    try:
        with open_regular(Path(path)) as file:
            return file.read().decode()
    except OSError as error:
        raise ConfigError(f"{name}: cannot be read: {error.strerror}; check the path") from error
    except UnicodeDecodeError as error:
        raise ConfigError(f"{name}: it is no text: {error}; write it again") from error


def read_json(path: str | os.PathLike[str], what: str) -> object:
    """The JSON document in a file; raises as `read_text`."""
    try:
        content: object = json.loads(read_text(path, what))
    except (ValueError, RecursionError) as error:
        raise ConfigError(
            f"{what} {os.fspath(path)}: it cannot be read as JSON: {error}; write it again"
        ) from error
    return content
