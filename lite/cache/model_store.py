"""What the runtime needs to keep device models: a store by key, and digests of arrays for the keys."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from lite.cache.key import CacheKey
from lite.ir.types import Array


class ModelStore(Protocol):
    """Device models by key: a folder, or an artifact."""

    def load(self, key: CacheKey) -> bytes | None:
        """The blob of a model; None where there is none."""

    def explain(self, key: CacheKey) -> str:
        """``hit``, or why `load` returns None."""

    def store(self, key: CacheKey, blob: bytes | memoryview, description: str) -> str | None:
        """Store a model; returns why it cannot be stored, or None."""


class ArrayDigests(Protocol):
    """Computes or knows digests of arrays: of dtype, shape and content."""

    def digests(self, arrays: Sequence[Array]) -> list[str]:
        """The digest of each array, in hexadecimal digits."""
