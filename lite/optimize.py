"""Program → plan: build the graph and take it through the passes of a Config."""

from __future__ import annotations

import logging
from pathlib import Path

from lite.config import Config
from lite.errors import CompileError, ConfigError, suggest
from lite.ir.build import build_graph
from lite.ir.graph import Graph
from lite.ir.program import Program
from lite.ir.types import HOST
from lite.load import check_ops
from lite.ops import SCHEMAS
from lite.ops.infer_graph import infer_graph
from lite.passes.base import PassContext
from lite.passes.devices import open_devices
from lite.passes.manager import AfterEach, PassManager, PassRecord
from lite.passes.pipelines import behind_subgraphs, complete, default_pipeline, with_subgraphs
from lite.plugin.device import Settings
from lite.subgraph.mark import unavailable
from lite.subgraph.measured_costs import COSTS_FILE, MeasuredCosts
from lite.subgraph.partition_rules import PartitionRules
from lite.subgraph.report import PlacementReport

log = logging.getLogger(__name__)

EFFECTS = frozenset(name for name, schema in SCHEMAS.items() if schema.effect)
"""Op types whose order among each other counts."""


def optimize(
    program: Program, config: Config, after_each: AfterEach | None = None
) -> tuple[Graph, PassContext, list[PassRecord]]:
    """Take a program through the passes: the graph, the context with its plan, what each pass did.

    `after_each` also gets the graph that no pass has seen yet: as pass ``""``, number -1.
    """
    devices = open_devices(config.devices, Settings(config.threads, config.precision))
    if config.isolate:
        from lite.runtime.isolation import TimeLimits, isolated  # for the few who want it

        limits = TimeLimits(config.time_limit, config.time_limit)
        named = zip(devices, config.devices, strict=True)
        devices = tuple(isolated(device, text, limits) for device, text in named)
    check_ops(program)
    graph = build_graph(program, EFFECTS, config.keep)
    infer_graph(graph)
    unknown = [name for name in config.input_shapes if name not in {arg.name for arg in graph.args}]
    if unknown:
        near = suggest(unknown[0], [arg.name for arg in graph.args])
        raise ConfigError(f"input_shapes: the model has no input {unknown[0]!r}{near}")
    ctx = PassContext(
        program,
        config.places,
        config.input_shapes,
        None if config.dot_dir is None else Path(config.dot_dir),
        config.memory,
        devices=devices,
        placement=config.placement,
        rules=None if config.partition_rules is None else PartitionRules.parse(config.partition_rules),
        min_subgraph_ops=config.min_subgraph_ops,
        costs=_costs(config),
        placed=PlacementReport([device.name for device in devices]),
    )
    _check_devices(ctx, config.fallback)
    _check_rules(ctx)
    user_list = config.passes is not None
    names = default_pipeline() if config.passes is None else complete(config.passes)
    if devices:
        names = with_subgraphs(names)
    ctx.host_passes = tuple(behind_subgraphs(names))
    manager = PassManager(names, debug=config.debug, after_each=after_each, strict_order=not user_list)
    if after_each is not None:
        after_each("", graph, -1, 0.0, False)
    records = manager.run(graph, ctx)
    for sentence in [] if ctx.rules is None else ctx.rules.unused():
        log.warning("%s", sentence)
        ctx.placed.warnings.append(sentence)
    return graph, ctx, records


def _costs(config: Config) -> MeasuredCosts | None:
    """What `litebridge tune` measured, where it is to count."""
    if config.placement != "cost" or config.cache_dir is None:
        return None
    return MeasuredCosts.read(Path(config.cache_dir) / COSTS_FILE)


def _check_devices(ctx: PassContext, fallback: str) -> None:
    """Say which devices are not there: without them the host does their work, unless that is an error."""
    for device in ctx.devices:
        reason = unavailable(device)
        if reason is None:
            continue
        sentence = f"device {device.name} cannot be used: {reason}"
        if fallback == "error":
            raise CompileError(sentence)
        log.warning("%s", sentence)
        ctx.placed.warnings.append(sentence)


def _check_rules(ctx: PassContext) -> None:
    """Raise `ConfigError` for a rule that puts ops on a device which the Config does not name."""
    names = [device.name for device in ctx.devices]
    for name in () if ctx.rules is None else ctx.rules.devices:
        if name not in (HOST, *names):
            known = ", ".join(names) or "none"
            raise ConfigError(
                f"partition rules: no device is called {name!r}{suggest(name, names)}; devices: {known}"
            )
