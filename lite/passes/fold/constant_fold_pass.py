"""Computes values that do not depend on the inputs once, before the first run."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from lite.dataclass import dataclass
from lite.errors import LiteError
from lite.ir.build import CONDITIONAL, WHILE, block_inputs
from lite.ir.graph import Graph, Node, Value
from lite.ir.program import VarKind
from lite.ir.quantized_arrays import real_array
from lite.ir.types import Array
from lite.ops import SCHEMAS, OpSchema, Trait
from lite.ops.infer_graph import Inference, infer_changes
from lite.ops.schema import LOD_BY_KERNEL
from lite.ops.view import product
from lite.passes.base import Outcome, Pass, PassContext, Result
from lite.passes.cleanup.attribute_slots import constant_slots_to_attributes
from lite.passes.fold.element_inference import inference_of
from lite.passes.fold.elements import elements_of, elements_of_node
from lite.passes.fuse.quantize.integer_products import is_weight_of_integers
from lite.passes.fuse.quantize.stored_weights import is_stored_weight
from lite.passes.match import attributes
from lite.passes.registry import register_pass
from lite.plugin.kernel import evaluate
from lite.plugin.kernel.partial_elements import MAX_ELEMENTS, BySlot, Elements, is_tracked


@register_pass
@dataclass(frozen=True)
class ConstantFoldPass(Pass):
    """Replaces ops on constants, and sizes that are known before the first run, by constants::

        %s = shape(Input=%x): int32[4]   (%x: float32[?,3,8,8])
        %c = slice(Input=%s) {axes = [0], starts = [1], ends = [2]}  ->  %c = constant int32[1] [3]

    All types and shapes are inferred again first.  Where all sizes of a reshape2 but one are known, the
    unknown size becomes -1 in its attribute.  A result of more than `max_bytes` is computed only if it is
    no larger than the distinct inputs of the op, and only up to `Limits.folded_bytes` for all results.
    Random ops, ops with effects and ops that read LoDs stay, and so do ops whose kernel fails: they may
    never run.  Weights that ``quant_dequant_fuse_pass`` gives to integer kernels stay quantised.
    """

    max_bytes: int = 1 << 24

    name: ClassVar[str] = "constant_fold_pass"
    after: ClassVar[tuple[str, ...]] = ("canonicalize_pass",)
    whole_program: ClassVar[bool] = True

    def run(self, graph: Graph, ctx: PassContext) -> Result:
        """Infer types, then fold until nothing more can be folded."""
        inference = inference_of(graph)
        changed, metas = infer_changes(graph, inference)
        for value, meta in metas.items():
            count = None if meta.shape is None else product(meta.shape)
            ctx.limits.check("elements", count or 0, f"%{value.name}")
        is_folded = _Folder(self.max_bytes, inference, ctx).fold(graph, is_main=True)
        return Outcome.of(changed or is_folded)


class _Folder:
    """Folds one graph and the graphs nested in it, in walks.

    `elements` has the values of which some elements are known.
    """

    def __init__(self, max_bytes: int, inference: Inference, ctx: PassContext) -> None:
        self.ctx = ctx
        self.max_bytes = max_bytes
        self.inference = inference
        self.metas = inference.metas
        self.elements: dict[Value, Elements] = {}
        self._budget = ctx.limits.folded_bytes
        self._refined: set[Value] = set()
        self._partial: dict[Node, _Partial] = {}

    def fold(self, graph: Graph, *, is_main: bool = False) -> bool:
        """Fold what can be folded in a walk; whether anything could."""
        changed = False
        for node in graph:
            schema = SCHEMAS.get(node.op)
            if schema is None:
                continue
            is_rewritten = constant_slots_to_attributes(node, schema)
            is_rewritten |= node.op == "reshape2" and self._fold_reshape(node)
            if is_rewritten:
                changed = True
                self._partial.pop(node, None)
            if is_main and (is_rewritten or not self._refined.isdisjoint(node.all_inputs())):
                self._infer(node)
            if node.op == WHILE or node.op in CONDITIONAL:
                changed |= self._fold_block(node, is_main=is_main)
            elif _is_pure(node, schema) and not _stays_small(node, self.ctx):
                changed |= self._fold_node(graph, node)
        return graph.drop_unused_constants() or changed

    def _fold_block(self, node: Node, *, is_main: bool) -> bool:
        """Fold the sub-block of a node; whether anything could be folded.

        Folded values may determine further shapes, in a loop also those of earlier nodes: the block of a node
        of the main graph is inferred and folded until nothing changes.
        """
        changed = _move_into_block(node)
        while self.fold(node.blocks[0]):
            changed = True
            if not is_main:
                break
            self._infer(node)
        return changed

    def _infer(self, node: Node) -> None:
        """Infer a node again whose inputs or attributes say more than when `metas` was made."""
        if self.inference.again(node):
            self._refined.update(node.all_outputs())

    def _fold_reshape(self, node: Node) -> bool:
        """Write the sizes of a reshape2 to its attribute, the only unknown size as -1."""
        slots = [slot for slot in ("Shape", "ShapeTensor") if slot in node.inputs]
        if len(slots) != 1:
            return False
        sizes: list[int | None] = []
        for value in node.inputs[slots[0]]:
            partial = elements_of(value, self.elements)
            if partial is not None:
                numbers, known = partial.array.reshape(-1).tolist(), partial.known.reshape(-1).tolist()
                sizes += [int(n) if is_known else None for n, is_known in zip(numbers, known, strict=True)]
            elif slots[0] == "ShapeTensor":
                # Each tensor of the list is one size.
                sizes.append(None)
            else:
                return False
        if sizes.count(None) != 1 or -1 in sizes:
            return False
        node.attrs["shape"] = [-1 if size is None else size for size in sizes]
        node.set_input(slots[0], ())
        return True

    def _fold_node(self, graph: Graph, node: Node) -> bool:
        constants = dict(self._constants(node))
        for value, array in constants.items():
            constant = graph.add_constant(value.name, array)
            graph.replace_uses(value, constant)
            self._refined.add(constant)
        if constants and not any(value.is_used for value in node.all_outputs()):
            graph.erase(node)
        return bool(constants)

    def _constants(self, node: Node) -> Iterator[tuple[Value, Array]]:
        """The outputs of a node whose elements are all known, with their arrays."""
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
            # The op fails on these constants, and the run reports it if the op ever runs.
            return

    def _evaluated(self, node: Node) -> Iterator[tuple[Value, Array]]:
        inputs_of_node = dict.fromkeys(node.all_inputs())
        input_bytes = sum(value.data.nbytes for value in inputs_of_node if value.data is not None)
        limit = min(max(self.max_bytes, input_bytes), self._budget)
        expected = [self._bytes(value) for value in node.all_outputs()]
        if sum(size for size in expected if size is not None) > limit:
            return
        inputs = {
            slot: [array for value in values if (array := real_array(value)) is not None]
            for slot, values in node.inputs.items()
        }
        outputs = {slot: len(values) for slot, values in node.outputs.items()}
        results = evaluate(node.op, inputs, attributes(node), outputs)
        constants = [
            (value, result.array)
            for slot, values in node.outputs.items()
            for value, result in zip(values, results[slot], strict=True)
            if value.is_used
        ]
        size = sum(array.nbytes for _, array in constants)
        if size <= limit:
            self._budget -= size
            yield from ((value, _own(array)) for value, array in constants)

    def _bytes(self, value: Value) -> int | None:
        meta = self.metas.get(value)
        count = None if meta is None or meta.shape is None else product(meta.shape)
        return None if count is None or meta is None else count * meta.dtype.itemsize

    def _element_by_element(self, node: Node) -> Iterator[tuple[Value, Array]]:
        for slot, items in self._partial_elements(node).items():
            for value, item in zip(node.outputs[slot], items, strict=True):
                if item.all_known and value.is_used:
                    yield value, _own(item.array)
                elif item.array.size <= MAX_ELEMENTS:
                    self.elements[value] = item

    def _partial_elements(self, node: Node) -> BySlot:
        """`elements_of_node`, computed again only if something else is known about the inputs."""
        if not is_tracked(node.op):
            return {}
        if node.op == "shape":
            meta = self.metas.get(node.input("Input"))
            known: tuple[object, ...] = (None if meta is None else meta.shape,)
        else:
            known = tuple(self.elements.get(value, value.data) for value in node.all_inputs())
        if any(each is None for each in known):
            return {}
        last = self._partial.get(node)
        if last is None or not last.is_of(known):
            last = _Partial(known, elements_of_node(node, self.elements, self.metas))
            self._partial[node] = last
        return last.results


@dataclass(frozen=True, eq=False)
class _Partial:
    """The elements of a node's outputs, and what was known about its inputs."""

    known: tuple[object, ...]
    results: BySlot

    def is_of(self, known: tuple[object, ...]) -> bool:
        """Whether the same is known: the same objects, or an equal shape."""
        pairs = zip(self.known, known, strict=False)
        return len(self.known) == len(known) and all(
            first is second or (isinstance(first, tuple) and first == second) for first, second in pairs
        )


