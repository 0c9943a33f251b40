"""What passes between Python and compiled functions: words of 64 bits.

A compiled function takes the address of its arguments, one word each: the address of an array, an integer,
or the bits of a float32.  Behind it come the number of the worker that runs it, and the range of pieces.
"""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Callable, Mapping

from lite.plugin.kernel import Array

NativeFunction = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64, ctypes.c_int64)
"""Arguments, worker, begin, end; without the interpreter's lock."""


def address_of(array: Array) -> int:
    """Where an array's first element lies."""
    if array.flags.writeable and array.size:
        # A third of the time that numpy takes to tell.
        return ctypes.addressof(ctypes.c_char.from_buffer(array.data))
    address: int = array.__array_interface__["data"][0]
    return address


def _float_bits(number: float) -> int:
    bits: int = struct.unpack("<i", struct.pack("<f", number))[0]
    return bits


SCALARS: Mapping[str, Callable[[float], int]] = {"i": int, "f": _float_bits}
"""The word of a number, by the kind of the parameter."""
