"""The order of steps that needs the least memory at once, where the graph leaves a choice."""

from __future__ import annotations

from collections.abc import Sequence

from lite.codegen.steps import Step, Steps
from lite.dataclass import dataclass
from lite.ir.graph import Value
from lite.plugin.emitter import EmitValue

WIDTH = 24
"""The partial orders that are kept at a time."""

MOST_STEPS = 400
"""Longer lists keep their order."""


@dataclass(frozen=True)
class _Partial:
    """Some steps in an order: the peak, the bytes of values that are still needed, and what was done."""

    peak: int
    live: int
    done: int
    steps: tuple[int, ...]


@dataclass(frozen=True)
class _Work:
    """The values that a step reads and writes, by number, and the scratch memory that it needs.

    `reuses` is the value that its result may overwrite, `after` the set of steps that come before it.
    """

    reads: frozenset[int]
    writes: frozenset[int]
    scratch: int
    reuses: int | None
    after: int


@dataclass(frozen=True)
class _Stored:
    """A value in the arena: its size, and the sets of steps that write and read it."""

    bytes: int
    writers: int
    readers: int


def ordered(steps: Steps) -> Steps:
    """The steps in an order with a low peak, by a search that keeps the best partial orders (beam search)."""
    count = len(steps.steps)
    if not 2 < count <= MOST_STEPS:
        return steps
    works, values = _works(steps)
    partial = [_Partial(0, 0, 0, ())]
    for _ in range(count):
        grown: dict[int, _Partial] = {}
        for each in partial:
            for n, work in enumerate(works):
                if each.done >> n & 1 or work.after & ~each.done:
                    continue
                new = _extended(each, n, work, values)
                old = grown.get(new.done)
                if old is None or (new.peak, new.live, new.steps) < (old.peak, old.live, old.steps):
                    grown[new.done] = new
        partial = sorted(grown.values(), key=lambda each: (each.peak, each.live, each.steps))[:WIDTH]
    best = partial[0].steps
    return Steps([steps.steps[n] for n in best], steps.refusals, steps.views)


def _extended(each: _Partial, n: int, work: _Work, values: Sequence[_Stored]) -> _Partial:
    done = each.done | 1 << n
    new = sum(values[v].bytes for v in work.writes if not values[v].writers & each.done)
    dead = [v for v in work.reads if not values[v].readers & ~done]
    reused = values[work.reuses].bytes if work.reuses in dead and work.reuses is not None else 0
    peak = max(each.peak, each.live + new + work.scratch - reused)
    live = each.live + new - sum(values[v].bytes for v in dead)
    return _Partial(peak, live, done, (*each.steps, n))


def _works(steps: Steps) -> tuple[list[_Work], list[_Stored]]:
    """The work of each step, and the values in the arena."""
    numbers: dict[Value, int] = {}
    sets: list[list[int]] = []
    for n, step in enumerate(steps.steps):
        for value in _values(step, written=True):
            number = numbers.setdefault(steps.root(value), len(numbers))
            sets += [[0, 0]] * (number == len(sets))
            sets[number] = [sets[number][0] | 1 << n, sets[number][1]]
    works = []
    for n, step in enumerate(steps.steps):
        roots = (steps.root(value) for value in _values(step, written=False))
        reads = {numbers[root] for root in roots if root in numbers}
        writes = {numbers[steps.root(value)] for value in _values(step, written=True)}
        after = 0
        for number in reads - writes:
            after |= sets[number][0]
            sets[number][1] |= 1 << n
        scratch = sum(p.source.scratch for p in step.emission.parameters)
        works.append(
            _Work(frozenset(reads), frozenset(writes), scratch, _reused(step, steps, numbers), after)
        )
    values = [_Stored(EmitValue(root).bytes, *sets[number]) for root, number in numbers.items()]
    return works, values


def _values(step: Step, *, written: bool) -> list[Value]:
    found = (p.source.value for p in step.emission.parameters if p.written is written)
    return [value for value in found if value is not None]


def _reused(step: Step, steps: Steps, numbers: dict[Value, int]) -> int | None:
    over = {p.over for p in step.emission.parameters if p.over}
    read = [p.source.value for p in step.emission.parameters if p.name in over]
    roots = [steps.root(value) for value in read if value is not None]
    return numbers.get(roots[0]) if roots else None
