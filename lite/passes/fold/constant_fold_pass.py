"""What does not depend on the inputs is computed once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import ClassVar

from lite.errors import LiteError
from lite.ir.build import CONDITIONAL, WHILE, block_inputs
from lite.ir.graph import Graph, Node, Value
from lite.ir.program import VarKind
from lite.ir.types import Array
from lite.ops import SCHEMAS, Meta, OpSchema
from lite.ops.infer_graph import infer_anew, infer_metas
from lite.ops.schema import LOD_BY_KERNEL
from lite.ops.view import product
from lite.passes.base import Outcome, Pass, PassContext, Result
from lite.passes.cleanup.attribute_slots import constant_slots_to_attributes
from lite.passes.fold.elements import MAX_ELEMENTS, Elements, elements_of, partial_elements
from lite.passes.fold.reshape_sizes import fold_reshape_sizes
from lite.passes.match import attributes
from lite.passes.registry import register_pass
from lite.plugin.kernel import evaluate


@register_pass
@dataclass(frozen=True)
class ConstantFoldPass(Pass):
    """Ops on constants, and sizes that are known before the first run, become constants::

        %s = shape(Input=%x): int32[4]   (%x: float32[?,3,8,8])
        %c = slice(Input=%s) {axes = [0], starts = [1], ends = [2]}  ->  %c = constant int32[1] [3]

    The shapes that the user promised are those of the graph's arguments first, and all shapes are
    inferred anew.  Where reshape2 is told all sizes but one, that one becomes -1.  A result of more than
    `max_bytes` is made only where it is no larger than what it is made of.  Ops that are random, have
    effects or read LoDs stay, as does one whose kernel fails: it may never run.
    """

    max_bytes: int = 1 << 20

    name: ClassVar[str] = "constant_fold_pass"
    after: ClassVar[tuple[str, ...]] = ("canonicalize_pass",)
    whole_program: ClassVar[bool] = True

    def run(self, graph: Graph, ctx: PassContext) -> Result:
        """Infer types, then fold until nothing more can be folded."""
        changed, metas = infer_anew(graph)
        # What is folded may tell shapes, and those what else can be folded.
        while _Folder(self.max_bytes, metas).fold(graph):
            changed = True
            metas = infer_metas(graph)
        return Outcome.of(changed)


class _Folder:
    """One walk over a graph and the graphs nested in it."""

    def __init__(self, max_bytes: int, metas: Mapping[Value, Meta]) -> None:
        self.max_bytes = max_bytes
        self.metas = metas
        self.elements: dict[Value, Elements] = {}

    def fold(self, graph: Graph) -> bool:
        """Whether anything was folded."""
        changed = False
        for node in graph:
            schema = SCHEMAS.get(node.op)
            if schema is None:
                continue
            changed |= constant_slots_to_attributes(node, schema)
            changed |= fold_reshape_sizes(node, self._known)
            if node.op == WHILE or node.op in CONDITIONAL:
                changed |= _hand_in(node)
                changed |= self.fold(node.blocks[0])
            elif _is_pure(node, schema):
                changed |= self._fold_node(graph, node)
        return graph.drop_unused_constants() or changed

    def _known(self, value: Value) -> Elements | None:
        return elements_of(value, self.elements)

    def _fold_node(self, graph: Graph, node: Node) -> bool:
        found = dict(self._constants(node))
        for value, array in found.items():
            graph.replace_uses(value, graph.add_constant(value.name, array))
        if found and not any(value.is_used for value in node.all_outputs()):
            graph.erase(node)
        return bool(found)

    def _constants(self, node: Node) -> Iterator[tuple[Value, Array]]:
        """The outputs that are known, with their elements."""
        for value in node.all_outputs():
            meta = self.metas.get(value)
            if value.is_used and meta is not None and meta.value is not None:
                yield value, meta.value
        try:
            if all(value.is_constant for value in node.all_inputs()):
                yield from self._evaluated(node)
            else:
                yield from self._element_by_element(node)
        except LiteError:
            # The op cannot be computed on these constants: whoever runs it is told so.
            return

    def _evaluated(self, node: Node) -> Iterator[tuple[Value, Array]]:
        given = [value.data.nbytes for value in node.all_inputs() if value.data is not None]
        limit = max(self.max_bytes, sum(given))
        expected = [self._bytes(value) for value in node.all_outputs()]
        if sum(size for size in expected if size is not None) > limit:
            return
        inputs = {
            slot: [v.data for v in values if v.data is not None] for slot, values in node.inputs.items()
        }
        outputs = {slot: len(values) for slot, values in node.outputs.items()}
        results = evaluate(node.op, inputs, attributes(node), outputs)
        found = [
            (value, result.array)
            for slot, values in node.outputs.items()
            for value, result in zip(values, results[slot], strict=True)
            if value.is_used
        ]
        if sum(array.nbytes for _, array in found) <= limit:
            yield from ((value, _own(array)) for value, array in found)

    def _bytes(self, value: Value) -> int | None:
        meta = self.metas.get(value)
        count = None if meta is None or meta.shape is None else product(meta.shape)
        return None if count is None or meta is None else count * meta.dtype.itemsize

    def _element_by_element(self, node: Node) -> Iterator[tuple[Value, Array]]:
        for slot, items in partial_elements(node, self.elements, self.metas).items():
            for value, item in zip(node.outputs[slot], items, strict=True):
                if item.all_known and value.is_used:
                    yield value, _own(item.array)
                elif item.array.size <= MAX_ELEMENTS:
                    self.elements[value] = item


def _is_pure(node: Node, schema: OpSchema) -> bool:
    values = [*node.all_inputs(), *node.all_outputs()]
    return (
        schema.foldable
        and schema.lod != LOD_BY_KERNEL
        and not (node.effect or node.blocks or schema.control_flow)
        and all(value.quant is None and value.kind == VarKind.TENSOR for value in values)
        and not any(value.is_constant and value.lod_level for value in values)
    )


def _own(array: Array) -> Array:
    """The array without the rest of the memory that it may be a small view of."""
    kept = array.flags.c_contiguous and (array.base is None or array.base.nbytes == array.nbytes)
    return array if kept else array.copy(order="C")


def _hand_in(node: Node) -> bool:
    """Give a sub-block its own copy of each constant it only reads."""
    block = node.blocks[0]
    carried = node.attrs["carried"]
    changed = False
    for position, (value, argument) in enumerate(zip(block_inputs(node), block.args, strict=True)):
        is_carried = isinstance(carried, int) and position < carried
        if value.data is None or is_carried or not argument.is_used:
            continue
        block.replace_uses(argument, block.add_constant(value.name, value.data))
        changed = True
    return changed
