"""Bind a plan to concrete shapes: infer, fold what is known, place buffers, prepare kernels.

Values that can be computed from shapes and weights alone (``shape`` → ``slice`` → … chains) are
computed here, once per signature.  Binding stops behind the first instruction whose output shapes
depend on data; the next segment is bound when a run has got there.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from lite.errors import ExecutionError, GraphError
from lite.ir.types import Array, DType
from lite.ops import Meta, check_slots, infer
from lite.plan import Instruction
from lite.plan.memory import ALIGNMENT, STRATEGIES, Request
from lite.plugin.evaluate import outputs_by_slot
from lite.plugin.kernel import Kernel, KernelFunction, PrepareContext
from lite.runtime.control_flow import control_flow_step
from lite.runtime.segment import NOTHING, Segment, Step, Storage
from lite.runtime.shared import Shared
from lite.runtime.steps import (
    Argument,
    Target,
    release_step,
    returning_step,
    view_step,
    writing_many_step,
    writing_step,
)

FOLD_LIMIT = 1 << 16
"""Most elements of a value that is computed at binding: shapes and small tables, not activations."""


class Binder:
    """Binds one segment.  `metas` and `storage` say what is known where it starts."""

    def __init__(
        self,
        shared: Shared,
        memory: str,
        start: int,
        metas: Mapping[int, Meta],
        storage: Mapping[int, Storage],
        known: Mapping[int, Any],
    ) -> None:
        self.shared = shared
        self.plan = shared.plan
        self.memory = memory
        self.start = start
        self.stop = start
        self.metas = dict(metas)
        self.storage = dict(storage)
        self.known = dict(known)
        """Values that exist before the run, of this segment and those before it."""
        self.prefill: list[tuple[int, Any]] = []
        self.fresh: list[tuple[int, tuple[int, ...], np.dtype[np.generic]]] = []
        self.split: tuple[int, ...] = ()
        self.buffers: dict[int, int] = {}
        """Index of the request that a value's buffer is."""
        self.requests: list[Request] = []
        self.folded: set[int] = set()

    def bind(self) -> Segment:
        """The segment; raises `GraphError` when the shapes do not fit the ops."""
        for position in range(self.start, len(self.plan.instructions)):
            self.stop = position + 1
            try:
                self._infer(position)
            except GraphError as error:
                raise GraphError(f"{self._where(position)}: {error}") from error
            if self.split:
                break
        for position in range(self.start, self.stop):
            if position not in self.folded:
                self._choose_storage(position)
        arena_bytes = self._place_buffers()
        steps: list[Step] = []
        positions: list[int] = []
        for position in range(self.start, self.stop):
            for step in self._steps(position):
                steps.append(step)
                positions.append(position)
        return Segment(
            self.start,
            self.stop,
            steps,
            positions,
            self.prefill,
            self.fresh,
            self.metas,
            self.storage,
            self.split,
            arena_bytes,
        )

    def _where(self, position: int) -> str:
        item = self.plan.instructions[position]
        names = [self.plan.values[index].name for indices in item.outputs.values() for index in indices]
        return f"op {position} ({item.op} -> {', '.join(names)})"

    def _infer(self, position: int) -> None:
        item, schema = self.plan.instructions[position], self.shared.schemas[position]
        outputs = {slot: len(indices) for slot, indices in item.outputs.items()}
        if schema.control_flow:
            self._declare_unknown(item)
            return
        check_slots(schema, {slot: len(indices) for slot, indices in item.inputs.items()}, outputs)
        inputs = {slot: [self.metas[index] for index in indices] for slot, indices in item.inputs.items()}
        inferred = infer(schema, inputs, item.attrs, outputs)
        for slot, metas in inferred.items():
            for index, meta in zip(item.outputs[slot], metas, strict=True):
                is_array = meta.is_array or self.plan.values[index].is_array
                self.metas[index] = Meta(meta.dtype, meta.shape, meta.value, meta.lod, is_array)
        if schema.foldable and not schema.effect and self._fold(position, inputs, inferred):
            return
        kernel = self.shared.kernels[position]
        indices = [index for indices in item.outputs.values() for index in indices]
        if (kernel and kernel.takes_lods) or not all(_is_planned(self.metas[index]) for index in indices):
            self.split = tuple(indices)

    def _declare_unknown(self, item: Instruction) -> None:
        indices = [index for indices in item.outputs.values() for index in indices]
        for index in indices:
            info = self.plan.values[index]
            self.metas[index] = Meta(info.dtype or DType.FLOAT32, None, is_array=info.is_array)
        self.split = tuple(indices)

    def _fold(
        self, position: int, inputs: Mapping[str, Sequence[Meta]], inferred: Mapping[str, Sequence[Meta]]
    ) -> bool:
        """Compute the outputs now, if everything they depend on is known and they are small."""
        item, schema = self.plan.instructions[position], self.shared.schemas[position]
        kernel = self.shared.kernels[position]
        given = [meta.value for metas in inferred.values() for meta in metas]
        if all(value is not None for value in given):
            results = {slot: [meta.value for meta in metas] for slot, metas in inferred.items()}
        else:
            metas = [meta for found in inputs.values() for meta in found]
            if any(meta.value is None or meta.lod for meta in metas) or kernel is None or kernel.takes_lods:
                return False
            if any(meta.is_array for found in inferred.values() for meta in found):
                return False
            if sum(_elements(meta) for found in inferred.values() for meta in found) > FOLD_LIMIT:
                return False
            call = functools.partial(kernel.run, **self._keywords(position, kernel))
            arguments = [self._known_argument(item, kernel, slot) for slot in kernel.slots]
            sizes = {slot: len(indices) for slot, indices in item.outputs.items()}
            results = outputs_by_slot(schema, call(*arguments), sizes)
        for slot, indices in item.outputs.items():
            for index, result in zip(indices, results[slot], strict=True):
                self._know(index, np.array(result, dtype=self.metas[index].dtype.numpy))
        self.folded.add(position)
        return True

    def _know(self, index: int, array: Array) -> None:
        self.metas[index] = Meta.of(array, self.metas[index].lod)
        self.storage[index] = Storage.BORROWED
        self.known[index] = array
        self.prefill.append((index, array))

    def _known_argument(self, item: Instruction, kernel: Kernel, slot: str) -> Any:
        values = [self.metas[index].value for index in item.inputs.get(slot, ())]
        if self.shared.schemas[self.stop - 1].inputs[slot].repeated:
            return values or None
        return values[0] if values else None

    def _choose_storage(self, position: int) -> None:
        """Give each output of an instruction a planned buffer, a fresh one, or none."""
        item, kernel = self.plan.instructions[position], self.shared.kernels[position]
        for index in (index for indices in item.outputs.values() for index in indices):
            info, meta = self.plan.values[index], self.metas[index]
            if info.root != index:
                self.storage[index] = self.storage[info.root]
                if info.root in self.buffers:
                    self.buffers[index] = self.buffers[info.root]
            elif (
                kernel is None
                or not kernel.takes_out
                or not _is_planned(meta)
                or position in self._split_at()
            ):
                self.storage[index] = Storage.FRESH
            elif info.last >= len(self.plan.instructions):
                self.storage[index] = Storage.FRESH
                self.fresh.append((index, _shape(meta), meta.dtype.numpy))
            else:
                self.storage[index] = Storage.ARENA
                self.buffers[index] = self._request(position, index, item)

    def _split_at(self) -> tuple[int, ...]:
        return (self.stop - 1,) if self.split else ()

    def _request(self, position: int, index: int, item: Instruction) -> int:
        size = _bytes(self.metas[index])
        last = self.plan.values[index].last
        for out, taken in item.inplace:
            if out == index and taken in self.buffers and _same_buffer(self.metas[taken], self.metas[out]):
                request = self.buffers[taken]
                old = self.requests[request]
                self.requests[request] = Request(old.size, old.first, max(old.last, last))
                return request
        self.requests.append(Request(size, position, last))
        return len(self.requests) - 1

    def _place_buffers(self) -> int:
        offsets, total = STRATEGIES[self.memory](self.requests)
        arena = _aligned_bytes(total)
        for index, request in self.buffers.items():
            if self.plan.values[index].root == index:
                meta, begin = self.metas[index], offsets[request]
                array = arena[begin : begin + _bytes(meta)].view(meta.dtype.numpy).reshape(_shape(meta))
                self.known[index] = array
                self.prefill.append((index, array))
        return total

    def _steps(self, position: int) -> list[Step]:
        item, kernel = self.plan.instructions[position], self.shared.kernels[position]
        if position in self.folded:
            return []
        if kernel is None:
            return [self._control_flow(position), *self._releases(position)]
        function = self._function(position, kernel)
        arguments = [self._argument(position, slot) for slot in kernel.slots]
        indices = [index for found in item.outputs.values() for index in found]
        if len(indices) == 1 and self.plan.values[indices[0]].root != indices[0]:
            return self._view_steps(position, function, arguments, indices[0])
        outs = self._targets(position)
        if kernel.takes_out and position not in self._split_at():
            if len(outs) == 1 and isinstance(outs[0], int):
                step = writing_step(function, arguments, outs[0])
            else:
                step = writing_many_step(function, arguments, outs)
        else:
            lod_slots = tuple(self.shared.schemas[position].outputs) if kernel.takes_lods else ()
            step = returning_step(function, arguments, outs, lod_slots=lod_slots)
        return [step, *self._releases(position)]

    def _control_flow(self, position: int) -> Step:
        item = self.plan.instructions[position]
        return control_flow_step(item, self.shared.blocks[position], self.metas, self.memory)

    def _view_steps(
        self, position: int, function: KernelFunction, arguments: Sequence[Argument], out: int
    ) -> list[Step]:
        flat = [i for argument in arguments for i in ([argument] if isinstance(argument, int) else argument)]
        if (
            all(index == NOTHING or index in self.known for index in flat)
            and position not in self._split_at()
        ):
            values = [
                None if a == NOTHING else self.known[a] if isinstance(a, int) else [self.known[i] for i in a]
                for a in arguments
            ]
            array = function(*values)
            self.known[out] = array
            self.prefill.append((out, array))
            return []
        return [view_step(function, arguments, out), *self._releases(position)]

    def _function(self, position: int, kernel: Kernel) -> KernelFunction:
        item = self.plan.instructions[position]
        if kernel.prepare is not None and position not in self._split_at():
            constants = self.plan.constants
            context = PrepareContext(
                {slot: [self._stripped(i, i in constants) for i in ids] for slot, ids in item.inputs.items()},
                {slot: [self._stripped(i, False) for i in ids] for slot, ids in item.outputs.items()},
                item.attrs,
                functools.partial(self.shared.prepared, position),
            )
            prepared = kernel.prepare(context)
            if prepared is not None:
                return prepared
        keywords = self._keywords(position, kernel)
        return functools.partial(kernel.run, **keywords) if keywords else kernel.run

    def _stripped(self, index: int, constant: bool) -> Meta:
        meta = self.metas[index]
        return meta if constant else Meta(meta.dtype, meta.shape, None, meta.lod, meta.is_array)

    def _keywords(self, position: int, kernel: Kernel) -> dict[str, object]:
        item = self.plan.instructions[position]
        keywords: dict[str, object] = {name: item.attrs[name] for name in kernel.attrs}
        if kernel.takes_lods:
            keywords["lods"] = {slot: [self.metas[i].lod for i in ids] for slot, ids in item.inputs.items()}
        if kernel.takes_metas:
            keywords["metas"] = {slot: [self.metas[i] for i in ids] for slot, ids in item.outputs.items()}
        return keywords

    def _argument(self, position: int, slot: str) -> Argument:
        indices = self.plan.instructions[position].inputs.get(slot, ())
        if not indices:
            return NOTHING
        return indices if self.shared.schemas[position].inputs[slot].repeated else indices[0]

    def _targets(self, position: int) -> list[Target]:
        item, schema = self.plan.instructions[position], self.shared.schemas[position]
        targets: list[Target] = []
        for slot, spec in schema.outputs.items():
            indices = item.outputs.get(slot)
            targets.append(None if not indices else indices if spec.repeated else indices[0])
        return targets

    def _releases(self, position: int) -> list[Step]:
        """Forget values without a planned buffer behind their last read."""
        item = self.plan.instructions[position]
        touched = {index for ids in (*item.inputs.values(), *item.outputs.values()) for index in ids}
        done = sorted(
            index
            for index in touched
            if self.plan.values[index].last == position
            and self.storage.get(index) is Storage.FRESH
            and index not in self.split
        )
        return [release_step(done)] if done else []


def _is_planned(meta: Meta) -> bool:
    return meta.is_static and not meta.is_array and meta.dtype is not DType.STRING


def _shape(meta: Meta) -> tuple[int, ...]:
    if not meta.is_static:
        raise ExecutionError(f"a buffer is wanted for {meta}, whose shape is not known")
    return tuple(dim for dim in meta.dims if isinstance(dim, int))


def _elements(meta: Meta) -> int:
    return int(np.prod(_shape(meta), dtype=np.int64)) if meta.is_static else 0


def _bytes(meta: Meta) -> int:
    return _elements(meta) * meta.dtype.itemsize


def _same_buffer(a: Meta, b: Meta) -> bool:
    return a.shape == b.shape and a.dtype is b.dtype


def _aligned_bytes(size: int) -> Array:
    raw = np.empty(size + ALIGNMENT, dtype=np.uint8)
    skip = -raw.ctypes.data % ALIGNMENT
    return raw[skip : skip + size]
