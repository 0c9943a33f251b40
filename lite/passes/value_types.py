"""The check that a pass keeps the dtype and shape of every value that it keeps."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from lite.errors import GraphError, VerifyError
from lite.ir.graph import Graph, Value
from lite.ir.types import DType, Layout, Shape
from lite.ops.infer_graph import infer_graph

_Type = tuple[DType | None, Shape | None]


class ValueTypes:
    """The dtypes and shapes of a graph's values and results at one moment.

    They are inferred by the ops' rules: a pass that declares one shape and computes another is caught.
    The types that the graph states stay as they are.  A graph that is not valid at that moment, because an
    earlier pass or the caller made it so, has no types to compare.
    """

    def __init__(self, graph: Graph) -> None:
        self._types: Mapping[Value, _Type]
        declared = dict(zip(graph.result_names, (value.dtype for value in graph.results), strict=True))
        try:
            self._types, results = _infer(graph)
        except GraphError:
            self._types, results = {}, {}
        # A quantised result may be declared as the numbers that its integers stand for.
        self._results = {name: kind for name, kind in results.items() if declared[name] in (None, kind[0])}
        self._layouts = {value: _layout(value) for value in self._types}

    def check(self, graph: Graph) -> None:
        """Raise `VerifyError` for a value or result whose dtype, rank or known sizes differ from now on.

        The value of a node that has its kernel may change its dtype and the order of its axes: the passes
        that insert casts and transposes adapt it to the kernel's place.
        """
        if not self._types:
            return
        types, results = _infer(graph)
        for value, expected in self._types.items():
            if value not in types or _layout(value) != self._layouts[value]:
                continue
            if value.producer is None or value.producer.place is None:
                _compare(f"graph {value.graph.name}, value {value!r}", expected, types[value])
        for name, expected in self._results.items():
            if name in results:
                _compare(f"graph {graph.name}, result {name!r}", expected, results[name])


def _infer(graph: Graph) -> tuple[Mapping[Value, _Type], Mapping[str, _Type]]:
    """The inferred types of all values, and of the graph's results by name."""
    declared = {value: (value.dtype, value.shape) for value in _values(graph)}
    try:
        infer_graph(graph)
        types = {value: (value.dtype, value.shape) for value in declared}
        pairs = zip(graph.result_names, graph.results, strict=True)
        return types, {name: (value.dtype, value.shape) for name, value in pairs}
    finally:
        for value, (dtype, shape) in declared.items():
            value.dtype, value.shape = dtype, shape


def _values(graph: Graph) -> Iterator[Value]:
    for each in graph.walk(regions=True):
        yield from each.args
        for node in each:
            yield from node.all_outputs()


def _layout(value: Value) -> tuple[DType | None, Layout]:
    place = value.place
    return (None, Layout.ANY) if place is None else (place.dtype, place.layout)


def _compare(where: str, expected: _Type, got: _Type) -> None:
    dtypes = {dtype for dtype, _ in (expected, got) if dtype is not None}
    if len(dtypes) > 1 or _differ(expected[1], got[1]):
        raise VerifyError(f"{where}: was {_text(expected)}, became {_text(got)}")


def _differ(before: Shape | None, after: Shape | None) -> bool:
    """Whether no tensor has both shapes."""
    if before is None or after is None:
        return False
    pairs = zip(before, after, strict=False)
    known = (a != b for a, b in pairs if isinstance(a, int) and isinstance(b, int))
    return len(before) != len(after) or any(known)


def _text(value_type: _Type) -> str:
    dtype, shape = value_type
    return f"{dtype}[{'...' if shape is None else ','.join(map(str, shape))}]"
