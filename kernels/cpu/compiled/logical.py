"""Logic of bool tensors, whose bytes are 0 or 1."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types

from lite.kernels.cpu.compiled.jit import bounds, emit
from lite.kernels.cpu.compiled.jit.decorators import instruction
from lite.kernels.cpu.compiled.jit.emit import Emitted
from lite.kernels.cpu.compiled.jit.entry import Entry, entry
from lite.kernels.cpu.tile_sizes import LANES

_WIDTH = 4 * LANES
"""The bytes of a register."""


Operation = Callable[[Any, Emitted, Emitted], Emitted]
"""From the builder and two vectors or bytes to one."""


def _step_of(operation: Operation, width: int) -> Any:

    @instruction
    def step(typing: Any, x: Any, y: Any, out: Any, place: Any) -> Any:
        """Combine `width` bytes of `x` and `y` from index `place` on."""

        def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            kind = ir.VectorType(emit.BYTE, width) if width > 1 else emit.BYTE
            pointers = []
            for n in range(3):
                address = emit.at(builder, emit.data(context, builder, sig.args[n], args[n]), args[3])
                bounds.check(builder, address, width)
                pointers.append(builder.bitcast(address, kind.as_pointer()))
            operands = [builder.load(pointer) for pointer in pointers[:2]]
            for operand in operands:
                operand.align = 1
            builder.store(operation(builder, *operands), pointers[2]).align = 1
            return context.get_dummy_value()

        return types.void(x, y, out, types.int64), generate

    return step


def _loop_of(operation: Operation) -> Entry:
    """The loop over elements `begin` to `end` of two tensors."""
    several, one = (_step_of(operation, width) for width in (_WIDTH, 1))

    @entry("a", "a", "z")
    def loop(x: Any, y: Any, out: Any, begin: int, end: int) -> None:
        whole = begin + (end - begin) // _WIDTH * _WIDTH
        for place in range(begin, whole, _WIDTH):
            several(x, y, out, place)
        for place in range(whole, end):
            one(x, y, out, place)

    return loop  # type: ignore[return-value]


def _both(builder: Any, a: Emitted, b: Emitted) -> Emitted:
    return builder.and_(a, b)


def _either(builder: Any, a: Emitted, b: Emitted) -> Emitted:
    return builder.or_(a, b)


def _differ(builder: Any, a: Emitted, b: Emitted) -> Emitted:
    return builder.xor(a, b)


def _inverse(builder: Any, a: Emitted, b: Emitted) -> Emitted:
    """1 - a; LLVM removes the load of b."""
    ones = [1] * _WIDTH if isinstance(a.type, ir.VectorType) else 1
    return builder.xor(a, ir.Constant(a.type, ones))


both, either, differ = _loop_of(_both), _loop_of(_either), _loop_of(_differ)

_several_inverse, _one_inverse = _step_of(_inverse, _WIDTH), _step_of(_inverse, 1)


@entry("a", "z")
def inverse(x: Any, out: Any, begin: int, end: int) -> None:
    """Elements `begin` to `end`: ``1 - x``."""
    whole = begin + (end - begin) // _WIDTH * _WIDTH
    for place in range(begin, whole, _WIDTH):
        _several_inverse(x, x, out, place)
    for place in range(whole, end):
        _one_inverse(x, x, out, place)
