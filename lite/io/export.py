"""Write whole models in formats that have words of their own for every op, such as ONNX."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from lite.errors import ConfigError, suggest
from lite.io.load import check_ops
from lite.ir.build import build_graph
from lite.ir.graph import Graph
from lite.ir.program import Program
from lite.ir.types import Shape
from lite.ops.infer_graph import infer_graph
from lite.passes.base import PassContext
from lite.passes.manager import PassManager
from lite.passes.pipelines import CLEANUP, HEAD
from lite.plugin.format import MODEL_WRITERS, ModelWriter, Written
from lite.plugin.loader import load_writers
from lite.session.build import EFFECTS


def find_writer(format: str) -> ModelWriter | None:
    """The writer of a format; None for one that has none."""
    load_writers()
    return MODEL_WRITERS.find(format)


def clean_graph(
    program: Program,
    input_shapes: Mapping[str, Shape] | None = None,
    after_pass: Callable[[], None] = lambda: None,
) -> Graph:
    """The graph that devices and writers get: canonical ops, folded and tidied, before fusions.

    `input_shapes` become the shapes of inputs.  Raises `ConfigError` for an input that there is not.
    """
    check_ops(program)
    graph = build_graph(program, EFFECTS)
    args = {arg.name: arg for arg in graph.args}
    for name, shape in (input_shapes or {}).items():
        if name not in args:
            raise ConfigError(f"input_shapes: the model has no input {name!r}{suggest(name, args)}")
        args[name].shape = shape
    infer_graph(graph)
    ctx = PassContext(program, input_shapes=dict(input_shapes or {}))
    PassManager([*HEAD, *CLEANUP], after_each=lambda *_: after_pass()).run(graph, ctx)
    return graph


def export_program(
    program: Program,
    path: Path,
    *,
    format: str = "onnx",
    input_shapes: Mapping[str, Shape] | None = None,
    after_pass: Callable[[], None] = lambda: None,
) -> Written:
    """Write a program as another format's ops: to `path`, or to ``model.<suffix>`` in that directory.

    Raises `ConfigError` for a format without a writer, `ModelParseError` that lists every op which the
    format cannot say.
    """
    writer = find_writer(format)
    if writer is None:
        raise ConfigError(f"no format is written op by op as {format!r}{suggest(format, MODEL_WRITERS)}")
    target = path if path.suffix == writer.suffix else path / f"model{writer.suffix}"
    return writer.write(clean_graph(program, input_shapes, after_pass), target)
