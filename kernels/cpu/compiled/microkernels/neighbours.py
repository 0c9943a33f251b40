"""Conversions of neighbouring elements of any types, in arrays that a function sees as bytes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import ir

from lite.kernels.cpu.compiled.jit import bounds, emit
from lite.kernels.cpu.compiled.jit.emit import Emitted

_BYTES = {emit.BYTE: 1, ir.HalfType(): 2, ir.IntType(16): 2, emit.FLOAT: 4, ir.IntType(32): 4}


def convert_neighbours(
    context: Any,
    builder: Any,
    sig: Any,
    args: Any,
    kinds: tuple[Any, Any],
    lanes: int,
    convert: Callable[[Emitted, Any], Emitted],
) -> Emitted:
    """Write what `convert` returns for `lanes` elements, from index ``args[2]`` on.

    The first two arguments are the arrays that are read and written, with elements of the two `kinds`.
    `convert` takes the elements and the type of the result: vectors, unless `lanes` is 1.
    """
    (origin, _), (target, kind) = (
        _pointer(context, builder, (sig.args[n], args[n]), args[2], kinds[n], lanes) for n in range(2)
    )
    value = builder.load(origin)
    value.align = 1
    builder.store(convert(value, kind), target).align = 1
    return context.get_dummy_value()


def _pointer(
    context: Any, builder: Any, array: tuple[Any, Emitted], place: Emitted, kind: Any, lanes: int
) -> tuple[Emitted, Any]:
    width = _BYTES[kind]
    address = emit.at(builder, emit.data(context, builder, *array), builder.mul(place, emit.integer(width)))
    bounds.check(builder, address, width * lanes)
    several = ir.VectorType(kind, lanes) if lanes > 1 else kind
    return builder.bitcast(address, several.as_pointer()), several
