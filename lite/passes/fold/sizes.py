"""Sizes: which sizes are equal although they are unknown before the first run."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from lite.errors import GraphError
from lite.ir.graph import Graph, Node, Value
from lite.ir.program import VarKind
from lite.ir.types import UNKNOWN, Dim, DType, Shape
from lite.ops import SCHEMAS, Meta, Trait, check_slots, has_trait, infer
from lite.ops.schema import LOD_BY_KERNEL
from lite.passes.match import attributes

MAIN = "main"
"""The name of a graph that is not a sub-block."""

MAX_ELEMENTS = 64
"""Larger tensors are not tracked; shapes are small."""


def named(shape: Shape) -> Shape:
    """`shape` with a different name for each unknown size, so that no two of them count as equal."""
    return tuple(f"axis {n}" if dim == UNKNOWN else dim for n, dim in enumerate(shape))


class Sizes:
    """The shapes of a graph's values with a name for each unknown size: equal names are equal sizes.

    The caller adds the nodes in their order.  The elements of small integer tensors that stem from shapes
    are tracked, too.  In a sub-block, declared sizes are ignored, because they may hold for the first
    iteration of a loop only.
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

    @classmethod
    def of(cls, graph: Graph) -> Sizes:
        """The sizes of all values of a graph."""
        sizes = cls(graph)
        for node in graph:
            sizes.add(node)
        return sizes

    def shape(self, value: Value) -> Shape | None:
        """The shape of a value; None if even the rank is unknown."""
        return self._shapes.get(value)

    def elements(self, value: Value) -> tuple[Dim, ...] | None:
        """The elements of an integer tensor; None if they are unknown."""
        data = value.data
        if data is None:
            return self._elements.get(value)
        if data.dtype.kind not in "iu" or data.size > MAX_ELEMENTS or value.quant is not None:
            return None
        return tuple(int(item) for item in data.reshape(-1))

    def add(self, node: Node) -> None:
        """Add the next node: enter the shapes and elements of its outputs."""
        inferred = {} if self._has_numbers(node) else self._inferred(node)
        for slot, values in node.outputs.items():
            shapes: Sequence[Shape | None] = inferred.get(slot) or [None] * len(values)
            for value, shape in zip(values, shapes, strict=True):
                self._enter(value, _merged(shape, self._declared(value)))
        elements = self._tracked(node)
        if elements is not None:
            self._elements[node.output("Out")] = elements

    def _has_numbers(self, node: Node) -> bool:
        """Whether all sizes of the outputs are declared as numbers, to which a rule would add nothing."""
        if not self._trusted:
            return False
        shapes = [value.shape for value in node.all_outputs()]
        return all(shape is not None and all(isinstance(dim, int) for dim in shape) for shape in shapes)

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
            outputs = infer(schema, inputs, attributes(node), counts)
        except GraphError:
            # The op is not valid, and the run reports it; here its shapes stay unknown.
            return {}
        return {slot: [meta.shape for meta in metas] for slot, metas in outputs.items()}

    def _meta(self, value: Value) -> Meta:
        dtype = value.dtype or DType.FLOAT32
        is_array = value.kind == VarKind.TENSOR_ARRAY
        return Meta(dtype, self._shapes.get(value), value.data, is_array=is_array)

    def _tracked(self, node: Node) -> tuple[Dim, ...] | None:
        if node.op == "shape":
            return self._shapes.get(node.input("Input"))
        keeps_elements = has_trait(node.op, Trait.RESHAPE) or node.op in ("assign", "cast")
        if keeps_elements and set(node.inputs) == {"X"}:
            out = node.output("Out")
            is_integer = out.dtype is not None and out.dtype.is_integer
            return self.elements(node.input("X")) if is_integer else None
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
        # Models write the index -1 as the range from -1 to 0.
        return elements[start : len(elements) if (start, end) == (-1, 0) else end]


def _merged(inferred: Shape | None, declared: Shape | None) -> Shape | None:
    """The inferred shape, with declared numbers where no number was inferred."""
    if inferred is None or declared is None or len(inferred) != len(declared):
        return declared if inferred is None else inferred
    return tuple(
        b if isinstance(b, int) and not isinstance(a, int) else a
        for a, b in zip(inferred, declared, strict=True)
    )
