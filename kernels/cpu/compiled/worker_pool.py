"""Jobs of a worker pool without Python: posting one, and serving a job slot.

`lite.kernels.cpu.native.worker_pool` describes the protocol, its states and its memory order.
"""

from __future__ import annotations

from typing import Any

from lite.kernels.cpu.compiled.jit.atomic import add, call, pause, read, yield_core
from lite.kernels.cpu.compiled.jit.decorators import inner
from lite.kernels.cpu.compiled.jit.entry import entry
from lite.kernels.cpu.native.worker_pool import (
    ACTIVE,
    ARGUMENTS,
    CLAIM,
    COUNT,
    FUNCTION,
    GATE,
    GRAIN,
    ITEMS,
    ITEMS_PER_THREAD,
    OPEN,
    TICKET,
)

YIELD_INTERVAL = 64
"""Iterations of a waiting loop, a few microseconds, after which another thread may have the core."""


@inner
def _take_items(slot: Any, worker: int) -> None:
    """Take and run work items until all are taken."""
    count, grain, items = slot[COUNT], slot[GRAIN], slot[ITEMS]
    grains = (count + grain - 1) // grain
    while True:
        item = add(slot, CLAIM, 1)
        if item >= items:
            break
        begin, end = item * grains // items * grain, (item + 1) * grains // items * grain
        call(slot[FUNCTION], slot[ARGUMENTS], worker, begin, min(end, count))


@inner
def _wait(iteration: int) -> None:
    """Wait a moment; from time to time yield the core, perhaps to the thread that this one waits for."""
    if iteration % YIELD_INTERVAL == YIELD_INTERVAL - 1:
        yield_core()
    else:
        pause()


@inner
def post_job(slot: Any, function: int, arguments: int, count: int, grain: int, threads: int) -> None:
    """Write a job into the slot of a pool with so many threads, and run it together with its workers."""
    slot[FUNCTION], slot[ARGUMENTS] = function, arguments
    slot[COUNT], slot[GRAIN] = count, grain
    slot[ITEMS] = min((count + grain - 1) // grain, threads * ITEMS_PER_THREAD)
    _post(slot)


@entry("m", is_checked=False)
def post(slot: Any, begin: int, end: int) -> None:
    """Run the job in the slot together with the workers that are awake; return when all of it is done."""
    _post(slot)


@inner
def _post(slot: Any) -> None:
    slot[CLAIM] = 0
    add(slot, GATE, OPEN)
    add(slot, TICKET, 1)
    _take_items(slot, 0)
    add(slot, GATE, -OPEN)
    iteration = 0
    while read(slot, GATE) != 0:
        _wait(iteration)
        iteration += 1


@entry("m", "m", "i", "i", "i", is_checked=False)
def serve(slot: Any, seen_ticket: Any, worker: int, short: int, long: int, begin: int, end: int) -> None:
    """Look for jobs and work on them; return after `short` vain looks, or `long` ones during a run.

    ``seen_ticket[0]`` is the ticket of the last job that this worker saw.
    """
    idle = 0
    while idle < short or (idle < long and read(slot, ACTIVE) == 1):
        ticket = read(slot, TICKET)
        if ticket == seen_ticket[0]:
            _wait(idle)
            idle += 1
            continue
        seen_ticket[0] = ticket
        if add(slot, GATE, 1) >= OPEN:
            _take_items(slot, worker)
        add(slot, GATE, -1)
        idle = 0
