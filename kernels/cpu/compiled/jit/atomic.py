"""Atomic instructions on the words of an int64 array that several threads use."""

from __future__ import annotations

import platform
import sys
from typing import Any

from llvmlite import ir
from numba import types

from lite.kernels.cpu.compiled.jit import emit
from lite.kernels.cpu.compiled.jit.decorators import instruction

_PAUSES: dict[str, tuple[str, list[Any]]] = {
    "x86_64": ("llvm.x86.sse2.pause", []),
    "aarch64": ("llvm.aarch64.hint", [ir.Constant(ir.IntType(32), 1)]),
}
_OTHER_NAMES = {"amd64": "x86_64", "arm64": "aarch64"}


@instruction
def read(typing: Any, words: Any, index: Any) -> Any:
    """Read a word (acquire): what its writer wrote before it is visible, too."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return builder.load_atomic(_word(context, builder, sig, args), "acquire", 8)

    return types.int64(words, types.int64), generate


@instruction
def add(typing: Any, words: Any, index: Any, number: Any) -> Any:
    """Add to a word (sequentially consistent); returns the value before."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return builder.atomic_rmw("add", _word(context, builder, sig, args), args[2], "seq_cst")

    return types.int64(words, types.int64, types.int64), generate


@instruction
def pause(typing: Any) -> Any:
    """Tell the processor that this thread spins."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        machine = platform.machine().lower()
        hint = _PAUSES.get(_OTHER_NAMES.get(machine, machine))
        if hint is not None:
            name, arguments = hint
            emit.call(builder, name, ir.VoidType(), arguments)
        return context.get_dummy_value()

    return types.void(), generate


@instruction
def yield_core(typing: Any) -> Any:
    """Let another thread have the core if one waits for it."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        if sys.platform != "win32":
            emit.call(builder, "sched_yield", ir.IntType(32), [])
        return context.get_dummy_value()

    return types.void(), generate


@instruction
def call(typing: Any, function: Any, arguments: Any, worker: Any, begin: Any, end: Any) -> Any:
    """Call a compiled function by its address: ``function(arguments, worker, begin, end)``."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        kind = ir.FunctionType(ir.VoidType(), [emit.INT] * 4)
        builder.call(builder.inttoptr(args[0], kind.as_pointer()), args[1:])
        return context.get_dummy_value()

    return types.void(*[types.int64] * 5), generate


def _word(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    return emit.at(builder, emit.data(context, builder, sig.args[0], args[0]), args[1])
