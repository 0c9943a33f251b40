"""How a Config wants regions run: the runtime's settings, with what it needs of the passes."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path

from lite.cache import DeviceCache, WeightHashes
from lite.config import Config
from lite.errors import PassError
from lite.ir.graph import Graph
from lite.ir.program import Program
from lite.passes.base import PassContext
from lite.passes.manager import PassManager
from lite.plan import Plan
from lite.runtime.regions.engine import RegionSettings
from lite.subgraph.report import PlacementReport


def region_settings(
    config: Config, ctx: PassContext, host_threads: AbstractContextManager[None]
) -> RegionSettings:
    """The settings for a model that went through the passes with this context."""
    cache = None if config.cache_dir is None else DeviceCache(Path(config.cache_dir))
    # Settings live as long as the predictor, which does without the program once it is planned.
    ctx = replace(ctx, program=Program(source=ctx.program.source), plan=None, placed=PlacementReport())

    def build(graph: Graph, without: Collection[str]) -> Plan:
        inner = replace(
            ctx,
            plan_memory="plain",
            placed=PlacementReport(),
            history=[],
            dot_dir=None,
            devices=ctx.devices if without else (),
            without=frozenset(without),
        )
        names = [*(ctx.subgraph_passes if without else ()), *ctx.host_passes]
        PassManager(names, strict_order=False).run(graph, inner)
        if inner.plan is None:
            raise PassError("the passes behind subgraph_pass made no plan of a region")
        return inner.plan

    def run_passes(graph: Graph, names: Sequence[str]) -> None:
        PassManager(names).run(graph, replace(ctx, history=[], devices=()))

    return RegionSettings(
        build,
        run_passes,
        {device.name: ctx.roster.text(device) for device in ctx.devices},
        cache,
        WeightHashes(None if cache is None else Path(config.cache_dir or ""), verify=config.verify_weights),
        config.fallback,
        config.max_signatures,
        host_threads=host_threads,
    )
