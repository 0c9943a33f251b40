"""Compiles regions and signatures together, where their device makes models that share weights."""

from __future__ import annotations

import logging
import time
from collections.abc import Hashable, Sequence

from lite.errors import CompileError, ExecutionError
from lite.ir.graph import Graph
from lite.ops import Meta
from lite.plugin.boundary import at_boundary
from lite.plugin.device import ModelGroup
from lite.runtime.regions.engine import SubgraphEngine
from lite.runtime.regions.groups import GroupMember, count_models, stored_group
from lite.runtime.regions.region_model import RegionModel, checked

log = logging.getLogger(__name__)

Part = tuple[SubgraphEngine, tuple[Meta, ...]]
"""A region with the metas of its inputs."""


def compile_together(parts: Sequence[Part]) -> None:
    """Give models to the regions of each device that shares weights, where no model is known yet.

    A group that cannot be compiled leaves its regions as they are: binding compiles them one by one.
    """
    of_devices: dict[int, dict[tuple[int, Hashable], Part]] = {}
    for engine, metas in parts:
        if not engine.region.device.shares_weights or not engine.lacks(metas):
            continue
        others = of_devices.setdefault(id(engine.region.device), {})
        if sum(other is engine for other, _ in others.values()) < engine.settings.max_signatures:
            others.setdefault((id(engine), engine.key(metas)), (engine, metas))
    for group in of_devices.values():
        if len(group) > 1:
            _compile(list(group.values()))


def _compile(parts: Sequence[Part]) -> None:
    start = time.perf_counter()
    engine = parts[0][0]
    device, cache = engine.region.device, engine.settings.cache
    graphs = [engine.inferred(metas)[0] for engine, metas in parts]
    keys = [each.cache_key(graph, metas) for graph, (each, metas) in zip(graphs, parts, strict=True)]
    if cache is not None and all(key is not None and cache.store.explain(key) == "hit" for key in keys):
        return
    try:
        group = _group(parts, graphs)
        models = [checked(model, device.name, "compiling") for model in group.models]
    except CompileError as error:
        log.info("%s and %d others are compiled one by one: %s", engine.name, len(parts) - 1, error)
        return
    seconds = (time.perf_counter() - start) / len(parts)
    for n, (model, (each, metas)) in enumerate(zip(models, parts, strict=True)):
        each.give(metas, RegionModel(model, "built", seconds, GroupMember(group, n)))
    if cache is None or None in keys:
        return
    try:
        stored = stored_group(group, device.name)
    except CompileError as error:
        log.warning("%s: the group of models cannot be cached: %s", engine.name, error)
        return
    if stored is None:
        return
    problem = cache.store.store(stored.key, stored.blob, f"{len(parts)} models of {device.name}")
    for n, (key, (each, _)) in enumerate(zip(keys, parts, strict=True)):
        if key is not None and problem is None:
            problem = cache.store.store(key, stored.member(n), f"{each.name}, in a group")
    if problem is not None:
        log.warning("%s: the group of models cannot be cached: %s", engine.name, problem)


def _group(parts: Sequence[Part], graphs: Sequence[Graph]) -> ModelGroup:
    """What the device compiles of the parts; raises `CompileError`."""
    device = parts[0][0].region.device
    for graph, (engine, metas) in zip(graphs, parts, strict=True):
        engine.make_ready(graph, metas)
    both = [(graph, metas) for graph, (_, metas) in zip(graphs, parts, strict=True)]
    try:
        group = at_boundary(device.name, "compiling together", lambda: device.compile_all(both))
    except ExecutionError as error:
        raise CompileError(str(error)) from error
    count = count_models(group, device.name)
    if count != len(parts):
        raise CompileError(f"{device.name}: compile_all returned {count} models, expected {len(parts)}")
    return group
