"""Config → planned model: loads, optimises and plans a model, or takes its plan from the cache."""

from __future__ import annotations

import functools
import logging
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from lite.config import Config
from lite.dataclass import dataclass
from lite.errors import CompileError, ConfigError
from lite.io.load import load_program
from lite.ir.build import fetched_names
from lite.ir.graph import Graph
from lite.ir.program import Program
from lite.ops.program_graph import program_graph
from lite.passes.base import PassContext
from lite.passes.manager import AfterEach, PassManager, PassRecord
from lite.plugin.format import file_mapping
from lite.runtime.threads import limited_blas
from lite.session.built import Built
from lite.session.context import pass_context, pass_list
from lite.session.inputs import InputSpec
from lite.session.loaded_files import loaded_files
from lite.trusted_folder import trusted_or_private

if TYPE_CHECKING:
    from lite.cache.plan_cache import PlanCache

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Optimized:
    """A program after the passes: the graph, the context with the passes' results, and what each pass did."""

    program: Program
    graph: Graph
    context: PassContext
    records: list[PassRecord]

    def built(self, config: Config) -> Built:
        """The planned model; raises `ConfigError` when the passes made no plan."""
        results = self.context.results
        if results.plan is None:
            raise ConfigError("the passes made no plan; the list must end with generate_program_pass")
        return Built(
            [InputSpec.of(arg, config.input_shapes.get(arg.name)) for arg in self.graph.args],
            fetched_names(self.program),
            results.plan,
            results.memory,
            results.placed,
            self.context,
            self.records,
            origin=(self.graph, self.program) if config.debug else None,
        )


def build(config: Config) -> Built:
    """Load, optimise and plan the model of a Config, or take its plan from the cache.

    Raises what `load_program`, `pass_context` and `optimize` raise.
    """
    with file_mapping(config.mapping):
        return _build(config)


def _build(config: Config) -> Built:
    started = time.time_ns()
    context = pass_context(config)
    cache = _plan_cache(config, context)
    cached = None if cache is None else cache.recall()
    if cache is not None and cached is not None:
        return replace(cached, files=loaded_files(config.mapping, cache.paths, [str(cache.entry)]))
    program = load_program(config)
    files = loaded_files(config.mapping, program.files or ())
    cached = None if cache is None else cache.find(program)
    if cache is not None and cached is not None:
        files = loaded_files(config.mapping, program.files or (), [str(cache.entry)])
        return replace(cached, files=files)
    # Folding works on small arrays, for which several BLAS threads are slower than one.
    with limited_blas(1):
        built = replace(_planned(program, config, context), files=files)
    if cache is None:
        return built
    from lite.session.built_record import record_of

    return replace(built, packs=cache.keep(built.plan, record_of(built), started))


def _planned(program: Program, config: Config, context: PassContext) -> Built:
    """The planned model; one that runs on the host by measured costs is planned as if there were no devices.

    With devices, values are quantised in another form until regions are made, which the host's passes may
    translate into other ops.
    """
    built = optimize(program, config, context=context).built(config)
    if not config.devices or config.placement != "cost" or built.plan.has_regions:
        return built
    alone = replace(config, devices=(), partition_rules=None, plan=None, recipe=None)
    return replace(optimize(program, alone).built(config), placed=built.placed)


def optimize(
    program: Program,
    config: Config,
    after_each: AfterEach | None = None,
    context: PassContext | None = None,
) -> Optimized:
    """Take a program through the passes of a Config.

    `after_each` is called after each pass, and before the first one as pass ``""`` with number -1.
    `context` is the Config's `pass_context`; by default it is made here.

    Raises `GraphError`, `ConfigError`, `PassError` and `CompileError`.
    """
    if context is None:
        context = pass_context(config)
    config.limits.check("nodes", sum(len(block.ops) for block in program.blocks), "the model")
    config.limits.check("nesting", _depth(program), "the model")
    graph = program_graph(program, config.keep, config.input_shapes)
    is_user_list = config.passes is not None
    manager = PassManager(
        pass_list(config), debug=config.debug, after_each=after_each, strict_order=not is_user_list
    )
    if after_each is not None:
        after_each("", graph, -1, 0.0, False)
    records = manager.run(graph, context)
    warnings = context.results.placed.warnings
    warnings += context.subgraph.roster.warnings
    for sentence in [] if context.subgraph.rules is None else context.subgraph.rules.unused():
        log.warning("%s", sentence)
        warnings.append(sentence)
    return Optimized(program, graph, context, records)


def _depth(program: Program) -> int:
    """The most blocks of a program that lie within each other."""
    depths: list[int] = []
    for block in program.blocks:
        parent = block.parent
        depths.append(1 + (depths[parent] if 0 <= parent < len(depths) else 0))
    return max(depths, default=0)


def _plan_cache(config: Config, context: PassContext) -> PlanCache[Built] | None:
    """The cache of a Config's plan; None if the plan is not to be cached."""
    if config.cache_dir is None or config.debug or config.dot_dir is not None:
        return None
    # Imported late: most processes cache no plans.
    from lite.cache.array_blob import NotCacheableError
    from lite.cache.plan_cache import PlanCache
    from lite.session.built_record import built_of
    from lite.session.plan_key import code_parts, option_parts

    verify = config.verify_weights
    try:
        return PlanCache(
            trusted_or_private(Path(config.cache_dir).absolute()),
            config.source,
            lambda folder: list(code_parts(folder, verify=verify)),
            list(option_parts(config, context)),
            context.devices,
            functools.partial(built_of, context),
            verify=verify,
        )
    except (NotCacheableError, CompileError) as error:
        log.info("the plan is not cached: %s", error)
        return None
