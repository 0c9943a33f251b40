"""Lanes run their tasks in order, wait for each other, and raise the first error of the plan."""

from __future__ import annotations

import random
import threading
import time

import pytest

from lite.errors import ExecutionError
from lite.runtime.lanes.order import LaneOrder
from lite.runtime.lanes.run import LaneRun
from lite.runtime.segment import Lane, Task
from tests.support.interrupts import interrupted, lines_of


def lanes_of(places: list[int], sources: list[set[int]]) -> tuple[Lane, ...]:
    order = LaneOrder(places, sources)
    return tuple(tuple(Task(n, (), order.waits[n]) for n in members) for members in order.members)


def drawn(seed: int) -> tuple[list[int], list[set[int]]]:
    pick = random.Random(seed)
    places = [pick.randrange(3) for _ in range(12)]
    sources = [{m for m in range(n) if pick.random() < 0.2} for n in range(12)]
    return places, sources


@pytest.mark.parametrize("seed", range(20))
def test_each_task_runs_once_after_those_that_it_depends_on(seed: int) -> None:
    places, sources = drawn(seed)
    done: list[int] = []

    def execute(task: Task) -> None:
        assert sources[task.position] <= set(done)
        time.sleep(0.0002 * (task.position % 3))
        done.append(task.position)

    LaneRun(lanes_of(places, sources), execute).run()
    assert sorted(done) == list(range(12))


@pytest.mark.parametrize("seed", range(20))
def test_the_error_is_that_of_the_first_task_that_fails_in_the_order_of_the_plan(seed: int) -> None:
    places, sources = drawn(seed)
    failing = set(random.Random(seed).sample(range(12), 3))
    ran: list[int] = []

    def execute(task: Task) -> None:
        time.sleep(0.0003 * (12 - task.position))
        ran.append(task.position)
        if task.position in failing:
            raise ExecutionError(f"task {task.position}")

    with pytest.raises(ExecutionError, match=f"^task {min(failing)}$"):
        LaneRun(lanes_of(places, sources), execute).run()
    assert set(range(min(failing))) <= set(ran)


def test_independent_lanes_run_at_the_same_time() -> None:
    meeting = threading.Barrier(3)

    def execute(task: Task) -> None:
        meeting.wait(timeout=30)

    LaneRun(lanes_of([0, 1, 2], [set(), set(), set()]), execute).run()


def test_a_run_that_is_interrupted_at_any_line_leaves_nothing_running_after_stop() -> None:
    lanes = lanes_of(*drawn(3))
    running: set[int] = set()

    def execute(task: Task) -> None:
        running.add(task.position)
        time.sleep(0.0001)
        running.discard(task.position)

    def run() -> None:
        made.append(LaneRun(lanes, execute))
        made[-1].run()

    made: list[LaneRun] = []
    lines = lines_of(run)
    assert len(lines) > 15
    for line in lines:
        made.clear()
        running.clear()
        interrupted(run, line)
        for each in made:
            each.stop()
        before = set(running)
        time.sleep(0.002)
        # An interrupt in the caller's own task leaves its mark; other threads have ended theirs.
        assert {n for n in running if drawn(3)[0][n]} == set()
        assert running == before
