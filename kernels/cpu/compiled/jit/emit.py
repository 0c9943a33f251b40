"""Emits LLVM code for vectors, while numba compiles a function that uses `vector`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from llvmlite import ir

from lite.kernels.cpu.compiled.jit import bounds, numba_internals
from lite.kernels.cpu.machine import machine
from lite.kernels.cpu.tile_sizes import HAS_BYTE_MASKS, LANES

FLOAT = ir.FloatType()
INT = ir.IntType(64)
BYTE = ir.IntType(8)
_SHORT = ir.IntType(32)
VECTOR = ir.VectorType(FLOAT, LANES)
_MASK = ir.VectorType(ir.IntType(1), LANES)
INTS = ir.VectorType(_SHORT, LANES)
"""A vector of int32."""

CURRENT_ROUNDING = 4
"""The rounding mode of the processor, as an operand of instructions that may have their own."""

_BYTES = ir.VectorType(BYTE, LANES)
_LANE_NUMBERS = ir.Constant(INTS, list(range(LANES)))

Emitted = Any
"""A value in the emitted code; llvmlite has no type hints."""


def integer(number: int) -> Emitted:
    """A constant int64."""
    return ir.Constant(INT, number)


def constant(number: float) -> Emitted:
    """A vector with a constant number in all lanes."""
    return ir.Constant(VECTOR, [number] * LANES)


def data(context: Any, builder: Any, kind: Any, array: Emitted) -> Emitted:
    """The address of an array's first element."""
    address = numba_internals.array_data(context, builder, kind, array)
    bounds.attach(context, builder, kind, array, address)
    return address


def at(builder: Any, base: Emitted, offset: Emitted | int) -> Emitted:
    """The address of the element with index `offset` from `base` on."""
    address = builder.gep(base, [integer(offset) if isinstance(offset, int) else offset])
    bounds.follow(address, base)
    return address


def opaque(builder: Any, address: Emitted) -> Emitted:
    """The same address for LLVM to keep in a register, instead of deriving it from others in each turn."""
    hidden = builder.asm(
        ir.FunctionType(address.type, [address.type]), "", "=r,0", [address], side_effect=False
    )
    bounds.follow(hidden, address)
    return hidden


def call(builder: Any, name: str, result: Any, arguments: Sequence[Emitted]) -> Emitted:
    """Call an external function, or an intrinsic of LLVM, which is declared when it is first called."""
    function = builder.module.globals.get(name)
    if function is None:
        kind = ir.FunctionType(result, [argument.type for argument in arguments])
        function = ir.Function(builder.module, kind, name)
    return builder.call(function, arguments)


def by_llvm(builder: Any, name: str, *vectors: Emitted) -> Emitted:
    """Apply an intrinsic of LLVM to vectors, such as ``sqrt``."""
    return call(builder, f"llvm.{name}.v{LANES}f32", VECTOR, vectors)


def variable(builder: Any, value: Emitted) -> Emitted:
    """A variable of the emitted code with an initial value."""
    address = numba_internals.variable(builder, value.type)
    builder.store(value, address)
    return address


def splat(builder: Any, scalar: Emitted) -> Emitted:
    """A vector with a number of the emitted code in all lanes."""
    first = builder.insert_element(ir.Constant(VECTOR, ir.Undefined), scalar, ir.Constant(_SHORT, 0))
    return builder.shuffle_vector(first, ir.Constant(VECTOR, ir.Undefined), ir.Constant(INTS, [0] * LANES))


def element(builder: Any, address: Emitted, size: int = 4) -> Emitted:
    """Load one number of `size` bytes."""
    bounds.check(builder, address, size)
    return builder.load(address)


def copy(builder: Any, target: Emitted, source: Emitted, count: Emitted) -> None:
    """Copy `count` numbers; no overlap."""
    size = builder.mul(count, integer(4))
    bounds.check(builder, target, size)
    bounds.check(builder, source, size)
    numba_internals.copy_memory(builder, target, source, count, 4)


def clear(builder: Any, target: Emitted, count: Emitted) -> None:
    """Set `count` numbers to 0."""
    size = builder.mul(count, integer(4))
    bounds.check(builder, target, size)
    numba_internals.fill_memory(builder, target, size, 0)


