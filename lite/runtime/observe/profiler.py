"""Profiler: a clock around every instruction.

The runs are done by a runtime of its own, so that one that is not profiled pays nothing.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

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
    """Run `warmup` times, then `runs` times with the clock; raises `ConfigError` for fewer than 1 run."""
    if not (isinstance(runs, int) and isinstance(warmup, int)) or runs < 1 or warmup < 0:
        raise ConfigError(
            f"profile: expected runs >= 1 and warmup >= 0, got runs={runs!r}, warmup={warmup!r}"
        )
    profiler = Profiler()
    runtime = WatchedRuntime(state, memory, profiler)
    for _ in range(warmup):
        runtime.run(args, lods)
    profiler.forget()
    walls: list[Span] = []
    for _ in range(runs):
        start = _clock()
        runtime.run(args, lods)
        walls.append(Span(None, start, _clock()))
    return profiler.profile(walls, warmup)


@dataclass(frozen=True)
class _Tensors:
    """What one call of an instruction reads and writes."""

    inputs: tuple[Tensor, ...]
    outputs: tuple[Tensor, ...]


@dataclass
class _Site:
    """An instruction, and the tensors of its latest call (before one: as bound)."""

    plan: Plan
    position: int
    tensors: _Tensors

    @property
    def item(self) -> Instruction:
        """The instruction."""
        return self.plan.instructions[self.position]


class Profiler:
    """Notes when each instruction began and ended."""

    inlines = True
    """What is timed is what a run does."""

    def __init__(self) -> None:
        self._sites: dict[Path, _Site] = {}
        self._calls: list[tuple[Path, int, int]] = []
        """Path, begin, end: in nanoseconds, in the order in which they ended."""

    def attach(self, first: Path, plan: Plan, segment: Segment) -> None:
        """Put the steps of each instruction into one, with the clock around it."""
        own = steps_by_position(segment)
        steps: list[Step] = []
        for position in range(segment.start, segment.stop):
            key = (*first[:-1], first[-1] + position)
            tensors = _bound_tensors(plan, position, segment)
            site = self._sites.setdefault(key, _Site(plan, position, tensors))
            if position in own:
                is_open = bool(segment.split) and position == segment.stop - 1
                steps.append(self._timed(key, site, own[position], tensors, is_open))
        segment.steps[:], segment.positions[:] = steps, own

    def forget(self) -> None:
        """Drop what was noted so far."""
        self._calls.clear()

    def profile(self, runs: Sequence[Span], warmup: int) -> Profile:
        """What was noted, for these runs."""
        durations: dict[Path, list[int]] = {key: [] for key in sorted(self._sites)}
        for key, start, stop in self._calls:
            durations[key].append(stop - start)
        own = {key: sum(times) for key, times in durations.items()}
        whole = sum(total for key, total in own.items() if len(key) == 1)
        for key, times in durations.items():
            if len(key) > 1:
                own[key[:-1]] -= sum(times)
        rows = {key: self._row(key, durations[key], own[key], whole) for key in durations}
        calls = [Span(rows[key], start, stop) for key, start, stop in self._calls]
        return Profile(list(rows.values()), list(runs), calls, warmup)

    def _row(self, key: Path, durations: Sequence[int], own: int, whole: int) -> OpProfile:
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
            self_ms=own / 1e6,
            min_ms=min(durations, default=0) / 1e6,
            max_ms=max(durations, default=0) / 1e6,
            share=own / whole if whole else 0.0,
            inputs=inputs,
            outputs=outputs,
            bytes=0 if _is_view(site) else sum(tensor.bytes for tensor in (*inputs, *outputs)),
        )

    def _timed(self, key: Path, site: _Site, steps: Sequence[Step], tensors: _Tensors, is_open: bool) -> Step:
        calls = self._calls

        def step(env: Env) -> None:
            start = _clock()
            for each in steps:
                each(env)
            calls.append((key, start, _clock()))
            site.tensors = _seen_tensors(site, tensors, env) if is_open else tensors

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


def _seen_tensors(site: _Site, tensors: _Tensors, env: Env) -> _Tensors:
    """The same with the shapes of outputs that only a run can tell."""
    values = [env[index] for ids in site.item.outputs.values() for index in ids]
    outputs = tuple(
        Tensor(tensor.name, tensor.dtype, value.shape if isinstance(value, np.ndarray) else None)
        for tensor, value in zip(tensors.outputs, values, strict=True)
    )
    return _Tensors(tensors.inputs, outputs)


def _is_view(site: _Site) -> bool:
    outputs = [index for ids in site.item.outputs.values() for index in ids]
    return bool(outputs) and all(site.plan.values[index].root != index for index in outputs)
