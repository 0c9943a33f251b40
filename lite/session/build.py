"""Program → plan: build the graph and take it through the passes of a Config."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import TYPE_CHECKING

from lite.config import Config
from lite.errors import ConfigError, suggest
from lite.io.load import check_ops
from lite.ir.build import build_graph
from lite.ir.graph import Graph
from lite.ir.program import Program
from lite.ir.types import HOST
from lite.ops import SCHEMAS
from lite.ops.infer_graph import infer_graph
from lite.passes.base import PassContext
from lite.passes.manager import AfterEach, PassManager, PassRecord
from lite.passes.pipelines import (
    behind_subgraphs,
    complete,
    default_pipeline,
    subgraph_passes,
    with_subgraphs,
)
from lite.plugin.device import Settings
from lite.plugin.device.roster import DeviceRoster
from lite.subgraph.report import PlacementReport

# What a model without devices does without.
if TYPE_CHECKING:
    from lite.subgraph.measured_costs import MeasuredCosts
    from lite.subgraph.partition_rules import PartitionRules

log = logging.getLogger(__name__)

EFFECTS = frozenset(name for name, schema in SCHEMAS.items() if schema.effect)
"""Op types whose order among each other counts."""


def pass_context(program: Program, config: Config) -> PassContext:
    """What the passes are given of a Config, with its devices opened.

    Raises `ConfigError` for devices and rules that cannot be, and `CompileError` for a device that is not
    there where falling back is not wanted.
    """
    roster = _roster(config)
    devices = roster.open_all(config.devices)
    names = pass_names(config)
    ctx = PassContext(
        program,
        config.places,
        config.input_shapes,
        None if config.dot_dir is None else Path(config.dot_dir),
        config.memory,
        devices=devices,
        placement=config.placement,
        rules=_rules(config),
        min_subgraph_ops=config.min_subgraph_ops,
        roster=roster,
        costs=_costs(config),
        host_passes=tuple(behind_subgraphs(names)),
        subgraph_passes=tuple(subgraph_passes(names)),
        placed=PlacementReport([device.name for device in devices]),
    )
    for device in devices:
        roster.facts(device)
    _check_rules(ctx)
    return ctx


def pass_names(config: Config) -> list[str]:
    """The list of passes that a Config wants, complete."""
    names = default_pipeline() if config.passes is None else complete(config.passes)
    return with_subgraphs(names) if config.devices else names


def optimize(
    program: Program,
    config: Config,
    after_each: AfterEach | None = None,
    ctx: PassContext | None = None,
) -> tuple[Graph, PassContext, list[PassRecord]]:
    """Take a program through the passes: the graph, the context with its plan, what each pass did.

    `after_each` also gets the graph that no pass has seen yet: as pass ``""``, number -1.  `ctx` is the
    `pass_context` of the Config where there is one already.
    """
    if ctx is None:
        ctx = pass_context(program, config)
    ctx.program = program
    check_ops(program)
    graph = build_graph(program, EFFECTS, config.keep)
    infer_graph(graph)
    unknown = [name for name in config.input_shapes if name not in {arg.name for arg in graph.args}]
    if unknown:
        near = suggest(unknown[0], [arg.name for arg in graph.args])
        raise ConfigError(f"input_shapes: the model has no input {unknown[0]!r}{near}")
    names, user_list = pass_names(config), config.passes is not None
    manager = PassManager(names, debug=config.debug, after_each=after_each, strict_order=not user_list)
    if after_each is not None:
        after_each("", graph, -1, 0.0, False)
    records = manager.run(graph, ctx)
    ctx.placed.warnings += ctx.roster.warnings
    for sentence in [] if ctx.rules is None else ctx.rules.unused():
        log.warning("%s", sentence)
        ctx.placed.warnings.append(sentence)
    return graph, ctx, records


def _costs(config: Config) -> MeasuredCosts | None:
    """What `litebridge tune` measured, where it is to count."""
    if config.placement != "cost" or config.cache_dir is None:
        return None
    from lite.subgraph.measured_costs import COSTS_FILE, MeasuredCosts

    return MeasuredCosts.read(Path(config.cache_dir) / COSTS_FILE)


def _rules(config: Config) -> PartitionRules | None:
    if config.partition_rules is None:
        return None
    from lite.subgraph.partition_rules import PartitionRules

    return PartitionRules.parse(config.partition_rules)


def _roster(config: Config) -> DeviceRoster:
    """What opens devices as the Config wants them."""
    settings = Settings(config.threads, config.precision)
    if not config.isolate:
        return DeviceRoster(settings, config.fallback)
    from lite.runtime.isolation import TimeLimits, isolated  # for the few who want it

    limits = TimeLimits(config.time_limit, config.time_limit)
    return DeviceRoster(settings, config.fallback, lambda device, text: isolated(device, text, limits))


def _check_rules(ctx: PassContext) -> None:
    """Raise `ConfigError` for a rule that puts ops on a device which the Config does not name."""
    names = [device.name for device in ctx.devices]
    for name in () if ctx.rules is None else ctx.rules.devices:
        if name not in (HOST, *names):
            known = ", ".join(names) or "none"
            raise ConfigError(
                f"partition rules: no device is called {name!r}{suggest(name, names)}; devices: {known}"
            )
