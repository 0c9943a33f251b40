"""Steps of a segment: prepared kernels with the indices of their arguments."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Sequence

import numpy as np

from lite.ir.types import HOST
from lite.ops import Meta, Trait
from lite.ops.view import product
from lite.plan.inline import SELECT
from lite.plugin.kernel import Attributes, Kernel, KernelFunction, PrepareContext
from lite.plugin.kernel.fallback import fallback_of
from lite.plugin.kernel.launches import OnlyLaunches
from lite.plugin.kernel.scratch import ScratchRequests
from lite.runtime.binding.buffers import has_block_buffers
from lite.runtime.binding.data_sizes import within_limits
from lite.runtime.binding.lanes import is_used_in_one_lane
from lite.runtime.binding.state import Binding
from lite.runtime.block_launches import block_launches
from lite.runtime.block_step import Buffers
from lite.runtime.control_flow import control_flow_step
from lite.runtime.grown import CacheStep, GrowStep, grown_result
from lite.runtime.nested import MakeRuntime
from lite.runtime.segment import NOTHING, Step, Storage
from lite.runtime.steps import (
    Argument,
    Release,
    SelectStep,
    Target,
    ViewStep,
    argument_fetcher,
    returning_step,
    shares_memory,
    writing_many_step,
    writing_step,
)

_WITHOUT_PRODUCTS = frozenset({Trait.ELEMENTWISE, Trait.MOVEMENT, Trait.REDUCTION})
"""Traits of ops whose kernels of the host multiply no matrices."""

_ONLY_CHOOSE = frozenset({SELECT, "arg_max", "arg_min", "fill_constant", "shape", "size", "where_index"})
"""Other ops whose kernels multiply none, as small models and branches have them."""


def make_steps(binding: Binding, make_runtime: MakeRuntime) -> tuple[list[Step], list[int]]:
    """The steps of a segment, and the instruction of each step."""
    steps: list[Step] = []
    positions: list[int] = []
    for position in binding.positions:
        if position in binding.folded:
            continue
        binding.position = position
        for step in (_instruction_step(binding, position, make_runtime), _release(binding, position)):
            if step is not None:
                steps.append(step)
                positions.append(position)
    return steps, positions


def _instruction_step(binding: Binding, position: int, make_runtime: MakeRuntime) -> Step | None:
    """The step of an instruction; None where its results are views or parts that exist before the run."""
    item, kernel = binding.instruction(position), binding.state.kernels[position]
    if position in binding.regions:
        from lite.runtime.regions.step import RegionStep  # models for the host alone load sooner

        _note_constants(binding, position, item.inputs)
        inputs, outs = item.inputs.get("Inputs", ()), item.outputs["Outputs"]
        is_split = binding.is_split(position)
        has_buffer = [not is_split and not binding.plan.values[index].opaque for index in outs]
        return RegionStep(binding.regions[position], inputs, outs, has_buffer, binding.memory)
    if kernel is None:
        _note_constants(binding, position, item.inputs)
        return _block_step(binding, position, make_runtime)
    if binding.parts_of_buffers and binding.parts_of_buffers.keys() >= {*binding.outputs(position)}:
        return None
    if binding.computes_nothing(position):
        if not kernel.takes_out:
            for index in binding.outputs(position):
                meta = binding.metas[index]
                binding.add_value(index, np.empty(meta.sizes, meta.dtype.numpy))
        return None
    prepared = _prepared(binding, position, kernel)
    if prepared is None and kernel.fallback is not None:
        kernel = fallback_of(kernel)
        prepared = _prepared(binding, position, kernel)
    launches = prepared if isinstance(prepared, OnlyLaunches) else None
    if launches is not None and launches.check is None:
        prepared = launches.run  # without a call in between
    function = prepared or _with_keywords(binding, position, kernel)
    if binding.is_allocated_by_kernel(position) and kernel.per_run is None:
        function = within_limits(binding, position, kernel, function)
    if kernel.place.target == HOST and _may_multiply(binding, position):
        binding.uses_blas = True
    packs = kernel.packs if prepared is not None else ()
    _note_constants(binding, position, [slot for slot in kernel.slots if slot not in packs])
    arguments = [_argument(binding, position, slot) for slot in kernel.slots]
    outputs = binding.outputs(position)
    if len(outputs) == 1 and binding.plan.values[outputs[0]].root != outputs[0] and not kernel.takes_lods:
        return _view_step(binding, position, function, arguments)
    if item.op == SELECT and kernel.place.target == HOST and binding.is_allocated_by_kernel(position):
        return SelectStep(function, item.inputs["X"], item.inputs["Mask"][0], outputs[0])
    targets = _targets(binding, position)
    if (
        not kernel.takes_out
        or binding.is_allocated_by_kernel(position)
        or any(binding.plan.values[i].opaque for i in outputs)
    ):
        slots = tuple(binding.state.schemas[position].outputs) if kernel.takes_lods else ()
        may_share = _may_share_memory(binding, position)
        step = returning_step(function, arguments, targets, lod_slots=slots, may_share=may_share)
        if kernel.per_run is not None and item.op == "cache_append":
            in_place = writing_step(function, arguments, outputs[0])
            return CacheStep(step, in_place, outputs[0], item.inputs["Length"][0])
        grown = grown_result(binding.plan, item) if binding.is_open else None
        return step if grown is None else GrowStep(step, grown)
    if len(targets) == 1 and isinstance(targets[0], int):
        step = writing_step(function, arguments, targets[0])
    else:
        step = writing_many_step(function, arguments, targets)
    if launches is not None:
        binding.launching[step] = launches.check
    return step


def _block_step(binding: Binding, position: int, make_runtime: MakeRuntime) -> Step:
    """The step of a loop or branch, which may become a launch where it writes to buffers."""
    state, has_buffers = binding.state, has_block_buffers(binding, position)
    step = control_flow_step(
        binding.instruction(position),
        state.blocks[position],
        binding.metas,
        make_runtime,
        state.limits.iterations,
        Buffers(has_buffers, block_launches),
    )
    if has_buffers:
        binding.launching[step] = None
    return step


def _may_multiply(binding: Binding, position: int) -> bool:
    """Whether the op's kernel of the host may multiply matrices by BLAS; those of tensor arrays only move."""
    schema, values = binding.state.schemas[position], binding.plan.values
    if schema.name in _ONLY_CHOOSE or schema.traits & _WITHOUT_PRODUCTS:
        return False
    return not any(values[index].is_array for index in _operands(binding, position))