def prefetch(builder: Any, address: Emitted) -> None:
    """Ask for a line of memory, so that the second-level cache has it when it is read."""
    read, second_level, data = (ir.IntType(32)(number) for number in (0, 2, 1))
    pointer = builder.bitcast(address, ir.IntType(8).as_pointer())
    call(builder, "llvm.prefetch.p0", ir.VoidType(), [pointer, read, second_level, data])


def load(builder: Any, address: Emitted) -> Emitted:
    """Load a vector; the address need not be aligned."""
    bounds.check(builder, address, 4 * LANES)
    loaded = builder.load(builder.bitcast(address, VECTOR.as_pointer()))
    loaded.align = 4
    return loaded


def store(builder: Any, vector: Emitted, address: Emitted) -> None:
    """Store a vector; the address need not be aligned."""
    bounds.check(builder, address, 4 * LANES)
    builder.store(vector, builder.bitcast(address, VECTOR.as_pointer())).align = 4


def first_lanes(builder: Any, count: Emitted) -> Emitted:
    """A mask of the first `count` lanes: of none if `count` is below 1, of all if it is `LANES` or more."""
    least = builder.select(builder.icmp_signed("<", count, integer(LANES)), count, integer(LANES))
    short = builder.trunc(least, _SHORT)
    undefined = ir.Constant(INTS, ir.Undefined)
    single = builder.insert_element(undefined, short, ir.Constant(_SHORT, 0))
    counts = builder.shuffle_vector(single, undefined, ir.Constant(INTS, [0] * LANES))
    mask = builder.icmp_signed("<", _LANE_NUMBERS, counts)
    bounds.note_lanes(builder, mask, least)
    return mask


def load_every(builder: Any, address: Emitted, step: Emitted) -> Emitted:
    """Load `LANES` elements that are `step` elements apart; reads none between the last one and the next."""
    result = variable(builder, constant(0.0))
    is_dense, is_second = (builder.icmp_signed("==", step, integer(n)) for n in (1, 2))
    with builder.if_else(is_dense) as (dense, other):
        with dense:
            builder.store(load(builder, address), result)
        with other, builder.if_else(is_second) as (second, any_step):
            with second:
                # The second vector begins one element earlier, so that it ends with the last lane.
                parts = load(builder, address), load(builder, at(builder, address, LANES - 1))
                lanes = [2 * n if 2 * n < LANES else 2 * n + 1 for n in range(LANES)]
                builder.store(builder.shuffle_vector(*parts, ir.Constant(INTS, lanes)), result)
            with any_step:
                vector = ir.Constant(VECTOR, ir.Undefined)
                for n in range(LANES):
                    place = at(builder, address, builder.mul(step, integer(n)))
                    bounds.check(builder, place, 4)
                    vector = builder.insert_element(vector, builder.load(place), ir.Constant(_SHORT, n))
                builder.store(vector, result)
    return builder.load(result)


def parted(builder: Any, first: Emitted, second: Emitted) -> list[Emitted]:
    """The elements of two neighbouring vectors with even numbers, and those with odd ones."""
    lanes = [[2 * n + odd for n in range(LANES)] for odd in range(2)]
    return [builder.shuffle_vector(first, second, ir.Constant(INTS, numbers)) for numbers in lanes]


def load_masked(builder: Any, address: Emitted, mask: Emitted) -> Emitted:
    """Load the masked lanes, with 0 in the others, whose memory is not read; unaligned."""
    bounds.check_masked(builder, address, mask)
    pointer = builder.bitcast(address, VECTOR.as_pointer())
    arguments = [pointer, ir.Constant(_SHORT, 4), mask, constant(0.0)]
    return call(builder, f"llvm.masked.load.v{LANES}f32.p0", VECTOR, arguments)


def store_masked(builder: Any, vector: Emitted, address: Emitted, mask: Emitted) -> None:
    """Store the masked lanes and write nothing else; unaligned."""
    bounds.check_masked(builder, address, mask)
    pointer = builder.bitcast(address, VECTOR.as_pointer())
    arguments = [vector, pointer, ir.Constant(_SHORT, 4), mask]
    call(builder, f"llvm.masked.store.v{LANES}f32.p0", ir.VoidType(), arguments)


def by_mask(builder: Any, mask: Emitted, whole: Callable[[], None], some: Callable[[], None]) -> None:
    """Emit `some`, and `whole` for a mask of all lanes where instructions with masks take longer."""
    if machine().has_masks:
        some()
        return
    with builder.if_else(_is_full(builder, mask), likely=True) as (then, otherwise):
        with then:
            whole()
        with otherwise:
            some()


