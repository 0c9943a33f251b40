"""Cache keys: a digest of everything that an entry depends on, part by part."""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import field

from lite.dataclass import dataclass
from lite.spec.file_option import FileOption

DIGEST_BYTES = 32

DEVICE_MODEL = "model"
"""The kind of an entry whose key has no part "kind": a compiled model of a device."""


def digest_of(fields: Iterable[str | bytes]) -> str:
    """BLAKE2b over a list of fields, in hexadecimal digits.

    Each field is hashed as its kind, its length and its bytes, so different lists never look alike.
    """
    digest = hashlib.blake2b(digest_size=DIGEST_BYTES)
    for item in fields:
        kind, content = (
            (b"s", item.encode("utf-8", "surrogatepass")) if isinstance(item, str) else (b"b", item)
        )
        digest.update(kind + len(content).to_bytes(8, "little"))
        digest.update(content)
    return digest.hexdigest()


@dataclass(frozen=True)
class KeyPart:
    """One thing that an entry depends on, by its digest; `text` is for people and not compared."""

    name: str
    digest: str
    text: str = field(default="", compare=False)

    @classmethod
    def of(cls, name: str, fields: Sequence[str], text: str) -> KeyPart:
        """The part with the digest of these fields."""
        return cls(name, digest_of(fields), text)


@dataclass(frozen=True)
class CacheKey:
    """The parts of a key, and the digest over all of them, which names the entry's file."""

    parts: tuple[KeyPart, ...]
    digest: str

    @classmethod
    def of(cls, parts: Iterable[KeyPart]) -> CacheKey:
        """The key with these parts."""
        parts = tuple(parts)
        return cls(parts, digest_of(text for part in parts for text in (part.name, part.digest)))

    @property
    def device(self) -> str:
        """The name of the device; empty for an entry that belongs to none."""
        return self._text("device")

    @property
    def kind(self) -> str:
        """The kind of the entry, such as "plan"."""
        return self._text("kind") or DEVICE_MODEL

    def _text(self, name: str) -> str:
        return next((part.text for part in self.parts if part.name == name), "")

    def difference(self, other: CacheKey) -> list[tuple[KeyPart | None, KeyPart | None]]:
        """The parts in which two keys differ, as pairs by name: this key's and the other's."""
        mine, theirs = ({part.name: part for part in key.parts} for key in (self, other))
        names = dict.fromkeys([*mine, *theirs])
        return [(mine.get(name), theirs.get(name)) for name in names if mine.get(name) != theirs.get(name)]


def explain_miss(key: CacheKey, stored: Iterable[CacheKey]) -> str:
    """Why `key` is not among the stored keys: the parts in which the nearest one differs.

    The nearest is the first key of the same kind that differs in the fewest parts; keys of the same
    device come before others.
    """
    others = [other for other in stored if other.kind == key.kind]
    if not others:
        return "no entry yet"
    nearest = min(others, key=lambda other: (other.device != key.device, len(key.difference(other))))
    return f"nearest entry differs in: {', '.join(_part_text(*pair) for pair in key.difference(nearest))}"


def _part_text(mine: KeyPart | None, other: KeyPart | None) -> str:
    name = mine.name if mine is not None else other.name if other is not None else ""
    text, stored = ("" if part is None else part.text for part in (mine, other))
    if text == stored:
        return f"{name} ({text})" if text else name
    return f"{name} ({text or 'none'}, there {stored or 'none'})"


def dataclass_fields(instance: object) -> list[str]:
    """``name=value`` of each field of a dataclass, for a key; the ``repr`` of any other object.

    A `FileOption` has the digest of its file as value; raises `ConfigError` where that cannot be read.
    """
    if not dataclasses.is_dataclass(instance) or isinstance(instance, type):
        return [repr(instance)]
    values = ((f.name, getattr(instance, f.name)) for f in dataclasses.fields(instance))
    return [
        f"{name}=file {value.digest()}" if isinstance(value, FileOption) else f"{name}={value!r}"
        for name, value in values
    ]
