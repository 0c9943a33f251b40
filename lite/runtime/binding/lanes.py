"""Lanes of a segment that is being bound: which instruction runs where, and how long buffers are in use."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from lite.plan.assemble import every_index
from lite.runtime.binding.state import Binding
from lite.runtime.lanes.order import LaneOrder
from lite.runtime.segment import Lane, Step, Task

if TYPE_CHECKING:
    from lite.runtime.regions.bound import BoundRegion

HOST_LANE = 0


def assign_lanes(binding: Binding) -> None:
    """Give instructions their lanes, if any two can run at the same time, and extend the use of values.

    Views run nothing here: whether a view is made before the run is known only later.
    """
    lanes = _lanes(binding)
    if len(set(lanes.values())) < 2:
        return
    runs = {n for n in binding.positions if not _has_no_step(binding, n)}
    order = _order(binding, lanes, runs)
    if not order.has_overlap:
        return
    binding.lanes = lanes
    for position in binding.positions:
        until = binding.start + order.until(position - binding.start)
        item = binding.instruction(position)
        for index in {*every_index(item.inputs), *every_index(item.outputs)}:
            root = binding.plan.values[index].root
            binding.in_use_until[root] = max(binding.in_use_until.get(root, -1), until)


def lane_tasks(binding: Binding, steps: Sequence[Step], positions: Sequence[int]) -> tuple[Lane, ...]:
    """The steps of a segment by lane; none where all run one after the other."""
    if not binding.lanes:
        return ()
    by_position: dict[int, list[Step]] = {}
    for step, position in zip(steps, positions, strict=True):
        by_position.setdefault(position, []).append(step)
    order = _order(binding, binding.lanes, by_position)
    return tuple(
        tuple(Task(binding.start + n, tuple(by_position[binding.start + n]), order.waits[n]) for n in members)
        for members in order.members
    )


def is_used_in_one_lane(binding: Binding, index: int) -> bool:
    """Whether one lane writes a value and makes all use of it, and may drop it after the last one."""
    return not binding.lanes or len(binding.lanes_of_value.setdefault(index, _lanes_of(binding, index))) == 1


def _lanes_of(binding: Binding, index: int) -> frozenset[int]:
    users = []
    for position in binding.positions:
        item = binding.instruction(position)
        if index in every_index(item.inputs) or index in every_index(item.outputs):
            users.append(binding.lanes.get(position, HOST_LANE))
    return frozenset(users)


def _lanes(binding: Binding) -> dict[int, int]:
    """The lane of each instruction."""
    numbers: dict[str, int] = {}
    lanes = dict.fromkeys(binding.positions, HOST_LANE)
    for position, bound in binding.regions.items():
        if _runs_beside(bound):
            lanes[position] = numbers.setdefault(bound.region.device.name, len(numbers) + 1)
    return lanes


def _runs_beside(bound: BoundRegion) -> bool:
    """Whether a region runs beside the host."""
    mode = bound.settings.side_by_side
    if mode == "never" or bound.state == "host":
        return False
    return mode == "always" or not bound.region.device.on_host_processor


def _has_no_step(binding: Binding, position: int) -> bool:
    """Whether an instruction has no step, or may have none as the step of a view."""
    if position in binding.folded or binding.computes_nothing(position):
        return True
    outputs = binding.outputs(position)
    return bool(outputs) and all(binding.plan.values[index].root != index for index in outputs)


def _order(binding: Binding, lanes: dict[int, int], runs: Collection[int]) -> LaneOrder:
    """The order of the instructions, of which `runs` have work to do."""
    writers: dict[int, int] = {}
    readers: dict[int, list[int]] = {}
    last_of_lane: dict[int, int] = {}
    sources: list[set[int]] = []
    for position in binding.positions:
        item, schema = binding.instruction(position), binding.state.schemas[position]
        needed = {writers[index] for index in every_index(item.inputs) if index in writers}
        for _, reused in item.inplace:
            # The output may take over the buffer, after every op that reads it.
            needed.update(readers.get(binding.plan.values[reused].root, ()))
        if item.region is None and (schema.effect or schema.control_flow):
            # An error of an earlier instruction comes before an effect of this one.
            needed.update(last_of_lane.values())
        sources.append({source - binding.start for source in needed if source != position})
        for index in every_index(item.inputs):
            readers.setdefault(binding.plan.values[index].root, []).append(position)
        writers.update(dict.fromkeys(every_index(item.outputs), position))
        if position in runs:
            last_of_lane[lanes[position]] = position
    places = [lanes[position] if position in runs else None for position in binding.positions]
    return LaneOrder(places, sources)