def store_part(builder: Any, vector: Emitted, address: Emitted, mask: Emitted) -> None:
    """`store_masked` for masks that usually select all lanes."""

    def whole() -> None:
        store(builder, vector, address)

    by_mask(builder, mask, whole, lambda: store_masked(builder, vector, address, mask))


def store_bytes_part(builder: Any, vector: Emitted, address: Emitted, mask: Emitted) -> None:
    """`store_bytes_masked` for masks that usually select all lanes."""

    def whole() -> None:
        store_bytes(builder, vector, address)

    by_mask(builder, mask, whole, lambda: store_bytes_masked(builder, vector, address, mask))


def load_numbers_part(builder: Any, address: Emitted, mask: Emitted) -> Emitted:
    """`load_numbers_masked` for masks that usually select all lanes."""
    result = variable(builder, constant(0.0))

    def whole() -> None:
        builder.store(load_numbers(builder, address), result)

    by_mask(builder, mask, whole, lambda: builder.store(load_numbers_masked(builder, address, mask), result))
    return builder.load(result)


def load_numbers(builder: Any, address: Emitted) -> Emitted:
    """Load `LANES` bytes as float32 numbers from 0 to 255."""
    bounds.check(builder, address, LANES)
    loaded = builder.load(builder.bitcast(address, _BYTES.as_pointer()))
    loaded.align = 1
    return builder.uitofp(loaded, VECTOR)


def load_bytes_masked(builder: Any, address: Emitted, mask: Emitted) -> Emitted:
    """Load the masked bytes, with 0 in the other lanes, whose memory is not read."""
    bounds.check_masked(builder, address, mask, 1)
    pointer = builder.bitcast(address, _BYTES.as_pointer())
    none = ir.Constant(_BYTES, [0] * LANES)
    arguments = [pointer, ir.Constant(_SHORT, 1), mask, none]
    if HAS_BYTE_MASKS:
        return call(builder, f"llvm.masked.load.v{LANES}i8.p0", _BYTES, arguments)
    result = variable(builder, none)
    with builder.if_else(_is_full(builder, mask)) as (full, other):
        with full:
            loaded = builder.load(pointer)
            loaded.align = 1
            builder.store(loaded, result)
        with other:
            builder.store(call(builder, f"llvm.masked.load.v{LANES}i8.p0", _BYTES, arguments), result)
    return builder.load(result)


def load_numbers_masked(builder: Any, address: Emitted, mask: Emitted) -> Emitted:
    """Load the masked bytes as float32 numbers, with 0 in the other lanes, whose memory is not read."""
    return builder.uitofp(load_bytes_masked(builder, address, mask), VECTOR)


def four_bytes(builder: Any, address: Emitted) -> Emitted:
    """Four bytes in each lane, the same ones: int32."""
    bounds.check(builder, address, 4)
    loaded = builder.load(builder.bitcast(address, _SHORT.as_pointer()))
    loaded.align = 1
    undefined = ir.Constant(INTS, ir.Undefined)
    single = builder.insert_element(undefined, loaded, ir.Constant(_SHORT, 0))
    return builder.shuffle_vector(single, undefined, ir.Constant(INTS, [0] * LANES))


def int_at(builder: Any, address: Emitted) -> Emitted:
    """An int32 at the address of a byte, as int64."""
    bounds.check(builder, address, 4)
    loaded = builder.load(builder.bitcast(address, _SHORT.as_pointer()))
    loaded.align = 1
    return builder.sext(loaded, INT)


def load_ints(builder: Any, address: Emitted) -> Emitted:
    """Load a vector of int32; the address need not be aligned."""
    bounds.check(builder, address, 4 * LANES)
    loaded = builder.load(builder.bitcast(address, INTS.as_pointer()))
    loaded.align = 1
    return loaded


def store_ints(builder: Any, vector: Emitted, address: Emitted) -> None:
    """Store a vector of int32; the address need not be aligned."""
    bounds.check(builder, address, 4 * LANES)
    builder.store(vector, builder.bitcast(address, INTS.as_pointer())).align = 1


