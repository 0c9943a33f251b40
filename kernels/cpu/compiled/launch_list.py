"""Runs a list of jobs one after the other, without Python between them."""

from __future__ import annotations

from typing import Any

from lite.kernels.cpu.compiled.jit.atomic import call
from lite.kernels.cpu.compiled.jit.entry import entry
from lite.kernels.cpu.compiled.worker_pool import post_job
from lite.kernels.cpu.native.job_table import ARGUMENTS, COUNT, FUNCTION, GRAIN, ROW, SHARED


@entry("n", "m", "i", is_checked=False)
def run_launches(table: Any, slot: Any, threads: int, begin: int, end: int) -> None:
    """Run the jobs `begin` to `end` of a table.

    With several `threads`, those of a pool whose job slot is `slot` share the jobs that are worth it.
    """
    for number in range(begin, end):
        row = number * ROW
        count, grain = table[row + COUNT], table[row + GRAIN]
        if threads > 1 and table[row + SHARED] != 0:
            post_job(slot, table[row + FUNCTION], table[row + ARGUMENTS], count, grain, threads)
        else:
            call(table[row + FUNCTION], table[row + ARGUMENTS], 0, 0, count)
