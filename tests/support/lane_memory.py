"""Checks that lanes share memory only between values that are never in use at the same time."""

from __future__ import annotations

import itertools

import numpy as np

from lite.plan import Plan
from lite.plan.assemble import every_index
from lite.runtime.executor import Runtime
from lite.runtime.segment import Segment


def check_lanes(runtime: Runtime) -> int:
    """Check every segment of a runtime with lanes; returns how many there are."""
    segments = [segment for segment in runtime.segments() if segment.lanes]
    for segment in segments:
        assert overlaps(segment, runtime.plan) == []
    return len(segments) + sum(check_lanes(inner) for inner in runtime.inlined if isinstance(inner, Runtime))


def overlaps(segment: Segment, plan: Plan) -> list[tuple[str, str]]:
    """Values that share bytes, of which an instruction may write one while another may use the other."""
    before = _before(segment)
    tasks = {task.position for lane in segment.lanes for task in lane}
    uses: dict[int, set[int]] = {}
    for position in range(segment.start, segment.stop):
        item = plan.instructions[position]
        for index in (*every_index(item.inputs), *every_index(item.outputs)):
            if position in tasks:
                uses.setdefault(plan.values[index].root, set()).add(position)
    arrays = {
        index: array
        for index, array in segment.prefill
        if plan.values[index].root == index and index in uses and plan.values[index].first >= segment.start
    }
    found = []
    for one, other in itertools.combinations(sorted(arrays, key=lambda n: plan.values[n].first), 2):
        if not arrays[one].size or not np.may_share_memory(arrays[one], arrays[other]):
            continue
        write = plan.values[other].first
        if write not in tasks:
            continue
        if any(use != write and use not in before[write] for use in uses[one]):
            found.append((plan.values[one].name, plan.values[other].name))
    return found


def _before(segment: Segment) -> dict[int, set[int]]:
    """By instruction: all that have finished when it starts."""
    direct: dict[int, set[int]] = {}
    for lane in segment.lanes:
        for number, task in enumerate(lane):
            known = {lane[number - 1].position} if number else set()
            known.update(segment.lanes[other][count - 1].position for other, count in task.waits)
            direct[task.position] = known
    before: dict[int, set[int]] = {}
    for position in sorted(direct):
        before[position] = set(direct[position]).union(*(before[each] for each in direct[position]))
    return before