def _stays_small(node: Node, ctx: PassContext) -> bool:
    """Whether kernels read the constant of a node in its smaller type."""
    return is_weight_of_integers(node, ctx) or is_stored_weight(node, ctx)


def _is_pure(node: Node, schema: OpSchema) -> bool:
    values = [*node.all_inputs(), *node.all_outputs()]
    # What is moved stays quantised, as the weights of products are.
    has_quantised = Trait.MOVEMENT not in schema.traits
    return (
        schema.foldable
        and schema.lod != LOD_BY_KERNEL
        and not (node.effect or node.blocks or schema.control_flow)
        and all(value.kind == VarKind.TENSOR for value in values)
        and all(value.quant is None or (has_quantised and value.is_constant) for value in values)
        and not any(value.is_constant and value.lod_level for value in values)
    )


def _own(array: Array) -> Array:
    """The array, copied if it is a view of a larger buffer, so that the buffer can be freed."""
    kept = array.flags.c_contiguous and (array.base is None or array.base.nbytes == array.nbytes)
    return array if kept else array.copy(order="C")


def _move_into_block(node: Node) -> bool:
    """Give a sub-block constants of its own for the constant inputs that it only reads."""
    block = node.blocks[0]
    changed = False
    for position, (value, argument) in enumerate(zip(block_inputs(node), block.args, strict=True)):
        if value.data is None or position < node.carried or not argument.is_used:
            continue
        constant = block.add_constant(value.name, value.data)
        constant.copy_type(value)
        block.replace_uses(argument, constant)
        changed = True
    return changed
