"""What memory a runtime holds: arenas with what lies in them, weights and copies of weights."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from lite.plan import Plan
from lite.runtime.control_flow import BlockStep
from lite.runtime.nested import NestedRuntime
from lite.runtime.segment import Buffer


@dataclass(frozen=True)
class Arena:
    """The planned buffers of the instructions `start` to `stop`, exclusive, of a block; `size` in bytes."""

    block: str
    start: int
    stop: int
    size: int
    buffers: tuple[Buffer, ...]


@dataclass(frozen=True)
class MemoryUse:
    """Bytes that a predictor holds between runs.

    `arenas` are those of every binding there is: one for each input signature seen and each part of the
    plan that data-dependent shapes cut off, and those of sub-blocks.  `scratch` is what kernels have for
    intermediate results, one memory for all bindings.  `weights` is the size of all weights, which stay in
    their file where they are mapped from one; `copied` of those copied because they lie there unaligned;
    `packed` of what kernels keep packed.  Clones share the last three.
    """

    strategy: str
    arenas: tuple[Arena, ...]
    scratch: int
    weights: int
    copied: int
    packed: int


def memory_use(runtimes: Sequence[NestedRuntime]) -> MemoryUse:
    """What a runtime, the first, and others of parts of its plan hold after the runs so far."""
    state = runtimes[0].state
    return MemoryUse(
        runtimes[0].memory,
        tuple(arena for runtime in runtimes for arena in _arenas(runtime)),
        sum(inner.scratch_bytes for runtime in runtimes for inner in _with_inner(runtime)),
        _weight_bytes(state.plan),
        state.copied_bytes,
        state.packed_bytes,
    )


def _with_inner(runtime: NestedRuntime) -> Iterator[NestedRuntime]:
    """The runtime and those of its sub-blocks."""
    yield runtime
    for chosen in runtime.inlined:
        yield from _with_inner(chosen)
    for segment in runtime.segments():
        for step in segment.steps:
            if isinstance(step, BlockStep):
                yield from _with_inner(step.inner)


def _arenas(runtime: NestedRuntime) -> Iterator[Arena]:
    for chosen in runtime.inlined:
        yield from _arenas(chosen)
    for segment in runtime.segments():
        name = runtime.plan.name
        yield Arena(name, segment.start, segment.stop, segment.arena_bytes, segment.layout)
        for step in segment.steps:
            if isinstance(step, BlockStep):
                yield from _arenas(step.inner)


def _weight_bytes(plan: Plan) -> int:
    """Bytes of the distinct arrays among the constants of a plan and of its blocks."""
    return sum(_constants(plan).values())


def _constants(plan: Plan) -> Mapping[int, int]:
    found = {id(array): array.nbytes for array in plan.constants.values()}
    for item in plan.instructions:
        for block in item.blocks:
            found.update(_constants(block))
    return found
