"""Registry: the table class of kernels, bridges, devices, parsers and passes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Generic, TypeVar

from lite.errors import PluginError, suggest

K = TypeVar("K")
V = TypeVar("V")


class Registry(Generic[K, V]):
    """Maps keys to the objects that plug-ins registered, in order of registration; a key has one owner."""

    def __init__(self, what: str) -> None:
        self._what = what
        self._entries: dict[K, tuple[V, str]] = {}
        self.changes = 0
        """How often an entry was added or removed: what was found before is right while it stays the same."""

    def add(self, key: K, value: V, owner: str) -> None:
        """Add an entry; raises `PluginError`, naming both owners, if the key is taken."""
        if key in self._entries:
            first = self._entries[key][1]
            raise PluginError(f"{self._what} {_text(key)} is registered twice: by {first} and by {owner}")
        self._entries[key] = (value, owner)
        self.changes += 1

    def find(self, key: K) -> V | None:
        """The entry of a key, or None."""
        entry = self._entries.get(key)
        return None if entry is None else entry[0]

    def get(self, key: K) -> V:
        """The entry of a key; raises `PluginError`, with similar names, if there is no entry."""
        entry = self._entries.get(key)
        if entry is None:
            near = suggest(_text(key), [_text(known) for known in self._entries])
            raise PluginError(f"no {self._what} {_text(key)}{near}")
        return entry[0]

    def owner(self, key: K) -> str:
        """The module that registered a key."""
        self.get(key)
        return self._entries[key][1]

    def remove(self, key: K) -> None:
        """Remove an entry, for tests that register something temporarily."""
        self.get(key)
        del self._entries[key]
        self.changes += 1

    def __contains__(self, key: K) -> bool:
        return key in self._entries

    def __iter__(self) -> Iterator[K]:
        return iter(list(self._entries))

    def __len__(self) -> int:
        return len(self._entries)


def _text(key: object) -> str:
    return " ".join(str(part) for part in key) if isinstance(key, tuple) else str(key)
