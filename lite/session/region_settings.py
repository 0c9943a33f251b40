"""The runtime's settings for the regions of a planned model."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from lite.cache import CacheDirectory, WeightHashes
from lite.config import Config
from lite.errors import PassError
from lite.ir.graph import Graph
from lite.passes.base import PassContext, PassResults
from lite.passes.manager import PassManager
from lite.plan import Plan
from lite.runtime.executor import Runtime
from lite.runtime.plan_state import PlanState
from lite.runtime.regions.engine import SubgraphEngine
from lite.runtime.regions.model_cache import ModelCache
from lite.runtime.regions.settings import HostPlan, RegionSettings
from lite.runtime.threads import Threads
from lite.trusted_folder import trusted_or_private

if TYPE_CHECKING:
    from lite.artifact.artifact import Artifact


def region_settings(
    config: Config, context: PassContext, host_threads: Threads, artifact: Artifact | None = None
) -> RegionSettings:
    """The settings for the regions of a model that the passes planned with this context.

    Device models come from `artifact`, if it has them.
    """
    options, devices = context.subgraph, context.devices
    specs = {device.name: options.roster.text(device) for device in devices}
    cache = _model_cache(config, specs)
    if artifact is not None:
        from lite.session.artifact_models import model_cache  # most models come from no artifact

        cache = model_cache(artifact, config, specs, None if cache is None else cache.store)
    # The settings exist as long as the predictor, and must not keep the results of the passes alive.
    context = replace(context, dot_dir=None, results=PassResults())

    def build(graph: Graph, without: Collection[str]) -> Plan:
        """Plan a region's ops for the host; if `without` names ops, devices get the other ones."""
        inner = replace(options, devices=devices if without else (), without=frozenset(without), pinned=None)
        inner_context = replace(context, subgraph=inner, results=PassResults())
        names = [*(options.subgraph_passes if without else ()), *options.host_passes]
        PassManager(names, strict_order=False).run(graph, inner_context)
        if inner_context.results.plan is None:
            raise PassError("the passes after subgraph_pass made no plan of a region")
        return inner_context.results.plan

    def run_passes(graph: Graph, names: Sequence[str]) -> None:
        without_devices = replace(context, subgraph=replace(options, devices=()), results=PassResults())
        PassManager(names).run(graph, without_devices)

    return RegionSettings(
        build,
        run_passes,
        make_host,
        cache,
        config.fallback,
        config.max_signatures,
        host_threads=host_threads,
        specs=specs,
        side_by_side=config.side_by_side,
        limits=config.limits,
    )


def _model_cache(config: Config, specs: Mapping[str, str]) -> ModelCache | None:
    if config.cache_dir is None:
        return None
    folder = trusted_or_private(Path(config.cache_dir).absolute())
    return ModelCache(CacheDirectory(folder), WeightHashes(folder, verify=config.verify_weights), specs)


def make_host(plan: Plan, settings: RegionSettings) -> HostPlan:
    """A maker of runtimes of a plan; the plan's own regions, if any, run with these settings."""
    state = PlanState(plan, partial(SubgraphEngine, settings=settings), limits=settings.limits)
    return partial(Runtime, state)
