"""The file in the cache's directory that remembers the hashes of weights from process to process."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import astuple
from pathlib import Path

from lite.cache.atomic_file import write_atomically
from lite.cache.mapped_files import Slice, Stamp

WEIGHT_FILE = "weights.json"

Known = dict[str, tuple[Stamp, dict[tuple[int, int], str]]]
"""By path: how the file was, and the digests of its bytes by offset and size."""


def read_known(path: Path) -> Known:
    """What a file remembers; nothing where it is missing or damaged."""
    try:
        checksum, _, content = path.read_bytes().partition(b"\n")
        if checksum.decode("ascii", "replace") != _checksum(content):
            return {}
        return {
            name: (Stamp(*stamp), {(offset, size): digest for offset, size, digest in digests})
            for name, (stamp, digests) in json.loads(content).items()
        }
    except (OSError, ValueError, TypeError, AttributeError):
        return {}


def write_known(path: Path, known: Known) -> None:
    """Add to what the file remembers, and drop what no file looks like any more; raises `OSError`."""
    merged = read_known(path)
    for name, (stamp, digests) in known.items():
        old_stamp, old = merged.get(name, (stamp, {}))
        merged[name] = (stamp, {**old, **digests} if old_stamp == stamp else digests)
    document = {
        name: [astuple(stamp), [[*place, digest] for place, digest in digests.items()]]
        for name, (stamp, digests) in merged.items()
        if Stamp.of(name) == stamp
    }
    content = json.dumps(document).encode()
    write_atomically(path, [_checksum(content).encode(), b"\n", content])


def digest_at(known: Known, place: Slice) -> str | None:
    """The digest of these bytes, if they are known and the file is as it was."""
    stamp, digests = known.get(place.path, (None, {}))
    return digests.get((place.offset, place.size)) if stamp == place.stamp else None


def enter(known: Known, found: Mapping[Slice, str]) -> None:
    """Remember digests; those of an older state of a file go."""
    for place, digest in found.items():
        stamp, digests = known.get(place.path, (place.stamp, {}))
        if stamp != place.stamp:
            digests = {}
        digests[place.offset, place.size] = digest
        known[place.path] = (place.stamp, digests)


def _checksum(content: bytes) -> str:
    return hashlib.blake2b(content, digest_size=16).hexdigest()
