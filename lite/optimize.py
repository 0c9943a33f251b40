"""Program → plan: build the graph and take it through the passes of a Config."""

from __future__ import annotations

from pathlib import Path

from lite.config import Config
from lite.errors import ConfigError, suggest
from lite.ir.build import build_graph
from lite.ir.graph import Graph
from lite.ir.program import Program
from lite.load import check_ops
from lite.ops import SCHEMAS
from lite.ops.infer_graph import infer_graph
from lite.passes.base import PassContext
from lite.passes.manager import AfterEach, PassManager, PassRecord
from lite.passes.pipelines import complete, default_pipeline

EFFECTS = frozenset(name for name, schema in SCHEMAS.items() if schema.effect)
"""Op types whose order among each other counts."""


def optimize(
    program: Program, config: Config, after_each: AfterEach | None = None
) -> tuple[Graph, PassContext, list[PassRecord]]:
    """Take a program through the passes: the graph, the context with its plan, what each pass did.

    `after_each` also gets the graph that no pass has seen yet: as pass ``""``, number -1.
    """
    if config.devices:
        raise ConfigError(
            f"no device is called {config.devices[0]!r}; no device is installed, leave devices empty"
        )
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
    )
    user_list = config.passes is not None
    names = default_pipeline() if config.passes is None else complete(config.passes)
    manager = PassManager(names, debug=config.debug, after_each=after_each, strict_order=not user_list)
    if after_each is not None:
        after_each("", graph, -1, 0.0, False)
    return graph, ctx, manager.run(graph, ctx)
