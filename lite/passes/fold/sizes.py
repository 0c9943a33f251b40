"""Which sizes are equal, although no one knows them before the first run."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from lite.errors import GraphError
from lite.ir.graph import Graph, Node, Value
from lite.ir.program import VarKind
from lite.ir.types import UNKNOWN, Dim, DType, Shape
from lite.ops import SCHEMAS, Meta, check_slots, infer
from lite.ops.schema import LOD_BY_KERNEL
from lite.passes.match import attributes

MAIN = "main"
"""The name of a graph that is no sub-block."""

MAX_ELEMENTS = 64
"""Shapes are small."""

_SAME_ELEMENTS = frozenset(
    {"assign", "cast", "flatten_contiguous_range", "reshape2", "squeeze2", "unsqueeze2"}
)


def named(shape: Shape) -> Shape:
    """`shape` with a name for each size that has none: no two of them are taken to be equal."""
    return tuple(f"axis {n}" if dim == UNKNOWN else dim for n, dim in enumerate(shape))


class Sizes:
    """The shapes of a graph's values with a name for every unknown size: equal names are equal sizes.

    Nodes are told one after another, in their order (`add`); the elements of small whole-number
    tensors that were taken from shapes are followed, too.  In a sub-block, declared sizes do not count:
    they may hold for the first iteration only.
    """

    def __init__(self, graph: Graph) -> None:
        self._numbers = itertools.count()
        self._shapes: dict[Value, Shape] = {}
        self._elements: dict[Value, tuple[Dim, ...]] = {}
        self._trusted = graph.name == MAIN
        for value in graph.constants.values():
            self._enter(value, value.shape)
        for value in graph.args:
            self._enter(value, self._declared(value))

    def shape(self, value: Value) -> Shape | None:
        """The shape of a value; None when even the rank is not known."""
        return self._shapes.get(value)

    def elements(self, value: Value) -> tuple[Dim, ...] | None:
        """The elements of a whole-number tensor; None when nothing is known of them."""
        data = value.data
        if data is None:
            return self._elements.get(value)
        if data.dtype.kind not in "iu" or data.size > MAX_ELEMENTS or value.quant is not None:
            return None
        return tuple(int(item) for item in data.reshape(-1))

    def add(self, node: Node) -> None:
        """Enter what is known of the outputs of the next node."""
        inferred = self._inferred(node)
        for slot, values in node.outputs.items():
            shapes: Sequence[Shape | None] = inferred.get(slot) or [None] * len(values)
            for value, shape in zip(values, shapes, strict=True):
                self._enter(value, _merged(shape, self._declared(value)))
        found = self._followed(node)
        if found is not None:
            self._elements[node.output("Out")] = found

    def _declared(self, value: Value) -> Shape | None:
        if self._trusted or value.shape is None:
            return value.shape
        return (UNKNOWN,) * len(value.shape)

    def _enter(self, value: Value, shape: Shape | None) -> None:
        if shape is not None and value.kind == VarKind.TENSOR:
            self._shapes[value] = tuple(
                f"size {next(self._numbers)}" if dim == UNKNOWN else dim for dim in shape
            )

    def _inferred(self, node: Node) -> dict[str, list[Shape | None]]:
        schema = SCHEMAS.get(node.op)
        if schema is None or schema.control_flow or schema.lod == LOD_BY_KERNEL or node.blocks:
            return {}
        inputs = {slot: [self._meta(value) for value in values] for slot, values in node.inputs.items()}
        counts = {slot: len(values) for slot, values in node.outputs.items()}
        try:
            check_slots(schema, {slot: len(metas) for slot, metas in inputs.items()}, counts)
            found = infer(schema, inputs, attributes(node), counts)
        except GraphError:
            # Whoever runs the op is told so; here it only makes no sizes known.
            return {}
        return {slot: [meta.shape for meta in metas] for slot, metas in found.items()}

    def _meta(self, value: Value) -> Meta:
        dtype = value.dtype or DType.FLOAT32
        is_array = value.kind == VarKind.TENSOR_ARRAY
        return Meta(dtype, self._shapes.get(value), value.data, is_array=is_array)

    def _followed(self, node: Node) -> tuple[Dim, ...] | None:
        if node.op == "shape":
            return self._shapes.get(node.input("Input"))
        if node.op in _SAME_ELEMENTS and set(node.inputs) == {"X"}:
            out = node.output("Out")
            whole = out.dtype is not None and out.dtype.is_integer
            return self.elements(node.input("X")) if whole else None
        if node.op == "slice" and set(node.inputs) == {"Input"}:
            return self._sliced(node)
        if node.op == "concat" and set(node.inputs) == {"X"}:
            parts = [self.elements(value) for value in node.inputs["X"]]
            shapes = [self._shapes.get(value) for value in node.inputs["X"]]
            flat = all(shape is not None and len(shape) == 1 for shape in shapes)
            known = [part for part in parts if part is not None]
            return tuple(itertools.chain(*known)) if flat and len(known) == len(parts) else None
        return None

    def _sliced(self, node: Node) -> tuple[Dim, ...] | None:
        elements, attrs = self.elements(node.input("Input")), attributes(node)
        shape = self._shapes.get(node.input("Input"))
        if elements is None or shape is None or len(shape) != 1 or attrs["axes"] not in ([0], [-1]):
            return None
        start, end = attrs.integers("starts")[0], attrs.integers("ends")[0]
        # An index of -1 is written as the range from -1 to 0.
        return elements[start : len(elements) if (start, end) == (-1, 0) else end]


def _merged(found: Shape | None, declared: Shape | None) -> Shape | None:
    """A declared number counts where the rule found none."""
    if found is None or declared is None or len(found) != len(declared):
        return declared if found is None else found
    return tuple(
        b if isinstance(b, int) and not isinstance(a, int) else a
        for a, b in zip(found, declared, strict=True)
    )
