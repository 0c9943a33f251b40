"""Arrays as OpenVINO shares them."""

from __future__ import annotations

import ctypes

import numpy as np

from lite.ir.types import Array


def writable(array: Array) -> Array:
    """`array`, or a writable array over its memory: OpenVINO shares writable arrays only.

    OpenVINO only reads inputs and constants.  The caller keeps `array` alive.

    numpy has two types of 64-bit integers: ONNX Runtime returns the one that OpenVINO does not know.
    """
    if array.dtype.char in "qQ":
        array = array.view(np.int64 if array.dtype.char == "q" else np.uint64)
    if array.flags.writeable:
        return array
    memory = (ctypes.c_char * array.nbytes).from_address(array.ctypes.data)
    return np.ndarray(array.shape, array.dtype, memoryview(memory))
