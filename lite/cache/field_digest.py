"""Hashes of lists of fields, in which no two lists look alike."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

DIGEST_BYTES = 32


def digest_of(fields: Iterable[str | bytes]) -> str:
    """BLAKE2b, in hexadecimal digits, over the fields: each its kind, its length and its bytes."""
    found = hashlib.blake2b(digest_size=DIGEST_BYTES)
    for field in fields:
        kind, content = (
            (b"s", field.encode("utf-8", "surrogatepass")) if isinstance(field, str) else (b"b", field)
        )
        found.update(kind + len(content).to_bytes(8, "little"))
        found.update(content)
    return found.hexdigest()
