"""Shapes of a segment, with folding of values that follow from shapes and weights alone.

Chains like ``shape`` → ``slice`` → ``fill_constant``, therefore, cost nothing in a run, and the shape rules
of later ops know the elements of shape tensors.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from lite.errors import GraphError
from lite.ir.build import WHILE
from lite.ir.types import NO_LOD, Array, DType, Shape, shape_text
from lite.ops import Meta, check_slots
from lite.ops.image_layout import infer_in_layout
from lite.ops.rules import common_shape
from lite.ops.value_attrs import constant_value
from lite.ops.view import product
from lite.plugin.kernel import KERNEL_ERRORS, Attributes, runnable
from lite.plugin.kernel.evaluation import outputs_by_slot, slot_argument
from lite.runtime.binding.partial import note_elements
from lite.runtime.binding.state import Binding, ClosedError, RegionParts, is_plannable
from lite.runtime.segment import Storage

if TYPE_CHECKING:
    from lite.runtime.plan_state import PlanState
    from lite.runtime.regions.engine import SubgraphEngine

FOLD_LIMIT = 1 << 16
"""Most elements that folding one instruction may compute: shapes and small tables, not activations."""

_FILLS_LIKE = frozenset({"fill_any_like", "fill_constant_batch_size_like"})
"""Ops that read nothing of their inputs but the sizes."""

MAIN = "main"
"""The name of the plan of a model; other plans are those of its blocks."""

Metas = Mapping[str, Sequence[Meta]]


def infer_shapes(binding: Binding, *, whole: bool = False) -> None:
    """Set the metas of the segment's values, the end of the segment, and the folded values.

    With `whole`, it ends with the plan, not where shapes depend on data.
    """
    for position in range(binding.start, len(binding.plan.instructions)):
        binding.stop = position + 1
        binding.position = position
        if position in binding.state.once:
            binding.folded.add(position)
            continue
        try:
            infer_instruction(binding, position)
            _check_elements(binding, position)
        except GraphError as error:
            item = binding.instruction(position)
            names = ", ".join(binding.plan.values[index].name for index in binding.outputs(position))
            raise GraphError(f"op {position} ({item.op} -> {names}): {error}{_sizes_of(binding)}") from error
        if binding.split and not whole:
            return


def region_parts(binding: Binding) -> RegionParts:
    """The regions of a segment with the metas of their inputs, as far as shapes are known before a run."""
    binding.parts = []
    with contextlib.suppress(GraphError, *KERNEL_ERRORS):  # binding raises it
        infer_shapes(binding)
    return binding.parts


def _sizes_of(binding: Binding) -> str:
    """The sizes that a run gave to the open inputs of a model, as the end of a message; "" in its blocks."""
    values, metas = binding.plan.values, binding.metas
    if binding.plan.name != MAIN:
        return ""
    given = [index for index in binding.plan.args if index in metas and _is_open(values[index].shape)]
    if not given:
        return ""
    shapes = ", ".join(f"{values[index].name} {shape_text(metas[index].shape)}" for index in given)
    return f"; perhaps the model does not take inputs of these sizes: {shapes}"


def _is_open(shape: Shape | None) -> bool:
    return shape is None or not all(isinstance(size, int) for size in shape)


def _check_elements(binding: Binding, position: int) -> None:
    """Raise `GraphError` for an output that is larger than the limit, before there is memory for it."""
    for index in binding.outputs(position):
        meta = binding.metas[index]
        count = None if meta.shape is None else product(meta.shape)
        if count is not None and count > binding.state.limits.elements:
            binding.state.limits.check("elements", count, binding.plan.values[index].name)


def leave_unknown(binding: Binding, position: int) -> None:
    """Leave the shapes of an instruction's outputs to the run."""
    for index in binding.outputs(position):
        info = binding.plan.values[index]
        binding.metas[index] = Meta(info.dtype or DType.FLOAT32, None, is_array=info.is_array)
    binding.split = tuple(binding.outputs(position))


