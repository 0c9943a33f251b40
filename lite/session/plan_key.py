"""The key of a plan: the parts for the source code, the Config and its devices."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from lite.cache.array_blob import NotCacheableError
from lite.cache.key import KeyPart, dataclass_fields
from lite.cache.plan_cache import PLAN_KIND
from lite.cache.source_digest import folders_digest, packages_digest
from lite.config import Config
from lite.ops import SCHEMAS
from lite.passes.base import PassContext
from lite.passes.registry import PASSES
from lite.plugin.boundary import at_boundary
from lite.plugin.device import BRIDGES, DEVICES, Device
from lite.plugin.device.roster import DeviceRoster
from lite.plugin.format import PARSERS
from lite.plugin.kernel import KERNELS
from lite.plugin.kernel.target import TARGETS
from lite.plugin.loader import outside_packages
from lite.plugin.registry import Registry
from lite.plugin.user_ops import ONNX_RULES
from lite.spec.grammar import parse_spec
from lite.version import VERSION

KEY_VERSION = 1
"""The version of the layout of keys and records; different versions share no plan."""

ELSEWHERE = {
    "model_dir": "in the part of the model",
    "model_file": "in the part of the model",
    "params_file": "in the part of the model",
    "model_buffer": "in the part of the model",
    "params_buffer": "in the part of the model",
    "valid_places": "in the part of the usable places",
    "devices": "in the part of each device",
    "threads": "in the settings of each device",
    "partition_rules": "in the part of the rules' content",
    "recipe": "in the part of the recipe's content",
    "plan": "in the part of the regions of the saved plan",
    "cache_dir": "in the parts of the measured costs and of the tuned placements",
    "mapping": "not needed: it decides how files are read, not what is in them",
    "verify_weights": "not needed: it decides how the key is computed",
    "max_signatures": "not needed: it concerns the runtime only",
    "side_by_side": "not needed: it concerns the runtime only",
    "isolate": "not needed: it concerns the runtime only",
    "time_limit": "not needed: it concerns the runtime only",
    "compilation": "not needed: it decides when kernels are compiled",
    "debug": "not needed: no plan is cached",
    "dot_dir": "not needed: no plan is cached",
}
"""The fields of a Config that are no part of the key by themselves, and where they are instead."""

LIBRARIES = ("numpy-", "ml_dtypes-", "onnx-", "protobuf-")
"""Libraries used to read models and to fold constants."""

_DEVICE_OPTIONS = {"device", "devices"}
"""Options of passes that open devices."""

_EXCLUDED = ("compat", "tools")
"""Folders of the package whose code does not change plans."""

_REGISTRIES: Mapping[str, Registry[Any, Any]] = {
    "kernel": KERNELS,
    "bridge": BRIDGES,
    "device": DEVICES,
    "format": PARSERS,
    "pass": PASSES,
    "ONNX rule": ONNX_RULES,
    "target": TARGETS,
}


def option_parts(config: Config, ctx: PassContext) -> Iterator[KeyPart]:
    """The parts for the Config and its devices; `ctx` is the context of the passes.

    Raises `CompileError` when a device fails to report its version, and `NotCacheableError` for passes that
    open devices themselves.
    """
    for text in config.passes or ():
        if not _DEVICE_OPTIONS.isdisjoint(parse_spec(text).mapping):
            raise NotCacheableError(
                f"pass {text} names devices, but the key covers those in Config.devices only"
            )
    for field in dataclasses.fields(config):
        if field.name not in ELSEWHERE:
            text = repr(getattr(config, field.name))
            yield KeyPart.of(field.name, [text], text)
    places = [str(place) for place in config.places]
    yield KeyPart.of("valid_places", places, ", ".join(places))
    rules = () if ctx.subgraph.rules is None else ctx.subgraph.rules.entries
    lines = [f"{entry.line}: {entry.text} -> {entry.place}" for entry in rules]
    yield KeyPart.of("partition_rules", lines, f"{len(lines)} rules")
    ranges = {} if ctx.subgraph.recipe is None else ctx.subgraph.recipe.ranges
    texts = [f"{name}: {pair}" for name, pair in sorted(ranges.items())]
    yield KeyPart.of("recipe", texts, f"{len(texts)} ranges")
    pinned = [] if ctx.subgraph.pinned is None else [repr(each) for each in ctx.subgraph.pinned.regions]
    yield KeyPart.of("plan", pinned, f"{len(pinned)} regions")
    costs = [] if ctx.subgraph.costs is None else [repr(ctx.subgraph.costs.entries)]
    yield KeyPart.of("costs", costs, "measured" if costs else "")
    tuned = [] if ctx.subgraph.tuned is None else [repr(ctx.subgraph.tuned.graphs)]
    yield KeyPart.of("tuned placements", tuned, "measured" if tuned else "")
    names = [device.name for device in ctx.devices]
    yield KeyPart.of("order of devices", names, ", ".join(names))
    for text, device in zip(config.devices, ctx.devices, strict=True):
        yield KeyPart.of(f"device {device.name}", [text, *_device_fields(device, ctx.subgraph.roster)], text)


def code_parts(directory: Path, *, verify: bool) -> Iterator[KeyPart]:
    """The parts for the code that makes plans; the digest of the sources is remembered in `directory`.

    Raises `NotCacheableError` for sources that cannot be read.
    """
    yield KeyPart.of("kind", [PLAN_KIND], PLAN_KIND)
    yield KeyPart.of("key version", [str(KEY_VERSION)], str(KEY_VERSION))
    yield KeyPart.of("litebridge version", [VERSION], VERSION)
    libraries = _installed(tuple(sys.path), LIBRARIES)
    yield KeyPart.of("libraries", libraries, ", ".join(libraries))
    outside = outside_packages()
    folders = [Path(__file__).parent.parent, *(folder for package in outside.values() for folder in package)]
    try:
        digest, count = folders_digest(folders, directory, without=_EXCLUDED, verify=verify)
    except OSError as error:
        raise NotCacheableError(f"sources cannot be read: {error}") from error
    yield KeyPart("sources", digest, f"{count} files")
    yield _registered(tuple(outside))


@functools.cache
def _installed(folders: tuple[str, ...], names: tuple[str, ...]) -> list[str]:
    """The installed libraries with their versions: the names of their metadata folders."""
    # Importing importlib.metadata would take longer than everything else here.
    installed: set[str] = set()
    for folder in folders:
        with contextlib.suppress(OSError):
            installed.update(
                name.rpartition(".")[0]
                for name in os.listdir(folder or os.curdir)
                if name.endswith((".dist-info", ".egg-info")) and name.lower().startswith(names)
            )
    return sorted(installed)


def _device_fields(device: Device[Any], roster: DeviceRoster) -> list[str]:
    why_not = roster.facts(device).why_not
    version = "" if why_not else str(at_boundary(device.name, "reading its version", device.version))
    return [
        why_not or "",
        version,
        repr(device.limits),
        *dataclass_fields(device.options),
        *dataclass_fields(device.settings),
    ]


def _registered(outside: Sequence[str]) -> KeyPart:
    """The part for plug-ins that a program registered itself, outside this package and entry points."""
    known = tuple(f"{package}." for package in ("lite", *outside))
    plug_ins = [
        (f"{kind} {key}", registry.owner(key)) for kind, registry in _REGISTRIES.items() for key in registry
    ]
    rules = ((name, getattr(schema.infer, "func", schema.infer)) for name, schema in SCHEMAS.items())
    plug_ins += ((f"op {name}", rule.__module__) for name, rule in rules)
    plug_ins = [(entry, owner) for entry, owner in plug_ins if not f"{owner}.".startswith(known)]
    for entry, owner in plug_ins:
        if getattr(sys.modules.get(owner), "__file__", None) is None:
            raise NotCacheableError(f"{entry} is registered by {owner}, which lies in no file")
    source = packages_digest(owner for _, owner in plug_ins)[0] if plug_ins else ""
    entries = sorted(f"{entry} of {owner}" for entry, owner in plug_ins)
    return KeyPart.of("registered", [*entries, source], f"{len(entries)} plug-ins")
