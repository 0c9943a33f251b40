"""Merges equal nodes and equal constants."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import ClassVar

import numpy as np

from lite.ir.graph import Graph, Node, Value
from lite.ir.program import VarKind
from lite.ir.types import Array
from lite.ops import SCHEMAS
from lite.passes.base import Outcome, Pass, PassContext, Result
from lite.passes.registry import register_pass

_SAMPLES = 16


@register_pass
class CommonSubexpressionEliminationPass(Pass):
    """Merges nodes with the same op, inputs and attributes into the first, and equal constants into one::

        %a = relu(X=%x)                          %a = relu(X=%x)
        %b = relu(X=%x)                     ->   %c = elementwise_add(X=%a, Y=%a)
        %c = elementwise_add(X=%a, Y=%b)

    Whole branches are merged, node after node.  Random ops and ops with effects stay.
    """

    name: ClassVar[str] = "common_subexpression_elimination_pass"
    after: ClassVar[tuple[str, ...]] = ("canonicalize_pass",)

    def run(self, graph: Graph, ctx: PassContext) -> Result:
        """Merges only within one graph; a result keeps its name."""
        changed = _merge_constants(graph)
        seen: dict[Hashable, Node] = {}
        same: dict[Value, Value] = {}
        repeated: list[Node] = []
        for node in graph:
            if not _is_pure(node):
                continue
            first = seen.setdefault(_key(node, same), node)
            if first is not node:
                repeated.append(node)
                for slot, values in node.outputs.items():
                    same.update(zip(values, first.outputs[slot], strict=True))
        # All at once: a node with many inputs would otherwise be rewritten once for each.
        graph.replace_all_uses(same)
        for node in reversed(repeated):
            graph.erase(node)
        return Outcome.of(changed or bool(repeated))


def _is_pure(node: Node) -> bool:
    schema = SCHEMAS.get(node.op)
    if schema is None or not schema.foldable or schema.effect or schema.control_flow:
        return False
    values = [*node.all_inputs(), *node.all_outputs()]
    return not node.effect and not node.blocks and all(value.kind == VarKind.TENSOR for value in values)


def _key(node: Node, same: Mapping[Value, Value]) -> Hashable:
    """Equal for nodes that compute the same; `same` has the values that are replaced."""
    attrs = SCHEMAS[node.op].attr_values(node.attrs)
    inputs = sorted(
        (slot, tuple(same.get(value, value).id for value in values)) for slot, values in node.inputs.items()
    )
    outputs = sorted(
        (slot, tuple((value.dtype, value.quant, value.lod_level) for value in values))
        for slot, values in node.outputs.items()
    )
    # Equal numbers of different types print differently: 1, 1.0 and True.
    return node.op, repr(attrs), tuple(inputs), tuple(outputs), node.place


def _merge_constants(graph: Graph) -> bool:
    same: dict[Value, Value] = {}
    for alike in _grouped(graph.constants.values(), _sample):
        # Most weights of one shape differ in a few elements: only the others are read whole.
        for first, *others in _grouped(alike, _digest):
            same.update(dict.fromkeys(others, first))
    graph.replace_all_uses(same)
    return graph.drop_unused_constants() or bool(same)


def _grouped(values: Iterable[Value], key: Callable[[Array], bytes]) -> list[Sequence[Value]]:
    """The `values` in groups with the same type and the same `key` of their elements."""
    groups: defaultdict[Hashable, list[Value]] = defaultdict(list)
    for value in values:
        if value.data is not None and value.data.dtype.kind != "O":
            types = (value.dtype, value.data.shape, value.quant, value.lod_level, value.place)
            groups[types, key(value.data)].append(value)
    return [group for group in groups.values() if len(group) > 1]


def _sample(data: Array) -> bytes:
    flat = (data.T if data.flags.f_contiguous else data).reshape(-1)  # a view
    return flat[:: max(1, flat.size // _SAMPLES)].tobytes()


def _digest(data: Array) -> bytes:
    import hashlib  # imported late: few models have constants that look alike

    return hashlib.sha256(np.ascontiguousarray(data).view(np.uint8).data).digest()
