"""Arrays as OpenVINO shares them."""

from __future__ import annotations

import ctypes

import numpy as np

from lite.ir.types import Array


def writable(array: Array) -> Array:
    """`array`, or the same memory as an array that may be written: OpenVINO shares no other.

    Nothing is written there: inputs and constants are only read.  The caller keeps `array` alive.
    """
    if array.flags.writeable:
        return array
    memory = (ctypes.c_char * array.nbytes).from_address(array.ctypes.data)
    return np.ndarray(array.shape, array.dtype, memoryview(memory))
