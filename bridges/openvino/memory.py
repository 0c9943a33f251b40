"""Arrays as OpenVINO shares them."""

from __future__ import annotations

import ctypes

import numpy as np

from lite.ir.types import Array


def writable(array: Array) -> Array:
    """`array`, or a writable array over its memory: OpenVINO shares writable arrays only.

    OpenVINO only reads inputs and constants.  The caller keeps `array` alive.
    """
    if array.flags.writeable:
        return array
    memory = (ctypes.c_char * array.nbytes).from_address(array.ctypes.data)
    return np.ndarray(array.shape, array.dtype, memoryview(memory))
