"""Loops and branches as jobs: the packed arguments of `launch_list.run_branch` and `launch_list.run_loop`."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from lite.kernels.cpu.native.code_store import find_code
from lite.kernels.cpu.native.job_table import RUN_BRANCH, RUN_LOOP, STATIC, JobCall
from lite.kernels.cpu.native.launch_list import LaunchList
from lite.kernels.cpu.native.loader import load
from lite.kernels.cpu.native.packed_arguments import address_of
from lite.plugin.kernel import Array
from lite.plugin.kernel.launches import BlockLaunches, LoopEnd

Passed = list[tuple[int, Array]]
"""Arrays with the numbers of their words."""


def branch(
    block: BlockLaunches, condition: Array, args: Sequence[Array], outs: Sequence[Array], carried: int
) -> tuple[JobCall, Passed]:
    """A block that runs where a condition, ``bool[1]``, holds; otherwise `carried` arguments are copied.

    Raises `NotCompiledError`.
    """
    jobs = _Jobs(block, first=1)
    taken = jobs.copies(outs)
    skipped = [(1 + len(args) + n, 1 + n, 0, outs[n].nbytes) for n in range(carried)]
    arrays = [jobs.table, _words(jobs.patches), _words(taken), _words(skipped)]
    numbers = [jobs.count, len(jobs.patches), len(taken), len(skipped)]
    return _call(RUN_BRANCH, arrays, numbers, jobs, [condition, *args, *outs])


def loop(
    block: BlockLaunches, args: Sequence[Array], outs: Sequence[Array], collected: Sequence[Array], limit: int
) -> tuple[JobCall, Passed, Callable[[], LoopEnd]]:
    """A block that runs while its first argument, ``bool[1]``, holds, at most `limit` times.

    The results after those that it carries to `outs` are rows of `collected`, one for each iteration.  The
    function tells how the last run ended.  Raises `NotCompiledError`.
    """
    jobs = _Jobs(block, first=0)
    carried, results = len(outs), [*outs, *(array[0] for array in collected)]
    copies = jobs.copies(results)
    buffers = [np.empty_like(out) for _ in range(2) for out in outs]
    places = np.array([*map(address_of, buffers)], np.int64)
    sizes = np.array([result.nbytes for result in results], np.int64)
    addresses, state = np.zeros(len(args) + len(results), np.int64), np.zeros(2, np.int64)
    arrays = [jobs.table, _words(jobs.patches), _words(copies), places, sizes, addresses, state]
    numbers = [jobs.count, len(jobs.patches), len(copies), len(args), carried, len(collected), limit]
    call, passed = _call(RUN_LOOP, arrays, numbers, (jobs, buffers), [*args, *outs, *collected])

    def last_end() -> LoopEnd:
        end = LoopEnd(bool(state[0]), int(state[1]))
        state[0] = 0
        return end

    return call, passed, last_end


class _Jobs:
    """The jobs of a block, and where addresses of its arguments and results, from `first` on, belong."""

    def __init__(self, block: BlockLaunches, first: int) -> None:
        self._block, self._first = block, first
        self.table = np.zeros(0, np.int64)
        self.count = 0
        self.patches: list[tuple[int, int, int]] = []
        self._kept: list[Array] = []
        joined = block.joined
        if joined is None:
            return
        if not isinstance(joined, LaunchList):
            raise TypeError(f"expected a list of jobs, got {joined!r}")
        self.table, self.count = joined.table, len(joined.table)
        for number, targets in zip(block.takes, joined.word_addresses(), strict=True):
            self.patches += [(first + number, address, offset) for address, offset in targets]

    def copies(self, outs: Sequence[Array]) -> list[tuple[int, int, int, int]]:
        """The copies after the jobs, of values that these do not write."""
        rows = []
        for n, (source, out) in enumerate(zip(self._block.copies, outs, strict=True)):
            target = self._first + self._block.arguments + n
            if isinstance(source, int):
                rows.append((target, self._first + source, 0, out.nbytes))
            elif source is not None:
                self._kept.append(source)
                rows.append((target, STATIC, address_of(source), out.nbytes))
        return rows


def _words(rows: Sequence[Sequence[int]]) -> Array:
    return np.array(rows, np.int64).reshape(-1)


def _call(
    name: str, arrays: Sequence[Array], numbers: Sequence[int], kept: object, passed: Sequence[Array]
) -> tuple[JobCall, Passed]:
    code = find_code(name)
    words = [0, *map(address_of, arrays), *numbers]
    first = len(words)
    words += [address_of(array) for array in passed]
    call = JobCall(
        name, code.parameters, load(code), words, 1, 1, 0.0, (arrays, kept, passed), is_storable=False
    )
    return call, [(first + n, array) for n, array in enumerate(passed)]
