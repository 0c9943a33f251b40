"""Runs lists of jobs without Python between them: one after the other, in loops, and in branches.

The packed arguments of loops and branches are followed by the addresses of the arrays that the block takes
and writes.  Before the jobs run, `patches` put addresses into the words of their packed arguments: rows of
the number of an address, the word's own address, and an offset.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types

from lite.kernels.cpu.compiled.jit import emit
from lite.kernels.cpu.compiled.jit.atomic import call
from lite.kernels.cpu.compiled.jit.decorators import inner, instruction
from lite.kernels.cpu.compiled.jit.entry import entry
from lite.kernels.cpu.compiled.jit.numba_internals import copy_memory
from lite.kernels.cpu.compiled.worker_pool import post_job
from lite.kernels.cpu.native.job_table import (
    ARGUMENTS,
    BRANCH_FIRST,
    COUNT,
    FUNCTION,
    GRAIN,
    LOOP_FIRST,
    ROW,
    SHARED,
    STATIC,
)


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


@instruction
def _byte_at(typing: Any, address: Any) -> Any:
    """The byte at an address."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return builder.zext(builder.load(builder.inttoptr(args[0], emit.BYTE.as_pointer())), emit.INT)

    return types.int64(types.int64), generate


@instruction
def _put_word(typing: Any, address: Any, word: Any) -> Any:
    """Store a word at an address."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        builder.store(args[1], builder.inttoptr(args[0], emit.INT.as_pointer()))
        return context.get_dummy_value()

    return types.void(types.int64, types.int64), generate


@instruction
def _copy(typing: Any, target: Any, source: Any, count: Any) -> Any:
    """Copy bytes from one address to another; no overlap."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        pointer = ir.IntType(8).as_pointer()
        to, start = (builder.inttoptr(args[n], pointer) for n in range(2))
        copy_memory(builder, to, start, args[2], 1)
        return context.get_dummy_value()

    return types.void(types.int64, types.int64, types.int64), generate


@inner
def _run_jobs(table: Any, count: int) -> None:
    for number in range(count):
        row = number * ROW
        call(table[row + FUNCTION], table[row + ARGUMENTS], 0, 0, table[row + COUNT])


@inner
def _patch(addresses: Any, first: int, patches: Any, count: int) -> None:
    for n in range(count):
        _put_word(patches[3 * n + 1], addresses[first + patches[3 * n]] + patches[3 * n + 2])


@inner
def _copy_all(addresses: Any, first: int, copies: Any, count: int) -> None:
    """Make copies: the numbers of the addresses of target and source, a `STATIC` source, and the bytes."""
    for n in range(count):
        source = copies[4 * n + 2] if copies[4 * n + 1] == STATIC else addresses[first + copies[4 * n + 1]]
        _copy(addresses[first + copies[4 * n]], source, copies[4 * n + 3])


@entry("p", "n", "n", "n", "n", "i", "i", "i", "i", is_checked=False)
def run_branch(
    words: Any, table: Any, patches: Any, taken: Any, skipped: Any, jobs: int, patch_count: int,
    taken_count: int, skipped_count: int, begin: int, end: int,
) -> None:  # fmt: skip
    """Run the jobs where the byte at the first address is not 0, and make the copies of `taken` or `skipped`.

    The other addresses are those of the arguments and of the results.
    """
    if _byte_at(words[BRANCH_FIRST]) == 0:
        _copy_all(words, BRANCH_FIRST, skipped, skipped_count)
        return
    _patch(words, BRANCH_FIRST, patches, patch_count)
    _run_jobs(table, jobs)
    _copy_all(words, BRANCH_FIRST, taken, taken_count)


@entry("p", "n", "n", "n", "n", "n", "m", "m", "i", "i", "i", "i", "i", "i", "i", is_checked=False)
def run_loop(
    words: Any, table: Any, patches: Any, copies: Any, buffers: Any, sizes: Any, addresses: Any, state: Any,
    jobs: int, patch_count: int, copy_count: int, arguments: int, carried: int, collected: int, limit: int,
    begin: int, end: int,
) -> None:  # fmt: skip
    """Run the jobs while the byte at the first address is not 0, at most `limit` times.

    An iteration writes the `carried` values of `sizes` bytes to one of two sets of `buffers`, and reads them
    from the other one, at first from the arguments.  The `collected` values, whose sizes follow, are written
    one after the other to an array for each.  `addresses` are those of an iteration's arguments and results.
    At the end the carried values are copied to the results of the loop, whose addresses follow those of its
    arguments; the addresses of the arrays are last.  `state` tells whether the limit stopped the loop
    in any run, and the number of iterations of the last one.
    """
    for n in range(arguments):
        addresses[n] = words[LOOP_FIRST + n]
    iteration = 0
    while _byte_at(addresses[0]) != 0:
        if iteration == limit:
            state[0] = 1
            break
        for n in range(carried):
            addresses[arguments + n] = buffers[iteration % 2 * carried + n]
        for n in range(carried, carried + collected):
            addresses[arguments + n] = words[LOOP_FIRST + arguments + n] + iteration * sizes[n]
        _patch(addresses, 0, patches, patch_count)
        _run_jobs(table, jobs)
        _copy_all(addresses, 0, copies, copy_count)
        for n in range(carried):
            addresses[n] = addresses[arguments + n]
        iteration += 1
    state[1] = iteration
    for n in range(carried):
        _copy(words[LOOP_FIRST + arguments + n], addresses[n], sizes[n])
