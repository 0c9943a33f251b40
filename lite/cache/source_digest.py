"""The digest of folders of sources, remembered so that they are read once after each change."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from lite.cache.atomic_file import write_atomically
from lite.cache.field_digest import digest_of
from lite.cache.weight_hashes import SETTLED_NS

SOURCE_FILE = "sources.json"
"""The file in the cache's directory that remembers the digests."""


def source_digest(
    folders: Sequence[Path],
    directory: Path | None = None,
    *,
    without: Sequence[str] = (),
    verify: bool = False,
) -> tuple[str, int]:
    """The digest of all files below these folders and how many they are.

    What Python compiled is left out, and the folders `without`, directly below.  Names, sizes, times and
    inodes tell whether something changed since the digest was put down in `directory`; with `verify`
    everything is read again.  Raises `OSError` for what cannot be read.
    """
    found = [(folder, sorted(_files(folder, without))) for folder in folders]
    stamps = digest_of(
        text for folder, files in found for text in (str(folder), *(_stamp_text(*file) for file in files))
    )
    count = sum(len(files) for _, files in found)
    memory = None if directory is None else directory / SOURCE_FILE
    known = {} if memory is None else _read(memory)
    name = digest_of([*map(str, folders), *without])
    if not verify and known.get(name, ("", ""))[0] == stamps:
        return known[name][1], count
    digest = digest_of(
        field
        for folder, files in found
        for path, _ in files
        for field in (path, Path(folder, path).read_bytes())
    )
    newest = max((max(s.st_mtime_ns, s.st_ctime_ns) for _, files in found for _, s in files), default=0)
    if memory is not None and newest < time.time_ns() - SETTLED_NS:
        # Whatever is wrong with the directory, the digest is right.
        with contextlib.suppress(OSError):
            memory.parent.mkdir(parents=True, exist_ok=True)
            _write(memory, {**known, name: (stamps, digest)})
    return digest, count


def _files(folder: Path, without: Sequence[str]) -> Iterator[tuple[str, os.stat_result]]:
    pending = [("", str(folder))]
    while pending:
        above, place = pending.pop()
        with os.scandir(place) as entries:
            for entry in entries:
                if entry.is_dir():
                    if entry.name != "__pycache__" and (above or entry.name not in without):
                        pending.append((f"{above}{entry.name}/", entry.path))
                elif entry.is_file():
                    yield above + entry.name, entry.stat()


def _stamp_text(path: str, found: os.stat_result) -> str:
    return f"{path} {found.st_size} {found.st_mtime_ns} {found.st_ctime_ns} {found.st_ino}"


Known = dict[str, tuple[str, str]]
"""By the folders: the digest of their files' stamps, and that of what is in them."""


def _read(path: Path) -> Known:
    """What the file remembers; nothing where it is missing or damaged."""
    try:
        checksum, _, content = path.read_bytes().partition(b"\n")
        if checksum.decode("ascii", "replace") != _checksum(content):
            return {}
        return {name: (stamps, digest) for name, (stamps, digest) in json.loads(content).items()}
    except (OSError, ValueError, TypeError, AttributeError):
        return {}


def _write(path: Path, known: Known) -> None:
    content = json.dumps(known).encode()
    write_atomically(path, [_checksum(content).encode(), b"\n", content])


def _checksum(content: bytes) -> str:
    return hashlib.blake2b(content, digest_size=16).hexdigest()
