"""Parts of buffers: values that lie in the buffer of the value that they are cut from, without a copy."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from lite.ir.types import HOST, Layout
from lite.ops import Trait
from lite.ops.contiguous_parts import contiguous_parts
from lite.ops.view import product
from lite.runtime.binding.state import Binding, Part
from lite.runtime.segment import Storage


def choose_parts(binding: Binding) -> None:
    """Set the parts of the segment: outputs that are contiguous in a buffer, without the plan's results.

    A part keeps the whole buffer in use.  An op copies, as it does elsewhere, if that would take more bytes
    at one time than are in use at any time without its parts.
    """
    if binding.lanes or binding.is_open:
        return
    live: _LiveBytes | None = None
    producers = {index: position for position in binding.positions for index in binding.outputs(position)}
    for position in binding.positions:
        found = _parts(binding, position, producers)
        if not found:
            continue
        live = live or _LiveBytes(binding)
        if live.allow(found):
            binding.parts_of_buffers.update(found)
            for part in found.values():
                binding.parts_until[part.base] = max(binding.parts_until.get(part.base, -1), part.last)


def _parts(binding: Binding, position: int, producers: Mapping[int, int]) -> dict[int, Part]:
    """The outputs of an instruction as parts of one buffer of this segment; none where one is not."""
    item = binding.instruction(position)
    if position in binding.folded or Trait.MOVEMENT not in binding.state.schemas[position].traits:
        return {}
    outputs, values = binding.outputs(position), binding.plan.values
    if item.place.layout is Layout.NHWC or any(
        values[index].root != index or binding.storage[index] is not Storage.ARENA for index in outputs
    ):
        return {}
    metas = {slot: [binding.metas[index] for index in indices] for slot, indices in item.inputs.items()}
    found = contiguous_parts(item.op, metas, item.attrs)
    if found is None:
        return {}
    slot, offsets = found
    source = item.inputs[slot][0]
    if not _is_in_buffer(binding, source, producers):
        return {}
    root = values[source].root
    part = binding.parts_of_buffers.get(root)
    base, begin = (root, 0) if part is None else (part.base, part.begin)
    is_buffer = binding.storage.get(root) is Storage.ARENA and values[root].first >= binding.start
    if not is_buffer or len(offsets) != len(outputs):
        return {}
    size = metas[slot][0].dtype.itemsize
    parts: dict[int, Part] = {}
    for index, offset in zip(outputs, offsets, strict=True):
        count = product(binding.metas[index].dims) or 0
        parts[index] = Part(base, begin + offset * size, count * size, position, values[index].last)
    return parts


def _is_in_buffer(binding: Binding, index: int, producers: Mapping[int, int]) -> bool:
    """Whether a value lies in the buffer of its root: the views of other targets than the host may copy."""
    values = binding.plan.values
    while values[index].root != index:
        position = producers.get(index)
        if position is None or binding.instruction(position).place.target != HOST:
            return False
        inputs = (each for ids in binding.instruction(position).inputs.values() for each in ids)
        index = next(each for each in inputs if values[each].root == values[index].root)
    return True


class _LiveBytes:
    """The bytes in use at each instruction of a segment."""

    def __init__(self, binding: Binding) -> None:
        self._start = binding.start
        self._bytes = np.zeros(len(binding.positions), np.int64)
        self._lasts: dict[int, int] = {}
        self._sizes: dict[int, int] = {}
        for position in binding.positions:
            for index in binding.outputs(position):
                info, meta = binding.plan.values[index], binding.metas[index]
                if info.root == index and binding.storage.get(index) is Storage.ARENA:
                    self._sizes[index] = (product(meta.dims) or 0) * meta.dtype.itemsize
                    self._lasts[index] = info.last
                    self._add(self._sizes[index], position, info.last)
        self._peak = int(self._bytes.max(initial=0))

    def allow(self, parts: Mapping[int, Part]) -> bool:
        """Whether parts take no more than the peak; if so, they count as parts from now on."""
        for part in parts.values():
            self._add(-part.size, part.first, part.last)
        base = next(iter(parts.values())).base
        before, until = self._lasts[base], max(part.last for part in parts.values())
        size = self._sizes[base]
        self._add(size, before + 1, until)
        if self._bytes[self._range(before + 1, until)].max(initial=0) <= self._peak:
            self._lasts[base] = max(before, until)
            return True
        self._add(-size, before + 1, until)
        for part in parts.values():
            self._add(part.size, part.first, part.last)
        return False

    def _add(self, size: int, first: int, last: int) -> None:
        self._bytes[self._range(first, last)] += size

    def _range(self, first: int, last: int) -> slice:
        return slice(first - self._start, max(last, first - 1) - self._start + 1)
