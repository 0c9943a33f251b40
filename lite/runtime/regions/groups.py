"""Groups of models that share weights, as the cache and artifacts keep them.

A group is one entry, under a key that has its digest.  The entry of each model's own key names the group and
the model's place in it.
"""

from __future__ import annotations

import json
import os
from typing import Any

from lite.cache.key import CacheKey, KeyPart, digest_of
from lite.dataclass import dataclass
from lite.errors import CompileError
from lite.plugin.boundary import at_boundary
from lite.plugin.device import CompiledModel, Device, ModelGroup
from lite.runtime.regions.model_cache import ModelCache
from lite.runtime.regions.single_flight import SingleFlight

_MAGIC = b"litebridge model of a group 1\n"

GROUP = "group of models"
"""The kind of a cache entry that holds a group."""


@dataclass(frozen=True, eq=False)
class GroupMember:
    """One of the models of a group."""

    group: ModelGroup
    index: int

    @property
    def model(self) -> CompiledModel:
        """The model itself."""
        return self.group.models[self.index]


@dataclass(frozen=True)
class StoredGroup:
    """The bytes of a group with its key."""

    key: CacheKey
    blob: bytes

    def member(self, index: int) -> bytes:
        """The entry of one of its models."""
        return _MAGIC + json.dumps([self.key.parts[-1].text, index]).encode()


def stored_group(group: ModelGroup, device: str) -> StoredGroup | None:
    """The bytes of a group; None if the device does not keep it.  Raises `CompileError`."""
    blob = at_boundary(device, "serialising a group of models", group.serialize)
    return None if blob is None else StoredGroup(_key(device, digest_of([blob])), blob)


def count_models(group: object, device: str) -> int:
    """The number of models of what a device returned; raises `CompileError` where it is no group."""
    if not isinstance(group, ModelGroup):
        raise CompileError(f"{device}: expected a ModelGroup, got {group!r}")
    return at_boundary(device, "reading a group of models", lambda: len(group.models))


class LoadedGroups:
    """The groups that a predictor loaded, so that its regions share them."""

    def __init__(self) -> None:
        self._groups: SingleFlight[ModelGroup] = SingleFlight()

    def member(self, entry: bytes, device: Device[Any], cache: ModelCache | None) -> GroupMember | None:
        """The model that an entry of the cache names; None for the entry of a single model.

        Raises `CompileError` where the group is missing or cannot be loaded.
        """
        if not entry.startswith(_MAGIC) or cache is None:
            return None
        try:
            digest, index = json.loads(entry[len(_MAGIC) :])
            key = _key(device.name, digest)
        except (ValueError, TypeError, AttributeError) as error:
            raise CompileError(f"{device.name}: the entry of a model in a group is damaged") from error

        def load() -> ModelGroup:
            blob = cache.store.load(key)
            if blob is None or digest_of([blob]) != digest:
                raise CompileError(f"{device.name}: the group of a cached model is missing")
            group = at_boundary(device.name, "loading a group of models", lambda: device.load_all(blob))
            count_models(group, device.name)
            return group

        # A forked process loads its own: models may not work there.
        group = self._groups.get((os.getpid(), device.name, digest), load)
        count = count_models(group, device.name)
        if not isinstance(index, int) or not 0 <= index < count:
            raise CompileError(f"{device.name}: a group of {count} models has no model {index}")
        return GroupMember(group, index)


def _key(device: str, digest: str) -> CacheKey:
    return CacheKey.of(
        [
            KeyPart.of("kind", [GROUP], GROUP),
            KeyPart.of("device", [device], device),
            KeyPart.of("content", [digest], digest),
        ]
    )