def _view_step(
    binding: Binding, position: int, function: KernelFunction, arguments: Sequence[Argument]
) -> Step | None:
    """The step of an op that returns a view; None if the view is made now, as its base exists already."""
    out = binding.outputs(position)[0]
    function = _reshaping(binding, position) or _only_output(binding, position, function)
    step = ViewStep(function, arguments, out)
    indices = [i for argument in arguments for i in ([argument] if isinstance(argument, int) else argument)]
    exist = all(i == NOTHING or i in binding.values for i in indices)
    if not exist or binding.is_split(position) or binding.state.schemas[position].effect:
        return step
    inputs = argument_fetcher(arguments)({i: None if i == NOTHING else binding.value(i) for i in indices})
    result = function(*inputs)
    if not shares_memory(result, inputs):
        # The kernel of this target copies, so it has to run each time.
        return step
    binding.add_value(out, result)
    return None


def _reshaping(binding: Binding, position: int) -> KernelFunction | None:
    """What an op that reshapes does on the host for known shapes; None for other ops, shapes and places."""
    item, out = binding.instruction(position), binding.metas[binding.outputs(position)[0]]
    if item.place.target != HOST or Trait.RESHAPE not in binding.state.schemas[position].traits:
        return None
    source = binding.metas[item.inputs["X"][0]]
    if not (source.is_static and out.is_static) or product(source.sizes) != product(out.sizes):
        return None
    shape = out.sizes
    return lambda x, *_: x.reshape(shape)


def _only_output(binding: Binding, position: int, function: KernelFunction) -> KernelFunction:
    """The kernel, reduced to the one output that the op uses where its schema has several."""
    slots = list(binding.state.schemas[position].outputs)
    if len(slots) == 1:
        return function
    place = slots.index(next(iter(binding.instruction(position).outputs)))
    return lambda *arguments: function(*arguments)[place]


