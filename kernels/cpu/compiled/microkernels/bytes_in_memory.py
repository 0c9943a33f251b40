"""Copies and fills of bytes by address, in the arrays of the call to which the array `call` belongs."""

from __future__ import annotations

from typing import Any

from numba import types

from lite.kernels.cpu.compiled.jit import bounds, emit
from lite.kernels.cpu.compiled.jit.decorators import instruction
from lite.kernels.cpu.compiled.jit.emit import Emitted


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


def _pointer(context: Any, builder: Any, sig: Any, args: Any, place: int) -> Emitted:
    pointer = builder.inttoptr(args[place], emit.BYTE.as_pointer())
    bounds.enclosing(builder, pointer, emit.data(context, builder, sig.args[0], args[0]))
    return pointer
