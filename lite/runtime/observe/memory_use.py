"""The memory that runtimes hold: arenas and their buffers, weights and copies of weights."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from lite.dataclass import dataclass
from lite.plan import Plan
from lite.runtime.block_step import BlockStep
from lite.runtime.nested import NestedRuntime
from lite.runtime.segment import Buffer


@dataclass(frozen=True)
class Arena:
    """The arena of a block's instructions from `start` to `stop`, exclusive; `size` in bytes."""

    block: str
    start: int
    stop: int
    size: int
    buffers: tuple[Buffer, ...]


@dataclass(frozen=True)
class MemoryUse:
    """The memory that a predictor holds between runs, in bytes.

    `arenas` has one arena for each bound segment: for each input signature, for each part of the plan after
    data-dependent shapes, and for sub-blocks.  `scratch` is the scratch memory of kernels, which all segments
    share.  `weights` is the size of all weights, including those that are mapped from a file.  `copied` is
    the size of aligned copies of unaligned weights; `packed` that of weights that kernels packed.  Clones
    share the last three.
    """

    strategy: str
    arenas: tuple[Arena, ...]
    scratch: int
    weights: int
    copied: int
    packed: int


def memory_use(runtimes: Sequence[NestedRuntime]) -> MemoryUse:
    """The memory of a predictor's runtimes; the first is that of the whole plan, others are of parts."""
    state = runtimes[0].state
    return MemoryUse(
        runtimes[0].memory,
        tuple(arena for runtime in runtimes for arena in _arenas(runtime)),
        sum(inner.scratch_bytes for runtime in runtimes for inner in _with_nested(runtime)),
        _weight_bytes(state.plan),
        state.copied_bytes,
        state.packed_bytes,
    )


def _with_nested(runtime: NestedRuntime) -> Iterator[NestedRuntime]:
    """A runtime, the ones that replace it where branches are known, and those of sub-blocks."""
    yield runtime
    for inlined in runtime.inlined:
        yield from _with_nested(inlined)
    for segment in runtime.segments():
        for step in segment.steps:
            if isinstance(step, BlockStep):
                for inner in step.runtimes:
                    yield from _with_nested(inner)


def _arenas(runtime: NestedRuntime) -> Iterator[Arena]:
    for inlined in runtime.inlined:
        yield from _arenas(inlined)
    for segment in runtime.segments():
        name = runtime.plan.name
        yield Arena(name, segment.start, segment.stop, segment.arena_bytes, segment.layout)
        for step in segment.steps:
            if isinstance(step, BlockStep):
                for inner in step.runtimes:
                    yield from _arenas(inner)


def _weight_bytes(plan: Plan) -> int:
    """Bytes of the distinct arrays among the constants of a plan and of its blocks."""
    return sum(_constant_sizes(plan).values())


def _constant_sizes(plan: Plan) -> Mapping[int, int]:
    sizes = {id(array): array.nbytes for array in plan.constants.values()}
    for item in plan.instructions:
        for block in item.blocks:
            sizes.update(_constant_sizes(block))
    return sizes
