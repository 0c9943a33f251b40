"""The key of what is kept: the hash of all that it depends on, part by part."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from lite.cache.device_source import device_source
from lite.cache.field_digest import digest_of
from lite.cache.region_text import RegionText, Symbols
from lite.cache.weight_hashes import WeightHashes
from lite.errors import GraphError
from lite.ir.graph import Graph, Value
from lite.ir.types import Array
from lite.ops.view import Meta
from lite.plugin.boundary import at_boundary
from lite.plugin.device import Device, Signature
from lite.version import VERSION

KEY_VERSION = 1
"""Counts how keys are made; two that differ share no entry."""

MODEL = "model"
"""The kind of an entry that names no other: a compiled model of a device."""


@dataclass(frozen=True)
class KeyPart:
    """One thing that an entry depends on; `shown` is what people read of it, as far as it can be read."""

    name: str
    digest: str
    shown: str = field(default="", compare=False)

    @classmethod
    def of(cls, name: str, fields: Sequence[str], shown: str) -> KeyPart:
        """The part with the digest of these fields."""
        return cls(name, digest_of(fields), shown)


@dataclass(frozen=True)
class CacheKey:
    """The parts and, over all of them, the digest."""

    parts: tuple[KeyPart, ...]
    digest: str

    @classmethod
    def of(cls, parts: Iterable[KeyPart]) -> CacheKey:
        """The key with these parts."""
        given = tuple(parts)
        return cls(given, digest_of(text for part in given for text in (part.name, part.digest)))

    @property
    def device(self) -> str:
        """The name of the device; empty where none is concerned."""
        return self._shown("device")

    @property
    def kind(self) -> str:
        """What the entry holds."""
        return self._shown("kind") or MODEL

    def _shown(self, name: str) -> str:
        return next((part.shown for part in self.parts if part.name == name), "")

    def differing(self, other: CacheKey) -> list[tuple[KeyPart | None, KeyPart | None]]:
        """The parts, by name, in which two keys differ: this one's and the other's."""
        mine, theirs = ({part.name: part for part in key.parts} for key in (self, other))
        names = dict.fromkeys([*mine, *theirs])
        return [(mine.get(name), theirs.get(name)) for name in names if mine.get(name) != theirs.get(name)]


def cache_key(
    graph: Graph, signature: Signature, device: Device[Any], spec: str, weights: WeightHashes
) -> CacheKey:
    """The key of the model of a region for a signature; `spec` is the text that named the device.

    Raises `CompileError` when the device cannot tell its version.
    """
    symbols = Symbols()
    metas = [_meta_text(meta, symbols, weights) for meta in signature]
    region = RegionText(graph, symbols)
    version = str(at_boundary(device.name, "telling its version", device.version))
    names = [arg.label for arg in graph.args]
    source, files = device_source(device, graph)
    options, settings = fields_text(device.options), fields_text(device.settings)
    arrays = [_data(value) for value in region.constants]
    total = sum(array.nbytes for array in arrays)
    return CacheKey.of(
        [
            KeyPart.of("key version", [str(KEY_VERSION)], str(KEY_VERSION)),
            KeyPart.of("litebridge version", [VERSION], VERSION),
            KeyPart.of("device", [device.name], device.name),
            KeyPart.of("options", [spec, *options], spec),
            KeyPart.of("settings", settings, ", ".join(settings)),
            KeyPart.of("device version", [version], version),
            KeyPart.of("ops", [region.text], f"{len(graph)} ops"),
            KeyPart.of(
                "boundary",
                [str(len(names)), *names, *graph.result_names],
                f"{', '.join(names)} -> {', '.join(graph.result_names)}",
            ),
            KeyPart.of("signature", metas, ", ".join(metas)),
            KeyPart.of("weights", weights.digests(arrays), f"{len(arrays)} arrays of {total} bytes"),
            KeyPart("device source", source, f"{files} files"),
        ]
    )


def _meta_text(meta: Meta, symbols: Symbols, weights: WeightHashes) -> str:
    text = f"{meta.dtype}{symbols.shape(meta.shape)}"
    if meta.is_array:
        text += " array"
    if meta.lod:
        text += f" lod {meta.lod}"
    return text if meta.value is None else f"{text} = {weights.digests([meta.value])[0]}"


def fields_text(instance: object) -> list[str]:
    """``name=value`` of each field of a dataclass."""
    if not dataclasses.is_dataclass(instance) or isinstance(instance, type):
        return [repr(instance)]
    return [f"{f.name}={getattr(instance, f.name)!r}" for f in dataclasses.fields(instance)]


def _data(value: Value) -> Array:
    if value.data is None:
        raise GraphError(f"{value!r} is read in a region, but nothing there writes it")
    return value.data