def _prepared(binding: Binding, position: int, kernel: Kernel) -> KernelFunction | None:
    """The kernel prepared for these shapes; None if there is nothing to prepare."""
    if kernel.prepare is None or not _has_known_shapes(binding, position):
        return _prepared_per_run(binding, position, kernel)
    item, requests = binding.instruction(position), ScratchRequests()
    context = PrepareContext(
        {
            slot: [_input_meta(binding, i, aligned=slot not in kernel.packs) for i in ids]
            for slot, ids in item.inputs.items()
        },
        {slot: [_without_elements(binding.metas[i]) for i in ids] for slot, ids in item.outputs.items()},
        Attributes(item.op, item.attrs),
        functools.partial(binding.state.prepared, position),
        request_scratch=requests.add,
    )
    function = kernel.prepare(context)
    if function is not None and len(requests):
        binding.scratch.append(requests)
    return function


def _prepared_per_run(binding: Binding, position: int, kernel: Kernel) -> KernelFunction | None:
    """The kernel, prepared in each run; shared with others unless these may run at the same time."""
    if kernel.per_run is None:
        return None
    from lite.runtime.binding.per_run import PreparedPerRun  # only models whose sizes change need it

    binding.uses_blas = True  # by the fallback, where the kernel declines
    item = binding.instruction(position)
    shared = None if binding.lanes else next((x for x in binding.per_run if x.serves(kernel, item)), None)
    if shared is None:
        shared = PreparedPerRun(kernel, binding.state.schemas[position], item, binding.state.limits)
        binding.per_run.append(shared)
    return shared


def _with_keywords(binding: Binding, position: int, kernel: Kernel) -> KernelFunction:
    keywords = binding.keywords(position, kernel)
    return functools.partial(kernel.run, **keywords) if keywords else kernel.run


def _input_meta(binding: Binding, index: int, *, aligned: bool) -> Meta:
    """The meta of a value, with its elements only if they are the same for every signature."""
    meta = binding.metas[index]
    if meta.value is None or index not in binding.state.constants:
        return _without_elements(meta)
    value = binding.state.aligned(index) if aligned else meta.value
    return Meta(meta.dtype, meta.shape, value, meta.lod, meta.is_array)


def _without_elements(meta: Meta) -> Meta:
    return Meta(meta.dtype, meta.shape, None, meta.lod, meta.is_array)


def _note_constants(binding: Binding, position: int, slots: Iterable[str]) -> None:
    """Note the constants that a step reads from these slots."""
    item, constants = binding.instruction(position), binding.state.constants
    binding.constants_read.update(i for slot in slots for i in item.inputs.get(slot, ()) if i in constants)


def _argument(binding: Binding, position: int, slot: str) -> Argument:
    indices = binding.instruction(position).inputs.get(slot, ())
    if not indices:
        return NOTHING
    return indices if binding.state.schemas[position].inputs[slot].repeated else indices[0]


def _targets(binding: Binding, position: int) -> list[Target]:
    item, schema = binding.instruction(position), binding.state.schemas[position]
    targets: list[Target] = []
    for slot, spec in schema.outputs.items():
        indices = item.outputs.get(slot)
        targets.append(None if not indices else indices if spec.repeated else indices[0])
    return targets


def _may_share_memory(binding: Binding, position: int) -> frozenset[int]:
    """The outputs that may share memory with an input: views, and objects of a target."""
    values, outputs = binding.plan.values, binding.outputs(position)
    if any(values[index].opaque for index in _operands(binding, position)):
        return frozenset(outputs)
    return frozenset(index for index in outputs if values[index].root != index)


def _has_known_shapes(binding: Binding, position: int) -> bool:
    """Whether every shape of the instruction's values is known."""
    if binding.is_split(position):
        return False
    return all(binding.metas[index].is_static for index in _operands(binding, position))


def _operands(binding: Binding, position: int) -> set[int]:
    """All values that an instruction reads or writes."""
    item = binding.instruction(position)
    return {index for ids in (*item.inputs.values(), *item.outputs.values()) for index in ids}


def _release(binding: Binding, position: int) -> Step | None:
    """The step that drops fresh values after their last use; None if there are none."""
    unused = sorted(
        index
        for index in _operands(binding, position) - set(binding.split)
        if binding.plan.values[index].last == position
        and binding.storage[index] is Storage.FRESH
        and is_used_in_one_lane(binding, index)
    )
    return Release(unused) if unused else None
