"""Copies and fills of bytes, by address."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types

from lite.kernels.cpu.compiled import emit
from lite.kernels.cpu.compiled.jit import instruction
from lite.kernels.cpu.compiled.numba_internals import copy_memory


@instruction
def copy_bytes(typing: Any, target: Any, source: Any, count: Any) -> Any:
    """Copy `count` bytes from the address `source` to the address `target`; no overlap."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        to, start = (builder.inttoptr(address, emit.BYTE.as_pointer()) for address in args[:2])
        copy_memory(builder, to, start, args[2], 1)
        return context.get_dummy_value()

    return types.void(types.int64, types.int64, types.int64), generate


@instruction
def fill_bytes(typing: Any, target: Any, count: Any, byte: Any) -> Any:
    """Set `count` bytes from the address `target` on to the low bits of `byte`."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        to = builder.inttoptr(args[0], emit.BYTE.as_pointer())
        arguments = [to, builder.trunc(args[2], emit.BYTE), args[1], ir.Constant(ir.IntType(1), 0)]
        emit.call(builder, "llvm.memset.p0.i64", ir.VoidType(), arguments)
        return context.get_dummy_value()

    return types.void(types.int64, types.int64, types.int64), generate
