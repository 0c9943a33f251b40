"""The device models of an artifact: written with the keys of their regions, and served to the runtime."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from lite.cache.entry import InvalidEntryError
from lite.cache.key import CacheKey, KeyPart, explain_miss
from lite.cache.model_store import ArrayDigests, ModelStore
from lite.cache.plan_serde import Record
from lite.cache.weight_hashes import array_digest
from lite.dataclass import dataclass
from lite.ir.types import Array


@dataclass(frozen=True)
class StoredModel:
    """A device model: the region and signature that it is for, its key, and the member with its bytes."""

    region: int
    device: str
    signature: str
    key: CacheKey
    member: str

    def record(self) -> Record:
        """The model as JSON."""
        parts = [[part.name, part.digest, part.text] for part in self.key.parts]
        return {**{f.name: getattr(self, f.name) for f in dataclasses.fields(self)}, "key": parts}

    @classmethod
    def of(cls, record: Record) -> StoredModel:
        """The model of a `record`; raises `InvalidEntryError`."""
        try:
            key = CacheKey.of(KeyPart(str(n), str(digest), str(text)) for n, digest, text in record["key"])
            return cls(
                int(record["region"]),
                str(record["device"]),
                str(record["signature"]),
                key,
                str(record["member"]),
            )
        except (KeyError, TypeError, ValueError, OverflowError) as error:
            raise InvalidEntryError(f"a device model has no valid entry: {error!r}") from error


class ArtifactModels:
    """The device models of an artifact; `read` returns a member, or None where it is damaged.

    Models that it lacks come from `other`, a store that also takes new ones.
    """

    def __init__(
        self,
        models: Sequence[StoredModel],
        read: Callable[[str], bytes | None],
        other: ModelStore | None = None,
    ) -> None:
        self._models = {model.key.digest: model for model in models}
        self._read = read
        self._other = other

    def load(self, key: CacheKey) -> bytes | None:
        """The blob of a model; None where there is none."""
        model = self._models.get(key.digest)
        blob = None if model is None else self._read(model.member)
        return self._other.load(key) if blob is None and self._other is not None else blob

    def explain(self, key: CacheKey) -> str:
        """``hit``, or the parts in which the nearest key differs."""
        if key.digest in self._models:
            return "hit"
        if self._other is not None and self._other.explain(key) == "hit":
            return "hit"
        return explain_miss(key, [model.key for model in self._models.values()])

    def store(self, key: CacheKey, blob: bytes | memoryview, description: str) -> str | None:
        """Store a model in the other store; an artifact does not change."""
        return None if self._other is None else self._other.store(key, blob, description)


Place = tuple[int, tuple[int, ...], tuple[int, ...], str]
"""The address, shape, strides and dtype of an array."""


class StoredDigests:
    """Digests of arrays that were computed when they were stored; those of other arrays are computed now."""

    def __init__(self, arrays: Sequence[Array], contents: Mapping[int, str], others: ArrayDigests) -> None:
        self._contents = {_place(arrays[number]): content for number, content in contents.items()}
        self._others = others

    def digests(self, arrays: Sequence[Array]) -> list[str]:
        """The digest of each array, in hexadecimal digits."""
        contents = [self._contents.get(_place(array)) for array in arrays]
        missing = [array for array, content in zip(arrays, contents, strict=True) if content is None]
        computed = iter(self._others.digests(missing))
        return [
            next(computed) if content is None else array_digest(array, content)
            for array, content in zip(arrays, contents, strict=True)
        ]


def _place(array: Any) -> Place:
    return array.__array_interface__["data"][0], array.shape, array.strides, array.dtype.str
