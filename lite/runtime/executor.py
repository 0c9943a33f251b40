"""Runtime: runs a plan on arrays, binding it at the first run with each input signature."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import numpy as np

from lite.errors import ExecutionError, InputError, LiteError
from lite.ir.types import NO_LOD, Array, DType, Lod
from lite.ops import Meta
from lite.plugin.kernel import KERNEL_ERRORS
from lite.plugin.kernel.scratch import ALIGNMENT
from lite.runtime.allocation import aligned_bytes, allocated
from lite.runtime.binding import Binding, bind_segment
from lite.runtime.inlined import InlinedRuntimes, has_branches
from lite.runtime.nested import NestedRuntime
from lite.runtime.plan_state import PlanState
from lite.runtime.regions.device_tensor import LostTensorError, on_host
from lite.runtime.segment import Env, Segment, Storage, signature

MAX_SIGNATURES = 16
"""Ways through a plan that stay bound; what was used longest ago goes first."""

_AS_IT_IS: AbstractContextManager[None] = nullcontext()

Key = tuple[Segment | None, Hashable]
"""What a segment is bound for: the segment before it, and the signature of the values there."""


class Runtime:
    """One run at a time of one plan.

    Buffers belong to this object, weights and prepared kernels to `state`.  Arguments are read where
    they lie and never written; what `run` returns is the caller's.

    With `inlines`, branches whose conditions are known for a signature are part of the plan there; for
    `by_value` see `InlinedRuntimes`.
    """

    def __init__(
        self, state: PlanState, memory: str = "compact", *, by_value: bool = True, inlines: bool = True
    ) -> None:
        self.state = state
        self.plan = state.plan
        self.memory = memory
        self._bound: OrderedDict[Key, Segment] = OrderedDict()
        self._latest: list[Segment] = []
        """The way of the last run."""
        self._longest = 1
        """Most segments that a run went through."""
        self._scratch: Array = np.empty(0, np.uint8)
        """Memory for intermediate results of kernels, which run one after the other."""
        self._computes = any(item.region is None for item in self.plan.instructions)
        """Whether an instruction is for the host, and not for a device."""
        self._template: Env = [*[None] * len(self.plan.values), None, None]
        for index, array in state.constants.items():
            self._template[index] = array
        chooses = inlines and has_branches(state)
        self._branches = InlinedRuntimes(state, self._inlined, by_value=by_value) if chooses else None

    def run(
        self,
        args: Sequence[Any],
        lods: Sequence[Lod] = (),
        outputs: Mapping[int, Array] | None = None,
    ) -> tuple[list[Any], list[Lod]]:
        """The results and their LoDs.  `outputs` gives arrays to write results to, by position.

        Raises `GraphError` when the shapes do not fit, `InputError` for an output array of another
        shape or dtype than its result, and `ExecutionError` when a kernel fails.
        """
        lods = lods or [NO_LOD] * len(args)
        chosen = None if self._branches is None else self._branches.runtime(args, lods)
        if chosen is not None:
            return chosen.run(args, lods, outputs)
        while True:
            try:
                with np.errstate(all="ignore") if self._computes else _AS_IT_IS:
                    return self._run(args, lods, outputs or {})
            except LostTensorError:
                # The region that made it runs on the host from now on, so this comes to an end.
                continue

    def _run(
        self, args: Sequence[Any], lods: Sequence[Lod], wanted: Mapping[int, Array]
    ) -> tuple[list[Any], list[Lod]]:
        segment = self._first_segment(args, lods)
        way = [segment]
        env = self._template.copy()
        env[-1] = {}
        for index, value in zip(self.plan.args, args, strict=True):
            env[index] = value
        given = {self.plan.results[n]: array for n, array in wanted.items() if _is_buffer(array, args)}
        try:
            self._execute(segment, env, given)
            while segment.stop < len(self.plan.instructions):
                segment = self._next_segment(segment, env)
                way.append(segment)
                self._execute(segment, env, given)
        finally:
            if way != self._latest:
                self._forget_oldest(way)
        return self._results(segment, env, wanted, given), self._result_lods(segment, env, lods)

    def prepare(self, args: Sequence[Any], lods: Sequence[Lod] = ()) -> Segment:
        """Bind for arguments of these shapes without running; the first segment."""
        lods = lods or [NO_LOD] * len(args)
        chosen = None if self._branches is None else self._branches.runtime(args, lods, seen=False)
        if chosen is not None:
            return chosen.prepare(args, lods)
        segment = self._first_segment(args, lods)
        self._forget_oldest([segment])
        return segment

    @property
    def inlined(self) -> list[NestedRuntime]:
        """Those that run instead of this one where branches are known."""
        return [] if self._branches is None else self._branches.runtimes

    def _inlined(self, state: PlanState) -> NestedRuntime:
        return Runtime(state, self.memory, inlines=False)

    def _nested(self, state: PlanState) -> NestedRuntime:
        """The runtime of a sub-block; a loop's counters differ at each entry, so none is part of a key."""
        return Runtime(state, self.memory, by_value=False)

    @property
    def scratch_bytes(self) -> int:
        """Size of the memory that kernels use for intermediate results."""
        return len(self._scratch)

    def segments(self) -> Iterator[Segment]:
        """Everything bound so far, each segment before those that follow it."""
        following: dict[Segment | None, list[Segment]] = {}
        for (before, _), segment in self._bound.items():
            following.setdefault(before, []).append(segment)
        pending = following.get(None, [])[::-1]
        while pending:
            segment = pending.pop()
            yield segment
            pending += reversed(following.get(segment, []))

    def _first_segment(self, args: Sequence[Any], lods: Sequence[Lod]) -> Segment:
        seen = lods if self.plan.reads_lod else [NO_LOD] * len(args)
        key = None, tuple(signature(value, lod) for value, lod in zip(args, seen, strict=True))
        found = self._bound.get(key)
        if found is not None:
            return found
        metas = dict(self.state.metas)
        for index, value, lod in zip(self.plan.args, args, seen, strict=True):
            metas[index] = self._meta(index, value, lod)
        storage = dict.fromkeys(metas, Storage.BORROWED)
        return self._bind(key, metas, storage, self.state.constants)

    def _next_segment(self, segment: Segment, env: Env) -> Segment:
        lods = {index: env[-1].get(index, segment.metas[index].lod) for index in segment.split}
        key = segment, tuple(signature(env[index], lods[index]) for index in segment.split)
        found = self._bound.get(key)
        if found is not None:
            return found
        metas = dict(segment.metas)
        for index in segment.split:
            metas[index] = self._meta(index, env[index], lods[index])
        known = {n: env[n] for n, storage in segment.storage.items() if storage is Storage.ARENA}
        known.update((n, meta.value) for n, meta in metas.items() if meta.value is not None)
        found = self._bind(key, metas, segment.storage, known)
        for index in self.state.constants:
            env[index] = self._template[index]
        return found

    def _bind(
        self,
        key: Key,
        metas: Mapping[int, Meta],
        storage: Mapping[int, Storage],
        known: Mapping[int, Any],
    ) -> Segment:
        before = key[0]
        start = 0 if before is None else before.stop
        binding = Binding(self.state, self.memory, start, metas, storage, known)
        try:
            segment = bind_segment(binding, self._nested)
        except KERNEL_ERRORS as error:
            raise ExecutionError(f"{self._where(binding.position)}: could not be bound: {error}") from error
        for index in binding.read:
            self._template[index] = self.state.aligned(index)
        segment.key = key
        self._bound[key] = segment
        self._place_scratch(segment)
        return segment

    def _place_scratch(self, segment: Segment) -> None:
        """Give a segment's kernels their room for intermediate results, the same that all others have."""
        wanted = max((requests.size for requests in segment.scratch), default=0)
        grows = wanted > len(self._scratch)
        if grows:
            self._scratch = aligned_bytes(wanted, ALIGNMENT)
        for each in self._bound.values() if grows else [segment]:
            for requests in each.scratch:
                requests.place(self._scratch)

    def _forget_oldest(self, way: Sequence[Segment]) -> None:
        """Note that the segments of `way` were used; drop the oldest where there are too many.

        A segment counts as used behind those that follow it, which could not be found without it.
        """
        self._latest = list(way)
        for segment in reversed(way):
            self._bound.move_to_end(segment.key)
        self._longest = max(self._longest, len(way))
        while len(self._bound) > MAX_SIGNATURES * self._longest:
            self._bound.popitem(last=False)

    def _meta(self, index: int, value: Any, lod: Lod) -> Meta:
        if isinstance(value, np.ndarray):
            return Meta.of(value, lod, known=False)
        info = self.plan.values[index]
        is_array = isinstance(value, list) or info.is_array
        return Meta(info.dtype or DType.FLOAT32, None, None, lod, is_array)

    def _execute(self, segment: Segment, env: Env, given: Mapping[int, Array]) -> None:
        for index, value in segment.prefill:
            env[index] = value
        for index, shape, dtype in segment.fresh:
            array = given.get(index)
            fits = array is not None and array.shape == shape and array.dtype == dtype
            env[index] = array if fits else allocated(shape, dtype)
        position = 0
        try:
            for position, step in enumerate(segment.steps):  # noqa: B007 - read where a step fails
                step(env)
        except LiteError:
            raise
        except KERNEL_ERRORS as error:
            where = self._where(segment.positions[position], env)
            raise ExecutionError(f"{where} failed: {type(error).__name__}: {error}") from error

    def _where(self, position: int, env: Env | None = None) -> str:
        item = self.plan.instructions[position]
        slots = []
        for slot, indices in item.inputs.items():
            names = [
                self.plan.values[index].name + (f" {_described(env[index])}" if env else "")
                for index in indices
            ]
            slots.append(f"{slot}={', '.join(names)}")
        return f"op {position}: {item.op}({'; '.join(slots)}) on {item.place}"

    def _results(
        self, segment: Segment, env: Env, outputs: Mapping[int, Array], given: Mapping[int, Array]
    ) -> list[Any]:
        results: list[Any] = []
        handed_out = {self.plan.values[index].root for index in given}
        for position, index in enumerate(self.plan.results):
            value = on_host(env[index])
            if isinstance(value, np.ndarray) and value is not outputs.get(position):
                root = self.plan.values[index].root
                is_fresh = segment.storage[root] is Storage.FRESH and value.flags.writeable
                if not is_fresh or root in handed_out:
                    value = value.copy()
                handed_out.add(root)
            results.append(value)
        # Last, as an output array may lie over an argument that is a result, too.
        for position, wanted in outputs.items():
            results[position] = _copied_into(wanted, results[position], self.plan.result_names[position])
        return results

    def _result_lods(self, segment: Segment, env: Env, lods: Sequence[Lod]) -> list[Lod]:
        if not self.plan.reads_lod:
            return [NO_LOD if source is None else lods[source] for source in self.plan.lod_sources]
        return [env[-1].get(index, segment.metas[index].lod) for index in self.plan.results]


def _described(value: object) -> str:
    if isinstance(value, np.ndarray):
        return f"{value.dtype}{list(value.shape)}"
    if isinstance(value, list):
        return f"array of {len(value)} tensors"
    return "nothing" if value is None else type(value).__name__


def _is_buffer(array: Array, args: Sequence[Any]) -> bool:
    """Whether kernels can write to the caller's array while they read the arguments."""
    flags = array.flags
    if type(array) is not np.ndarray or not (flags.c_contiguous and flags.aligned):
        return False
    return not any(isinstance(arg, np.ndarray) and np.may_share_memory(array, arg) for arg in args)


def _copied_into(wanted: Array, value: object, name: str) -> Array:
    if value is wanted:
        return wanted
    if not isinstance(value, np.ndarray) or wanted.shape != value.shape or wanted.dtype != value.dtype:
        raise InputError(
            f"output array for {name!r} is {_described(wanted)}, the result is {_described(value)}; "
            "pass an array of the result's shape and dtype"
        )
    np.copyto(wanted, value)
    return wanted
