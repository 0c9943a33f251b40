"""A list of jobs with all their arguments, which one compiled function runs."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from ctypes import addressof, c_char, c_int64, c_void_p

import numpy as np

from lite.kernels.cpu.native.job_table import RUN_LAUNCHES, JobCall
from lite.kernels.cpu.native.packed_arguments import address_of
from lite.kernels.cpu.native.stored_list import stored_list
from lite.kernels.cpu.native.worker_pool import LEAST_COST, current_pool, native
from lite.plugin.kernel import Array
from lite.plugin.kernel.launches import Launch, Place, StoredLaunches

_from_buffer = c_char.from_buffer

_UNALIGNED, _ALIGNED = 1, 7
"""An address of no array, and the bits that are 0 in one that suits every type."""


def join(launches: Sequence[Launch], places: Sequence[Sequence[Place]]) -> LaunchList:
    """One call of several jobs, with the arrays whose addresses each run decides."""
    calls: list[JobCall] = [launch.details for launch in launches]
    starts = np.cumsum([0, *(len(call.words) for call in calls)])
    words = array("q", [word for call in calls for word in call.words])
    first = words.buffer_info()[0]
    shared = [call.cost >= LEAST_COST and call.count > call.grain for call in calls]
    table = np.array(
        [
            [call.function, first + 8 * int(start), call.count, call.grain, int(is_shared)]
            for call, start, is_shared in zip(calls, starts, shared, strict=False)
        ],
        np.int64,
    )
    cost = max((call.cost for call, is_shared in zip(calls, shared, strict=True) if is_shared), default=0.0)
    targets = [[(int(starts[n]) + place, offset) for n, place, offset in each] for each in places]
    moving = {(number, place) for each in places for number, place, _ in each}
    kept = [
        array
        for number, launch in enumerate(launches)
        for place, array in launch.arrays
        if (number, place) not in moving
    ]
    return LaunchList(words, table, cost, targets, kept, calls)


class LaunchList:
    """Runs its jobs in order; `kept` are the arrays that the jobs use besides those of each run.

    A list that was stored before has no `calls`.
    """

    def __init__(
        self,
        words: array[int],
        table: Array,
        cost: float,
        targets: Sequence[Sequence[tuple[int, int]]],
        kept: Sequence[Array],
        calls: Sequence[JobCall] = (),
    ) -> None:
        self._words = words
        self._table = table
        self.shared_cost = cost
        self._targets = targets
        self._kept = kept
        self._calls = calls
        self._run = native(RUN_LAUNCHES)
        self._slot = np.zeros(1, np.int64)
        # The table, the job slot of a pool, and the number of its threads.
        self._arguments = array("q", [address_of(table), address_of(self._slot), 1])
        self._address = self._arguments.buffer_info()[0]
        self._places = [
            (place, number, offset) for number, each in enumerate(targets) for place, offset in each
        ]
        # Converted once: that takes as long as the call itself.
        self._call = c_void_p(self._address), c_int64(0), c_int64(0), c_int64(len(table))

    def __call__(self, arrays: Sequence[Array]) -> None:
        """Run with these arrays at their places; an array that is not contiguous is copied."""
        words = self._words
        copies = []
        for each, targets in zip(arrays, self._targets, strict=True):
            try:
                address = addressof(_from_buffer(each))  # type: ignore[arg-type]
            except (TypeError, ValueError):
                address = _UNALIGNED  # read-only, empty, or not contiguous
            if address & _ALIGNED:
                flags = each.flags
                if not (flags.c_contiguous and flags.aligned):
                    each = np.require(each, requirements=["C", "A"])
                    copies.append(each)
                address = address_of(each)
            for place, offset in targets:
                words[place] = address + offset
        pool = current_pool(self.shared_cost) if self.shared_cost else None
        if pool is None:
            self._arguments[2] = 1
        else:
            pool.wake()
            self._arguments[1], self._arguments[2] = pool.slot_address, pool.threads
        self._run(*self._call)

    @property
    def table(self) -> Array:
        """The jobs, as `job_table` describes them: ``int64[jobs, ROW]``."""
        return self._table

    def word_addresses(self) -> list[list[tuple[int, int]]]:
        """For each array of a run, the addresses of the words that are its address, with offsets in bytes."""
        first = self._words.buffer_info()[0]
        return [[(first + 8 * place, offset) for place, offset in each] for each in self._targets]

    def run_at(self, addresses: Sequence[int]) -> None:
        """Run on this thread alone, with contiguous arrays at these addresses."""
        words = self._words
        for place, number, offset in self._places:
            words[place] = addresses[number] + offset
        self._arguments[2] = 1
        self._run(*self._call)

    def stored(self, memory: Sequence[Array]) -> StoredLaunches | None:
        """The jobs as data; None where they read or write memory that cannot be stored."""
        return stored_list(self._calls, self._table, self.shared_cost, self._targets, self._kept, memory)
