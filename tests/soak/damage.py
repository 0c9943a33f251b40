"""Damages kept files in every way that a disk, a crash or another program may."""

from __future__ import annotations

import os
import random
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path


def _flip(path: Path, choices: random.Random) -> None:
    content = bytearray(path.read_bytes())
    if content:
        content[choices.randrange(len(content))] ^= 1 << choices.randrange(8)
    path.write_bytes(content)


def _cut(path: Path, choices: random.Random) -> None:
    os.truncate(path, choices.randrange(path.stat().st_size + 1))


def _zero(path: Path, choices: random.Random) -> None:
    content = bytearray(path.read_bytes())
    start = choices.randrange(len(content) + 1)
    end = min(start + choices.choice((1, 64, 4096)), len(content))
    content[start:end] = bytes(end - start)
    path.write_bytes(content)


def _append(path: Path, choices: random.Random) -> None:
    with path.open("ab") as file:
        file.write(choices.randbytes(choices.choice((1, 64))))


def _replace_by_another(path: Path, choices: random.Random) -> None:
    others = [each for each in path.parent.iterdir() if each.is_file() and each != path]
    if others:
        shutil.copyfile(choices.choice(others), path)


def _replace(make: Callable[[Path], object]) -> Callable[[Path, random.Random], None]:
    def replace(path: Path, _: random.Random) -> None:
        path.unlink()
        make(path)

    return replace


WAYS: Mapping[str, Callable[[Path, random.Random], None]] = {
    "flip a bit": _flip,
    "cut short": _cut,
    "zero a part": _zero,
    "append": _append,
    "replace by another file": _replace_by_another,
    "remove": lambda path, _: path.unlink(),
    "replace by a pipe": _replace(os.mkfifo),
    "replace by a device": _replace(lambda path: path.symlink_to("/dev/zero")),
    "replace by a folder": _replace(lambda path: path.mkdir()),
    "open to all": lambda path, _: path.chmod(0o666),
}


def damage_one(folder: Path, choices: random.Random) -> str | None:
    """Damage a file at random; the way and its name, None where there is no file."""
    files = sorted(path for path in folder.rglob("*") if path.is_file() and not path.is_symlink())
    if not files:
        return None
    path, way = choices.choice(files), choices.choice(sorted(WAYS))
    try:
        WAYS[way](path, choices)
    except FileNotFoundError:
        # Another process replaced or removed it.
        return None
    return f"{way}: {path.relative_to(folder)}"
