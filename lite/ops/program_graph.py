"""From a program to its graph, with checked ops, the caller's input shapes and inferred types."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from lite.errors import ConfigError, GraphError, suggest
from lite.ir.build import build_graph
from lite.ir.graph import Graph
from lite.ir.program import Program
from lite.ir.types import Dim, Shape, shape_text
from lite.ops.infer_graph import infer_graph
from lite.ops.schema import SCHEMAS

_FEED_AND_FETCH = ("feed", "fetch")


def program_graph(
    program: Program, keep: Sequence[str] = (), input_shapes: Mapping[str, Shape] | None = None
) -> Graph:
    """The graph of a program's main block, with the dtype and shape of every value that can be inferred.

    The last values of the variables in `keep` are returned after the model's outputs.  `input_shapes`
    replace declared shapes of inputs, with which they must agree.

    Raises `GraphError` for unsupported ops and programs that are not valid, and `ConfigError` for an
    input that the model does not have and a shape that contradicts the declared one.
    """
    check_ops(program)
    effects = frozenset(name for name, schema in SCHEMAS.items() if schema.effect)
    graph = build_graph(program, effects, keep)
    _set_input_shapes(graph, input_shapes or {})
    infer_graph(graph)
    return graph


def check_ops(program: Program) -> None:
    """Raise one `GraphError` that lists every op type without a schema, with counts and near names."""
    unknown = Counter(
        op.type
        for block in program.blocks
        for op in block.ops
        if op.type not in SCHEMAS and op.type not in _FEED_AND_FETCH
    )
    if unknown:
        listed = ", ".join(
            f"{name} ({count}x{suggest(name, SCHEMAS).replace(';', ',').rstrip('?')})"
            for name, count in sorted(unknown.items())
        )
        raise GraphError(
            f"{program.source}: {len(unknown)} op types are not supported: {listed}; "
            "`litebridge ops` lists the supported ones, @lite.op adds one (docs/guide/custom_ops.md)"
        )


def _set_input_shapes(graph: Graph, shapes: Mapping[str, Shape]) -> None:
    args = {value.name: value for value in graph.args}
    for name, shape in shapes.items():
        if name not in args:
            near, known = suggest(name, args), ", ".join(args) or "none"
            raise ConfigError(f"input_shapes: the model has no input {name!r}{near}; it has {known}")
        declared = args[name].shape
        if declared is not None and not _agree(declared, shape):
            expected, got = shape_text(declared), shape_text(shape)
            raise ConfigError(
                f"input_shapes: input {name!r}: expected a shape that fits {expected}, got {got}"
            )
        args[name].shape = shape


def _agree(declared: Sequence[Dim], shape: Sequence[Dim]) -> bool:
    return len(declared) == len(shape) and all(
        a == b or isinstance(a, str) or isinstance(b, str) for a, b in zip(declared, shape, strict=True)
    )
