"""The folder of an exported model: its files from templates, written completely or not at all."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
from collections.abc import Mapping
from pathlib import Path

from lite.errors import ConfigError
from lite.extras import require

MARK = ".litebridge"
"""A file by which a later build recognises a folder of its own."""

_TEMPLATES = Path(__file__).parent / "templates"


def identifier(text: str) -> str:
    """A C identifier that resembles `text`."""
    name = re.sub(r"\W+", "_", text, flags=re.ASCII).strip("_").lower() or "model"
    return f"m_{name}" if name[0].isdigit() else name


def render(template: str, values: Mapping[str, object]) -> bytes:
    """A template of this package with values filled in."""
    require("jinja2", "cli", "writing a model as sources")
    import jinja2

    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_TEMPLATES),
        undefined=jinja2.StrictUndefined,
        keep_trailing_newline=True,
        autoescape=False,
    )
    return environment.get_template(template).render(values).encode()


def write_folder(folder: Path, files: Mapping[str, bytes]) -> None:
    """Write files to a new folder, or in place of an earlier build; readers see all of them or none.

    Raises `ConfigError` for a folder with other files, which stays as it is.
    """
    folder = folder.absolute()
    if folder.exists() and any(folder.iterdir()) and not (folder / MARK).is_file():
        raise ConfigError(f"{folder} has files that no build wrote; name an empty or a new folder")
    folder.parent.mkdir(parents=True, exist_ok=True)
    new = folder.with_name(f".{folder.name}.{os.urandom(4).hex()}.tmp")
    old = folder.with_name(f".{folder.name}.{os.urandom(4).hex()}.old")
    try:
        new.mkdir()
        for name, content in {**files, MARK: b"a build of litebridge\n"}.items():
            (new / name).parent.mkdir(parents=True, exist_ok=True)
            (new / name).write_bytes(content)
        if folder.exists():
            folder.rename(old)
        try:
            new.rename(folder)
        except OSError:
            with contextlib.suppress(OSError):
                old.rename(folder)
            raise
    finally:
        shutil.rmtree(new, ignore_errors=True)
        shutil.rmtree(old, ignore_errors=True)