def infer_instruction(binding: Binding, position: int) -> None:
    """Set the metas of an instruction's outputs, with their elements where they can be folded."""
    item, schema = binding.instruction(position), binding.state.schemas[position]
    engine = binding.state.engines[position]
    if engine is not None:
        _bind_region(binding, position, engine)
        return
    if schema.control_flow:
        results = _block_results(binding, position)
        if results is None:
            leave_unknown(binding, position)
            return
        found = dict(zip(binding.outputs(position), results, strict=True))
        binding.metas.update(found)
        if not binding.is_open:
            binding.split = tuple(index for index, meta in found.items() if not _is_bindable(meta))
        return
    sizes = {slot: len(indices) for slot, indices in item.outputs.items()}
    check_slots(schema, {slot: len(indices) for slot, indices in item.inputs.items()}, sizes)
    inputs = {slot: [binding.metas[index] for index in indices] for slot, indices in item.inputs.items()}
    inferred = infer_in_layout(schema, item.place.layout, inputs, item.attrs, sizes)
    for slot, metas in inferred.items():
        for index, meta in zip(item.outputs[slot], metas, strict=True):
            is_array = meta.is_array or binding.plan.values[index].is_array
            binding.metas[index] = meta if meta.is_array == is_array else replace(meta, is_array=is_array)
    opaque = any(binding.plan.values[index].opaque for index in binding.outputs(position))
    if schema.foldable and not (schema.effect or opaque) and _fold(binding, position, inputs, inferred):
        return
    kernel = binding.state.kernels[position]
    if binding.sized is not None:
        if schema.foldable and not (schema.effect or opaque) and note_elements(binding, position):
            _enter(binding, position, {n: binding.elements[n].array for n in binding.outputs(position)})
            return
        operands = (index for ids in (*item.inputs.values(), *item.outputs.values()) for index in ids)
        if item.op in binding.sized and not all(binding.metas[index].is_static for index in operands):
            raise ClosedError
        if not all(meta.is_static for metas in inputs.values() for meta in metas):
            return  # unknown sizes of the outputs need not depend on data
        if kernel is not None and kernel.per_run is not None:
            return  # the kernel is prepared in the run, when they are known
        if any(_has_open_elements(binding, index) for ids in item.inputs.values() for index in ids):
            return  # as those of a range up to an open size
    outputs = [binding.metas[index] for index in binding.outputs(position)]
    if not (opaque or all(map(_is_bindable, outputs))) or (kernel is not None and kernel.takes_lods):
        binding.split = tuple(binding.outputs(position))


def _has_open_elements(binding: Binding, index: int) -> bool:
    """Whether some elements of a value are sizes that an open binding does not have."""
    elements = binding.elements.get(index)
    return elements is not None and not elements.all_known


def _block_results(binding: Binding, position: int) -> list[Meta] | None:
    """The metas of the outputs of a loop or branch: tensors of known ranks and tensor arrays without LoDs.

    They follow from the block; None where only the run decides them.  A size of a carried value that the
    block changes is unknown after it::

        while (%x: float32[2,0], %h: float32[4]):  concat(%x, %y: float32[2,3]), tanh(%h)
        -> float32[2,?], float32[4]
    """
    item, block = binding.instruction(position), binding.state.blocks[position][0]
    slots = ("Condition", "X") if item.op == WHILE else ("Input",)
    args = [binding.metas[index] for slot in slots for index in item.inputs.get(slot, ())]
    if not all(map(_has_rank, args)):
        return None
    if any(engine is not None for engine in block.engines):
        return None  # to bind a region compiles its model, which a branch that is never taken does not need
    while True:
        results = _results_of(binding, block, args)
        if results is None or len(results) != len(binding.outputs(position)):
            return None
        carried = list(map(_common, results[: item.carried], args))
        found = [*carried, *results[item.carried :]]
        if not all(map(_has_rank, found)):
            return None
        if any(meta.is_array for meta in found) and block.takes_lods:
            return None
        before, args[: item.carried] = args[: item.carried], carried
        if item.op != WHILE or all(a.shape == b.shape for a, b in zip(carried, before, strict=True)):
            return found


def _results_of(binding: Binding, block: PlanState, args: Sequence[Meta]) -> list[Meta] | None:
    """The metas of a block's results for these arguments; None where they follow from the run."""
    known = (Meta(meta.dtype, meta.shape, is_array=meta.is_array) for meta in args)
    metas = {**block.metas, **dict(zip(block.plan.args, known, strict=True))}
    sized: frozenset[str] | None = None if all(map(_is_bindable, args)) else frozenset()
    inner = Binding(block, binding.memory, 0, metas, {}, block.constants, sized)
    try:
        infer_shapes(inner, whole=True)
    except (GraphError, *KERNEL_ERRORS):
        return None  # a run that gets into the block raises the error
    results = (inner.metas[index] for index in block.plan.results)
    return [Meta(each.dtype, each.shape, None, each.lod, each.is_array) for each in results]


def _common(meta: Meta, other: Meta) -> Meta:
    """The meta that holds for a value with one of two metas."""
    shape = common_shape([meta.shape, other.shape]) if meta.dtype is other.dtype else None
    return Meta(meta.dtype, shape, lod=meta.lod, is_array=meta.is_array)


