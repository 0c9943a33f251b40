"""Profiler: measures the time of every instruction.

It uses a separate runtime, so runs without a profiler are not slower.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

import numpy as np

from lite.dataclass import dataclass
from lite.errors import ConfigError
from lite.ir.types import Array, Lod
from lite.ops import Meta
from lite.plan import Instruction, Plan
from lite.runtime.observe.profile import OpProfile, Profile, Span, Tensor
from lite.runtime.observe.watch import Path, WatchedRuntime, steps_by_position
from lite.runtime.plan_state import PlanState
from lite.runtime.segment import Env, Segment, Step

_clock = time.perf_counter_ns


def profile_runs(
    state: PlanState, memory: str, args: Sequence[Array], lods: Sequence[Lod], runs: int, warmup: int
) -> Profile:
    """Run `warmup` times, then `runs` times for the profile; raises `ConfigError` for fewer than 1 run."""
    if not (isinstance(runs, int) and isinstance(warmup, int)) or runs < 1 or warmup < 0:
        raise ConfigError(
            f"profile: expected runs >= 1 and warmup >= 0, got runs={runs!r}, warmup={warmup!r}"
        )
    profiler = Profiler()
    runtime = WatchedRuntime(state, memory, profiler)
    for _ in range(warmup):
        runtime.run(args, lods)
    profiler.clear()
    walls: list[Span] = []
    for _ in range(runs):
        start = _clock()
        runtime.run(args, lods)
        walls.append(Span(None, start, _clock()))
    return profiler.profile(walls, warmup)


@dataclass(frozen=True)
class _Tensors:
    """The tensors that one call of an instruction reads and writes."""

    inputs: tuple[Tensor, ...]
    outputs: tuple[Tensor, ...]


@dataclass
class _Site:
    """An instruction, and the tensors of its latest call (as bound before the first)."""

    plan: Plan
    position: int
    tensors: _Tensors

    @property
    def item(self) -> Instruction:
        """The instruction."""
        return self.plan.instructions[self.position]


class Profiler:
    """A probe that records when each instruction starts and ends."""

    inlines = True
    """Ops are timed as a run executes them: without the branches that are known."""

    def __init__(self) -> None:
        self._sites: dict[Path, _Site] = {}
        self._calls: list[tuple[Path, int, int]] = []
        """Path, start and end in nanoseconds, in the order in which the calls ended."""

    def attach(self, first: Path, plan: Plan, segment: Segment) -> None:
        """Replace the steps of each instruction by one that measures their time."""
        bound_steps = steps_by_position(segment)
        steps: list[Step] = []
        for position in range(segment.start, segment.stop):
            key = (*first[:-1], first[-1] + position)
            tensors = _bound_tensors(plan, position, segment)
            site = self._sites.setdefault(key, _Site(plan, position, tensors))
            if position in bound_steps:
                is_split = bool(segment.split) and position == segment.stop - 1
                steps.append(self._timed_step(key, site, bound_steps[position], tensors, is_split))
        segment.steps[:], segment.positions[:] = steps, bound_steps

    def clear(self) -> None:
        """Drop the calls recorded so far."""
        self._calls.clear()

    def profile(self, runs: Sequence[Span], warmup: int) -> Profile:
        """The profile of the recorded calls, which belong to these runs."""
        durations: dict[Path, list[int]] = {key: [] for key in sorted(self._sites)}
        for key, start, stop in self._calls:
            durations[key].append(stop - start)
        self_times = {key: sum(times) for key, times in durations.items()}
        total = sum(time for key, time in self_times.items() if len(key) == 1)
        for key, times in durations.items():
            if len(key) > 1:
                self_times[key[:-1]] -= sum(times)
        rows = {key: self._row(key, durations[key], self_times[key], total) for key in durations}
        calls = [Span(rows[key], start, stop) for key, start, stop in self._calls]
        return Profile(list(rows.values()), list(runs), calls, warmup)

    def _row(self, key: Path, durations: Sequence[int], self_time: int, total: int) -> OpProfile:
        site = self._sites[key]
        inputs, outputs = site.tensors.inputs, site.tensors.outputs
        return OpProfile(
            block=site.plan.name,
            depth=len(key) - 1,
            position=site.position,
            op=site.item.op,
            output=outputs[0].name if outputs else "",
            place=str(site.item.place),
            calls=len(durations),
            total_ms=sum(durations) / 1e6,
            self_ms=self_time / 1e6,
            min_ms=min(durations, default=0) / 1e6,
            max_ms=max(durations, default=0) / 1e6,
            share=self_time / total if total else 0.0,
            inputs=inputs,
            outputs=outputs,
            bytes=0 if _is_view(site) else sum(tensor.bytes for tensor in (*inputs, *outputs)),
        )

    def _timed_step(
        self, key: Path, site: _Site, steps: Sequence[Step], tensors: _Tensors, is_split: bool
    ) -> Step:
        calls = self._calls

        def step(env: Env) -> None:
            start = _clock()
            for each in steps:
                each(env)
            calls.append((key, start, _clock()))
            site.tensors = _actual_tensors(site, tensors, env) if is_split else tensors

        return step


def _bound_tensors(plan: Plan, position: int, segment: Segment) -> _Tensors:
    item = plan.instructions[position]
    inputs, outputs = (
        tuple(_tensor(plan, index, segment.metas[index]) for ids in slots.values() for index in ids)
        for slots in (item.inputs, item.outputs)
    )
    return _Tensors(inputs, outputs)


def _tensor(plan: Plan, index: int, meta: Meta) -> Tensor:
    return Tensor(plan.values[index].name, meta.dtype, None if meta.is_array else meta.shape)


def _actual_tensors(site: _Site, tensors: _Tensors, env: Env) -> _Tensors:
    """`tensors` with the shapes that the outputs have in this run."""
    values = [env[index] for ids in site.item.outputs.values() for index in ids]
    outputs = tuple(
        Tensor(tensor.name, tensor.dtype, value.shape if isinstance(value, np.ndarray) else None)
        for tensor, value in zip(tensors.outputs, values, strict=True)
    )
    return _Tensors(tensors.inputs, outputs)


def _is_view(site: _Site) -> bool:
    outputs = [index for ids in site.item.outputs.values() for index in ids]
    return bool(outputs) and all(site.plan.values[index].root != index for index in outputs)
