"""Functions of bytes as tables of 256 bytes."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types

from lite.kernels.cpu.compiled.jit import bounds, emit
from lite.kernels.cpu.compiled.jit.decorators import inner, instruction
from lite.kernels.cpu.compiled.jit.emit import at
from lite.kernels.cpu.compiled.jit.entry import entry
from lite.kernels.cpu.compiled.jit.numba_internals import for_range
from lite.kernels.cpu.machine import machine

HAS_PERMUTATIONS = {"+avx512vbmi", "+avx512bw"} <= frozenset(machine().features.split(","))
"""Whether one instruction looks up 64 bytes in a table of 128 (AVX512-VBMI)."""

STEP = 64 if HAS_PERMUTATIONS else 1
"""Bytes that `look_up_bytes` takes at a time."""

_WIDE = ir.VectorType(emit.BYTE, 64)
_ZEROS = ir.Constant(_WIDE, [0] * 64)


@instruction
def _permute(typing: Any, x: Any, begin: Any, table: Any, out: Any, dest: Any, count: Any) -> Any:
    """Look up the `count` bytes of `x` from `begin` on, and write them from `dest` on."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        source, entries, target = (
            at(builder, emit.data(context, builder, sig.args[n], args[n]), offset)
            for n, offset in ((0, args[1]), (2, 0), (3, args[4]))
        )
        quarters = []
        for n in range(4):
            address = at(builder, entries, 64 * n)
            bounds.check(builder, address, 64)
            quarter = builder.load(builder.bitcast(address, _WIDE.as_pointer()))
            quarter.align = 1
            quarters.append(quarter)
        with for_range(builder, builder.sdiv(args[5], emit.integer(STEP))) as loop:
            offset = builder.mul(loop.index, emit.integer(STEP))
            read, write = at(builder, source, offset), at(builder, target, offset)
            bounds.check(builder, read, 64)
            bounds.check(builder, write, 64)
            codes = builder.load(builder.bitcast(read, _WIDE.as_pointer()))
            codes.align = 1
            halves = [
                emit.call(
                    builder, "llvm.x86.avx512.vpermi2var.qi.512", _WIDE, [quarters[n], codes, quarters[n + 1]]
                )
                for n in (0, 2)
            ]
            is_high = builder.icmp_signed("<", codes, _ZEROS)
            chosen = builder.select(is_high, halves[1], halves[0])
            builder.store(chosen, builder.bitcast(write, _WIDE.as_pointer())).align = 1
        return context.get_dummy_value()

    return types.void(x, types.int64, table, out, types.int64, types.int64), generate


@entry("b", "b", "c")
def look_up(x: Any, table: Any, out: Any, begin: int, end: int) -> None:
    """Elements `begin` to `end`: ``table[x]``, a table of 256 bytes."""
    place = begin
    if HAS_PERMUTATIONS:
        _permute(x, begin, table, out, begin, end - begin)
        place = begin + (end - begin) // STEP * STEP
    for n in range(place, end):
        out[n] = table[x[n]]


@inner
def look_up_in_place(codes: Any, begin: int, count: int, table: Any) -> None:
    """Replace `count` bytes from `begin` on by the elements of `table` that they number."""
    end, place = begin + count, begin
    if HAS_PERMUTATIONS:
        _permute(codes, begin, table, codes, begin, count)
        place = begin + count // STEP * STEP
    for n in range(place, end):
        codes[n] = table[codes[n]]
