"""Packed arguments: the arguments of a compiled function as ``int64`` words in memory.

A compiled function takes the address of its packed arguments, one word each: the address of an array, an
integer, or the bits of a float32.  Its other parameters are the number of the worker that runs it, and the
range of the work that it does.
"""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Callable, Mapping

from lite.plugin.kernel import Array

NativeFunction = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64, ctypes.c_int64)
"""``(arguments, worker, begin, end)``, called without the interpreter's lock."""


def address_of(array: Array) -> int:
    """The address of an array's first element."""
    if array.flags.writeable and array.size:
        # A third of the time of numpy's own answer.
        return ctypes.addressof(ctypes.c_char.from_buffer(array.data))
    address: int = array.__array_interface__["data"][0]
    return address


def _float_bits(number: float) -> int:
    bits: int = struct.unpack("<i", struct.pack("<f", number))[0]
    return bits


WRITTEN = frozenset("wmcsldjz")
"""The kinds of arrays that functions write to."""

SCRATCH = frozenset("sl")
"""The kinds of scratch memory, of which each worker has a row."""

ANY_TYPE = frozenset("az")
"""The kinds of arrays with elements of any type; their lengths are bytes."""

SCALARS: Mapping[str, Callable[[float], int]] = {"i": int, "f": _float_bits}
"""From a number to its word, by the kind of the parameter."""
