"""Small JSON files with a checksum: what the cache remembers between processes."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from lite.trusted_folder import TrustedFolder, read_trusted


def read_checked_json(path: Path) -> dict[str, Any]:
    """The JSON object in a file; empty where the file is missing, damaged or not trusted."""
    try:
        checksum, _, content = read_trusted(path).partition(b"\n")
        if checksum.decode("ascii", "replace") != _checksum(content):
            return {}
        document = json.loads(content)
    except (OSError, ValueError, RecursionError):
        return {}
    return document if isinstance(document, dict) else {}


def write_checked_json(path: Path, document: Mapping[str, object]) -> None:
    """Write a file, in a folder that is created if needed; raises `OSError`."""
    content = json.dumps(document).encode()
    with TrustedFolder(path.parent, create=True) as folder:
        folder.write(path.name, [_checksum(content).encode(), b"\n", content])


def _checksum(content: bytes) -> str:
    return hashlib.blake2b(content, digest_size=16).hexdigest()
