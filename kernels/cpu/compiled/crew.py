"""How a run's thread and its workers share a job without Python: see `lite.kernels.cpu.job_slot`."""

from __future__ import annotations

from typing import Any

from lite.kernels.cpu.compiled.atomic import add, call, give_way, pause, read
from lite.kernels.cpu.compiled.entry import entry
from lite.kernels.cpu.compiled.jit import inner
from lite.kernels.cpu.job_slot import (
    ACTIVE,
    ARGUMENTS,
    CLAIM,
    COUNT,
    FUNCTION,
    GATE,
    GRAIN,
    OPEN,
    PIECES,
    TICKET,
)

TURNS = 64
"""Turns of waiting, a few microseconds, before others are let run."""


@inner
def _work(box: Any, worker: int) -> None:
    """Do pieces until all are claimed."""
    count, grain, pieces = box[COUNT], box[GRAIN], box[PIECES]
    grains = (count + grain - 1) // grain
    while True:
        piece = add(box, CLAIM, 1)
        if piece >= pieces:
            break
        begin, end = piece * grains // pieces * grain, (piece + 1) * grains // pieces * grain
        call(box[FUNCTION], box[ARGUMENTS], worker, begin, min(end, count))


@inner
def _wait(turn: int) -> None:
    """Wait a moment; now and then let others run, among them perhaps the thread that is waited for."""
    if turn % TURNS == TURNS - 1:
        give_way()
    else:
        pause()


@entry("m")
def post(box: Any, begin: int, end: int) -> None:
    """Do the job that was written to the mailbox with the workers that are there; all of it is done then."""
    box[CLAIM] = 0
    add(box, GATE, OPEN)
    add(box, TICKET, 1)
    _work(box, 0)
    add(box, GATE, -OPEN)
    turn = 0
    while read(box, GATE) != 0:
        _wait(turn)
        turn += 1


@entry("m", "m", "i", "i", "i")
def serve(box: Any, seen: Any, worker: int, short: int, long: int, begin: int, end: int) -> None:
    """Wait for jobs and work on them, until none came for `short` turns, or `long` ones during a run.

    ``seen[0]`` is the ticket of the last job that this worker saw.
    """
    idle = 0
    while idle < short or (idle < long and read(box, ACTIVE) == 1):
        ticket = read(box, TICKET)
        if ticket == seen[0]:
            _wait(idle)
            idle += 1
            continue
        seen[0] = ticket
        # Who comes late must not touch the next job's words before it is posted.
        if add(box, GATE, 1) >= OPEN:
            _work(box, worker)
        add(box, GATE, -1)
        idle = 0
