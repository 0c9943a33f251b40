"""Removes ops whose attributes make them return their input."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from lite.ir.graph import Graph, Node, Value
from lite.ir.types import is_known
from lite.passes.base import Outcome, Pass, PassContext, Result
from lite.passes.match import attributes
from lite.passes.registry import register_pass

_END = 2**31 - 1
"""The end of a slice that reaches beyond any axis."""


@register_pass
class IdentityOpEliminatePass(Pass):
    """Removes concat and split of one tensor, slices of whole axes, expansions and paddings by nothing::

        %a = concat(X=%x)  ->  %y = relu(X=%x)
        %y = relu(X=%a)

    A result keeps its name.  Values whose quantisation differs from their input's stay.
    """

    name: ClassVar[str] = "identity_op_eliminate_pass"
    after: ClassVar[tuple[str, ...]] = ("canonicalize_pass",)

    def run(self, graph: Graph, ctx: PassContext) -> Result:
        """Removes every such node."""
        found = [node for node in graph if _is_identity(node)]
        for node in found:
            graph.replace_uses(node.output(), _sources(node)[0])
            graph.erase(node)
        return Outcome.of(bool(found))


def _is_identity(node: Node) -> bool:
    rule = _RULES.get(node.op)
    sources, outputs = _sources(node), list(node.all_outputs())
    if rule is None or len(sources) != 1 or len(outputs) != 1:
        return False
    source, out = sources[0], outputs[0]
    same = source.quant == out.quant and source.kind == out.kind and not source.lod_level
    return same and rule(node, source, out)


def _sources(node: Node) -> list[Value]:
    """The inputs; of a padding without the number that it puts around them."""
    return [value for slot, values in node.inputs.items() if slot != "Value" for value in values]


def _always(_: Node, _source: Value, _out: Value) -> bool:
    return True


def _has_all_ranges(node: Node, source: Value, _: Value) -> bool:
    """slice and strided_slice: each range is the whole axis, and no axis is removed."""
    attrs = attributes(node)
    axes, starts, ends = (attrs.integers(name) for name in ("axes", "starts", "ends"))
    if attrs["decrease_axis"] or source.shape is None or len({len(axes), len(starts), len(ends)}) > 1:
        return False
    strides = attrs.integers("strides") if node.op == "strided_slice" else [1] * len(axes)
    sizes = [source.shape[axis] for axis in axes]
    reach = [end >= (size if isinstance(size, int) else _END) for end, size in zip(ends, sizes, strict=True)]
    return all(reach) and not any(starts) and strides == [1] * len(axes)


def _has_same_shape(_: Node, source: Value, out: Value) -> bool:
    return is_known(source.shape) and source.shape == out.shape


def _repeats_once(node: Node, source: Value, _: Value) -> bool:
    times = attributes(node).integers("repeat_times")
    return source.shape is not None and len(times) <= len(source.shape) and set(times) <= {1}


def _adds_no_border(node: Node, _source: Value, _out: Value) -> bool:
    return not any(attributes(node).integers("paddings"))


_RULES: dict[str, Callable[[Node, Value, Value], bool]] = {
    "concat": _always,
    "expand_v2": _has_same_shape,
    "pad_nd": _adds_no_border,
    "slice": _has_all_ranges,
    "split": _always,
    "strided_slice": _has_all_ranges,
    "sum": _always,
    "tile": _repeats_once,
}
