"""Removes casts without loss before other casts."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from lite.ir.graph import Graph, Node
from lite.ir.types import DType
from lite.passes.base import Outcome, Pass, PassContext, Result
from lite.passes.match import attributes, erase_unread, producer
from lite.passes.registry import register_pass

_PLAIN = frozenset(
    {DType.BOOL, DType.INT8, DType.INT16, DType.INT32, DType.INT64, DType.UINT8}
    | {DType.FLOAT16, DType.FLOAT32, DType.FLOAT64}
)


@register_pass
class RedundantCastEliminatePass(Pass):
    """Removes a cast to a wider type before another cast::

        %a = cast(X=%x) {out_dtype = 3}: int64   (%x: int32)  ->  %y = cast(X=%x) {out_dtype = 5}
        %y = cast(X=%a) {out_dtype = 5}

    The type is wider if it holds every value of the input's type.  If the second cast returns to the input's
    type, both are removed.
    """

    name: ClassVar[str] = "redundant_cast_eliminate_pass"
    needs: ClassVar[tuple[str, ...]] = ("cast",)
    after: ClassVar[tuple[str, ...]] = ("canonicalize_pass",)

    def run(self, graph: Graph, ctx: PassContext) -> Result:
        """The first cast stays if another node reads it."""
        changes = [_simplify(graph, node) for node in graph if node.op == "cast"]
        return Outcome.of(any(changes))


def _simplify(graph: Graph, last: Node) -> bool:
    value, out = last.input("X"), last.output("Out")
    first = producer(value, ("cast",))
    if first is None:
        return False
    source = first.input("X")
    if any(each.quant is not None for each in (source, value, out)) or not _keeps_all(first):
        return False
    if source.dtype is not None and attributes(last)["out_dtype"] == source.dtype.code:
        graph.replace_uses(out, source)
        erase_unread([out])
    else:
        last.set_input("X", [source])
        last.attrs["in_dtype"] = -1 if source.dtype is None else source.dtype.code
        erase_unread([value])
    return True


def _keeps_all(cast: Node) -> bool:
    """Whether the output's type holds every value of the input's type."""
    source, wide = cast.input("X").dtype, DType.from_code(attributes(cast).integer("out_dtype"))
    return (
        source in _PLAIN and wide in _PLAIN and source is not None and np.can_cast(source.numpy, wide.numpy)
    )