def splat_int(builder: Any, scalar: Emitted) -> Emitted:
    """A vector with an int32 of the emitted code in all lanes."""
    undefined = ir.Constant(INTS, ir.Undefined)
    single = builder.insert_element(undefined, scalar, ir.Constant(_SHORT, 0))
    return builder.shuffle_vector(single, undefined, ir.Constant(INTS, [0] * LANES))


def copy_bytes(builder: Any, target: Emitted, source: Emitted, count: Emitted) -> None:
    """Copy `count` bytes; no overlap."""
    bounds.check(builder, target, count)
    bounds.check(builder, source, count)
    is_short = builder.icmp_unsigned("<=", builder.sub(count, integer(8)), integer(8))
    with builder.if_else(is_short) as (short, other):
        with short:
            # 8 to 16 bytes, as two words that may overlap: a call would take longer.
            rest = builder.sub(count, integer(8))
            words = [_word(builder, builder.gep(source, [offset])) for offset in (integer(0), rest)]
            for offset, word in zip((integer(0), rest), words, strict=True):
                pointer = builder.bitcast(builder.gep(target, [offset]), INT.as_pointer())
                builder.store(word, pointer).align = 1
        with other:
            numba_internals.copy_memory(builder, target, source, count, 1)


def _word(builder: Any, address: Emitted) -> Emitted:
    loaded = builder.load(builder.bitcast(address, INT.as_pointer()))
    loaded.align = 1
    return loaded


def fill_bytes(builder: Any, target: Emitted, count: Emitted, byte: Emitted) -> None:
    """Set `count` bytes to the low bits of `byte`."""
    bounds.check(builder, target, count)
    arguments = [target, builder.trunc(byte, BYTE), count, ir.Constant(ir.IntType(1), 0)]
    call(builder, "llvm.memset.p0.i64", ir.VoidType(), arguments)


def store_bytes(builder: Any, vector: Emitted, address: Emitted) -> None:
    """Store all bytes of a vector."""
    bounds.check(builder, address, vector.type.count)
    builder.store(vector, builder.bitcast(address, vector.type.as_pointer())).align = 1


def store_bytes_masked(builder: Any, vector: Emitted, address: Emitted, mask: Emitted) -> None:
    """Store the masked bytes and write nothing else."""
    bounds.check_masked(builder, address, mask, 1)
    pointer = builder.bitcast(address, _BYTES.as_pointer())
    arguments = [vector, pointer, ir.Constant(_SHORT, 1), mask]
    if HAS_BYTE_MASKS:
        call(builder, f"llvm.masked.store.v{LANES}i8.p0", ir.VoidType(), arguments)
        return
    with builder.if_else(_is_full(builder, mask)) as (full, other):
        with full:
            builder.store(vector, pointer).align = 1
        with other:
            call(builder, f"llvm.masked.store.v{LANES}i8.p0", ir.VoidType(), arguments)


def _is_full(builder: Any, mask: Emitted) -> Emitted:
    """Whether a mask selects all lanes."""
    kind = ir.IntType(LANES)
    return builder.icmp_unsigned("==", builder.bitcast(mask, kind), ir.Constant(kind, 2**LANES - 1))


def fma(builder: Any, a: Emitted, b: Emitted, c: Emitted) -> Emitted:
    """``a · b + c``, rounded once."""
    return by_llvm(builder, "fma", a, b, c)


def fold(builder: Any, vector: Emitted, combine: Callable[[Emitted, Emitted], Emitted]) -> Emitted:
    """Combine all lanes into one number, pairwise as in a binary tree."""
    lanes = [builder.extract_element(vector, ir.Constant(_SHORT, n)) for n in range(LANES)]
    while len(lanes) > 1:
        half = len(lanes) // 2
        lanes = [combine(lanes[n], lanes[n + half]) for n in range(half)]
    return lanes[0]


def transposed(builder: Any, rows: list[Emitted]) -> list[Emitted]:
    """The columns of `LANES` vectors, by log2(LANES) steps that each exchange parts of half the size."""
    distance = LANES // 2
    while distance:
        for n in range(LANES):
            if not n & distance:
                a, b = rows[n], rows[n + distance]
                first = [m if not m & distance else LANES + m - distance for m in range(LANES)]
                second = [m + distance if not m & distance else LANES + m for m in range(LANES)]
                rows[n] = builder.shuffle_vector(a, b, ir.Constant(INTS, first))
                rows[n + distance] = builder.shuffle_vector(a, b, ir.Constant(INTS, second))
        distance //= 2
    return rows
