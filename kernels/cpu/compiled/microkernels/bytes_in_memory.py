"""Copies and fills of bytes by address, in the arrays of the call to which the array `call` belongs."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types

from lite.kernels.cpu.compiled.jit import bounds, emit
from lite.kernels.cpu.compiled.jit.decorators import instruction
from lite.kernels.cpu.compiled.jit.emit import Emitted
from lite.kernels.cpu.compiled.jit.numba_internals import for_range


@instruction
def copy_bytes(typing: Any, call: Any, target: Any, source: Any, count: Any) -> Any:
    """Copy `count` bytes from the address `source` to the address `target`; no overlap."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        to, start = (_pointer(context, builder, sig, args, n) for n in (1, 2))
        emit.copy_bytes(builder, to, start, args[3])
        return context.get_dummy_value()

    return types.void(call, types.int64, types.int64, types.int64), generate


@instruction
def fill_bytes(typing: Any, call: Any, target: Any, count: Any, byte: Any) -> Any:
    """Set `count` bytes from the address `target` on to the low bits of `byte`."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        emit.fill_bytes(builder, _pointer(context, builder, sig, args, 1), args[2], args[3])
        return context.get_dummy_value()

    return types.void(call, types.int64, types.int64, types.int64), generate


_GROUP = 16
"""Bytes that `widen_bytes` takes at a time."""


def _widening(is_signed: bool) -> Any:
    @instruction
    def widen(typing: Any, call: Any, target: Any, source: Any, count: Any) -> Any:
        """Copy `count` bytes, a multiple of four, as 16-bit integers; no overlap."""

        def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            to, start = (_pointer(context, builder, sig, args, n) for n in (1, 2))
            whole = builder.and_(args[3], emit.integer(-_GROUP))
            _widen(builder, to, start, whole, _GROUP, is_signed)
            rest = builder.sub(args[3], whole)
            to, start = emit.at(builder, to, builder.add(whole, whole)), emit.at(builder, start, whole)
            _widen(builder, to, start, rest, 4, is_signed)
            return context.get_dummy_value()

        return types.void(call, types.int64, types.int64, types.int64), generate

    return widen


widen_bytes, widen_signed = _widening(is_signed=False), _widening(is_signed=True)
"""Copies of unsigned and of signed bytes as 16-bit integers."""


def _widen(
    builder: Any, target: Emitted, source: Emitted, count: Emitted, step: int, is_signed: bool
) -> None:
    narrow, wide = (ir.VectorType(ir.IntType(bits), step) for bits in (8, 16))
    with for_range(builder, builder.sdiv(count, emit.integer(step))) as loop:
        read = emit.at(builder, source, builder.mul(loop.index, emit.integer(step)))
        write = emit.at(builder, target, builder.mul(loop.index, emit.integer(2 * step)))
        bounds.check(builder, read, step)
        bounds.check(builder, write, 2 * step)
        loaded = builder.load(builder.bitcast(read, narrow.as_pointer()))
        loaded.align = 1
        words = builder.sext(loaded, wide) if is_signed else builder.zext(loaded, wide)
        builder.store(words, builder.bitcast(write, wide.as_pointer())).align = 2


def _pointer(context: Any, builder: Any, sig: Any, args: Any, place: int) -> Emitted:
    pointer = builder.inttoptr(args[place], emit.BYTE.as_pointer())
    bounds.enclosing(builder, pointer, emit.data(context, builder, sig.args[0], args[0]))
    return pointer
