"""The memory of a segment: decides who owns each value's memory, and places buffers in one arena."""

from __future__ import annotations

import math
from collections.abc import Sequence

from lite.errors import ExecutionError
from lite.ir.build import WHILE
from lite.ir.types import Array
from lite.memory import ALIGNMENT, STRATEGIES, Request
from lite.ops import Meta
from lite.runtime.allocation import aligned_bytes
from lite.runtime.binding.selected import are_selected
from lite.runtime.binding.state import Binding, is_plannable
from lite.runtime.segment import Buffer, Storage


def choose_storage(binding: Binding) -> None:
    """Set the storage of every output.  Each run allocates the results, because the caller keeps them."""
    for position in binding.positions:
        if position in binding.folded:
            continue
        kernel = binding.state.kernels[position]
        if kernel is None:
            takes_out = position in binding.regions or has_block_buffers(binding, position)
        else:
            takes_out = kernel.takes_out
        writes = takes_out and not binding.is_allocated_by_kernel(position)
        for index in binding.outputs(position):
            info, meta = binding.plan.values[index], binding.metas[index]
            if info.root != index:
                binding.storage[index] = binding.storage[info.root]
            elif not writes or info.opaque or not is_plannable(meta):
                binding.storage[index] = Storage.FRESH
            elif info.last >= len(binding.plan.instructions):
                binding.storage[index] = Storage.FRESH
                binding.fresh.append((index, _static_shape(meta), meta.dtype.numpy))
            else:
                binding.storage[index] = Storage.ARENA


def has_block_buffers(binding: Binding, position: int) -> bool:
    """Whether the results of a loop or branch are written to buffers.

    A branch that is not taken computes nothing: all that is read of its buffers is what the op that selects
    one of two branches copies.
    """
    item = binding.instruction(position)
    if item.region is not None or binding.is_allocated_by_kernel(position):
        return False
    outs = binding.outputs(position)
    if not all(is_plannable(binding.metas[index]) for index in outs):
        return False
    return item.op == WHILE or are_selected(binding.plan, item, outs[item.carried :])


def place_buffers(binding: Binding) -> tuple[Array, tuple[Buffer, ...]]:
    """Allocate the arena, and views of it for the buffers; returns the arena and its layout."""
    requests: list[Request] = []
    planned: list[int] = []
    for position in binding.positions:
        for index in binding.outputs(position):
            root = binding.plan.values[index].root
            if binding.storage[index] is not Storage.ARENA:
                continue
            if root != index:
                if root in binding.buffers:
                    binding.buffers[index] = binding.buffers[root]
                continue
            if index in binding.parts_of_buffers:
                continue
            planned.append(index)
            binding.buffers[index] = _request(binding, position, index, requests)
    offsets, total = STRATEGIES[binding.memory](requests)
    arena = aligned_bytes(total, ALIGNMENT)
    for index in planned:
        meta, start = binding.metas[index], offsets[binding.buffers[index]]
        flat = arena[start : start + _bytes(meta)].view(meta.dtype.numpy)
        binding.add_value(index, flat.reshape(_static_shape(meta)))
    for index, part in binding.parts_of_buffers.items():
        meta, start = binding.metas[index], offsets[binding.buffers[part.base]] + part.begin
        flat = arena[start : start + part.size].view(meta.dtype.numpy)
        binding.add_value(index, flat.reshape(_static_shape(meta)))
    return arena, _layout(binding, requests, planned, offsets)


def _layout(
    binding: Binding, requests: Sequence[Request], planned: Sequence[int], offsets: Sequence[int]
) -> tuple[Buffer, ...]:
    names: list[list[str]] = [[] for _ in requests]
    for index in planned:
        names[binding.buffers[index]].append(binding.plan.values[index].name)
    return tuple(
        Buffer(tuple(values), offset, request.size, request.first, request.last)
        for values, offset, request in zip(names, offsets, requests, strict=True)
    )


def _request(binding: Binding, position: int, index: int, requests: list[Request]) -> int:
    """The number of the request for a value: a new one, or that of an input whose buffer it overwrites."""
    meta = binding.metas[index]
    last = max(
        binding.plan.values[index].last,
        binding.in_use_until.get(index, -1),
        binding.parts_until.get(index, -1),
    )
    for out, reused in binding.instruction(position).inplace:
        other = binding.metas[reused]
        if (
            out == index
            and reused in binding.buffers
            and other.shape == meta.shape
            and other.dtype is meta.dtype
            and binding.parts_until.get(binding.plan.values[reused].root, -1) < position
        ):
            number = binding.buffers[reused]
            old = requests[number]
            requests[number] = Request(old.size, old.first, max(old.last, last))
            return number
    requests.append(Request(_bytes(meta), position, last))
    return len(requests) - 1


def _static_shape(meta: Meta) -> tuple[int, ...]:
    if not meta.is_static:
        raise ExecutionError(f"cannot plan a buffer for {meta}: its shape is unknown")
    return tuple(dim for dim in meta.dims if isinstance(dim, int))


def _bytes(meta: Meta) -> int:
    return math.prod(_static_shape(meta)) * meta.dtype.itemsize
