"""Why there is no entry: in what the one differs that comes nearest."""

from __future__ import annotations

from collections.abc import Sequence

from lite.cache.entry import Entry
from lite.cache.key import CacheKey, KeyPart


def nearest_text(key: CacheKey, entries: Sequence[Entry]) -> str:
    """A sentence on the entry that differs in the fewest parts, the first of equals.

    One of another device comes last.
    """
    intact = [entry.key for entry in entries if entry.key is not None and entry.problem is None]
    others = [other for other in intact if other.kind == key.kind]
    if not others:
        return "no entry yet"
    nearest = min(others, key=lambda other: (other.device != key.device, len(key.differing(other))))
    return f"nearest entry differs in: {', '.join(_part_text(*pair) for pair in key.differing(nearest))}"


def _part_text(mine: KeyPart | None, other: KeyPart | None) -> str:
    name = mine.name if mine is not None else other.name if other is not None else ""
    shown, kept = ("" if part is None else part.shown for part in (mine, other))
    if shown == kept:
        return f"{name} ({shown})" if shown else name
    return f"{name} ({shown or 'none'}, there {kept or 'none'})"