def _is_bindable(meta: Meta) -> bool:
    """Whether ops that read a value can be bound before the run: no op is bound to the length of an array."""
    return is_plannable(meta) or meta.is_array


def _has_rank(meta: Meta) -> bool:
    """Whether a value is a tensor of known rank or a tensor array, without a LoD."""
    has_rank = meta.shape is not None or meta.is_array
    return has_rank and not meta.lod and meta.dtype is not DType.STRING


def _bind_region(binding: Binding, position: int, engine: SubgraphEngine) -> None:
    """Bind a region to its input shapes, which builds the device model, and set its outputs' metas."""
    item = binding.instruction(position)
    inputs = [binding.metas[index] for index in item.inputs.get("Inputs", ())]
    bound = None
    if binding.parts is None:
        bound = binding.regions[position] = engine.bind(inputs)
    else:
        binding.parts.append((engine, tuple(inputs)))
    outputs = item.outputs["Outputs"]
    metas = engine.outputs(inputs) if bound is None else bound.outputs
    for index, meta, source in zip(outputs, metas, engine.region.lod_sources, strict=True):
        lod = NO_LOD if source is None else inputs[source].lod
        binding.metas[index] = Meta(meta.dtype, meta.shape, meta.value, lod)
    if (bound is not None and bound.lods) or not all(is_plannable(binding.metas[index]) for index in outputs):
        binding.split = outputs


def _fold(binding: Binding, position: int, inputs: Metas, inferred: Metas) -> bool:
    """Compute an instruction's outputs if its inputs are known and the outputs small; returns whether."""
    values = [meta.value for metas in inferred.values() for meta in metas]
    results: Mapping[str, Sequence[Any]]
    if all(value is not None for value in values):
        results = {slot: [meta.value for meta in metas] for slot, metas in inferred.items()}
    elif _is_filled(binding, position, inferred):
        results = {"Out": [_filling(binding, position, inferred["Out"][0])]}
    elif _is_foldable(binding, position, inputs, inferred):
        results = _compute(binding, position, inputs)
    else:
        return False
    outputs = binding.instruction(position).outputs
    pairs = (pair for slot, indices in outputs.items() for pair in zip(indices, results[slot], strict=True))
    _enter(binding, position, dict(pairs))
    return True


def _enter(binding: Binding, position: int, results: Mapping[int, Any]) -> None:
    """Enter the results of an instruction that is computed before the run."""
    for index, result in results.items():
        meta = binding.metas[index]
        array = np.array(result, dtype=meta.dtype.numpy)
        binding.metas[index] = Meta.of(array, meta.lod)
        binding.storage[index] = Storage.BORROWED
        binding.add_value(index, array)
    binding.folded.add(position)


def _is_filled(binding: Binding, position: int, inferred: Metas) -> bool:
    """Whether an op writes one number to a few elements, whose shape is that of an input."""
    if binding.instruction(position).op not in _FILLS_LIKE:
        return False
    [out] = inferred["Out"]
    return out.is_static and not out.is_array and math.prod(out.sizes) <= FOLD_LIMIT


def _filling(binding: Binding, position: int, out: Meta) -> Array:
    item = binding.instruction(position)
    attrs = Attributes(item.op, item.attrs)
    text = attrs.text("str_value") if "str_value" in attrs else ""
    return np.full(out.sizes, constant_value(attrs.real("value"), text, out.dtype), out.dtype.numpy)


def _is_foldable(binding: Binding, position: int, inputs: Metas, inferred: Metas) -> bool:
    kernel = binding.state.kernels[position]
    if kernel is None or kernel.takes_lods:
        return False
    if any(meta.value is None or meta.lod for metas in inputs.values() for meta in metas):
        return False
    outputs = [meta for metas in inferred.values() for meta in metas]
    if any(meta.is_array for meta in outputs):
        return False
    return sum(product(meta.shape or ()) or 0 for meta in outputs) <= FOLD_LIMIT


def _compute(binding: Binding, position: int, inputs: Metas) -> dict[str, list[Any]]:
    schema, kernel = binding.state.schemas[position], binding.state.kernels[position]
    if kernel is None:
        raise GraphError(f"{schema.name} has no kernel")
    kernel = runnable(kernel)
    arguments = [
        slot_argument(schema, slot, [meta.value for meta in inputs.get(slot, ())]) for slot in kernel.slots
    ]
    returned = kernel.run(*arguments, **binding.keywords(position, kernel))
    sizes = {slot: len(indices) for slot, indices in binding.instruction(position).outputs.items()}
    return outputs_by_slot(schema, returned, sizes)
