"""RESIZE: resizes an image float32[N, C, H, W]; NEAREST takes int8, too.

Attributes: ``size`` (rows, columns); ``mode``, NEAREST or LINEAR; ``align``, how the position in the image
follows from the index of a pixel of the result, with step = image size / result size:

=======  =================================================================================
CORNERS  ``index · (image size - 1) / (result size - 1)``: corners stay corners
CENTRES  ``(index + 0.5) · step - 0.5``, for LINEAR only
TOP      ``index · step``
=======  =================================================================================

NEAREST takes the pixel above and left of the position; with CORNERS, the nearest pixel, and of two equally
near ones the lower or right one.  Positions are computed in float32 and clamped to the image; they are 0 for
a result of size 1.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lite.bridges.sim_npu.sdk.attributes import Attributes, choice, integers
from lite.bridges.sim_npu.sdk.errors import NpuError, Status
from lite.bridges.sim_npu.sdk.operator import operator
from lite.bridges.sim_npu.sdk.operators.window import require_image
from lite.bridges.sim_npu.sdk.tensor import Array, TensorType


def _resize_type(inputs: Sequence[TensorType], attributes: Attributes) -> list[TensorType]:
    (image,) = inputs
    if image.dtype != "int8" or attributes["mode"] != "NEAREST":
        require_image(image)
    mode = choice(attributes, "mode", "NEAREST", "LINEAR")
    align = choice(attributes, "align", "CORNERS", "CENTRES", "TOP")
    if mode == "NEAREST" and align == "CENTRES":
        raise NpuError(Status.INVALID_ATTRIBUTE, "align CENTRES is for mode LINEAR only")
    rows, columns = integers(attributes, "size", 2)
    return [TensorType(image.dtype, (*image.shape[:2], rows, columns))]


def _resize(inputs: Sequence[Array], attributes: Attributes) -> list[Array]:
    result = inputs[0]
    mode, align = str(attributes["mode"]), str(attributes["align"])
    for axis, size in enumerate(integers(attributes, "size", 2), start=2):
        positions = _positions(result.shape[axis], size, align)
        if mode == "NEAREST":
            result = _nearest(result, axis, positions, align)
        else:
            result = _linear(result, axis, positions)
    return [result]


def _positions(image: int, size: int, align: str) -> Array:
    index = np.arange(size, dtype=np.float32)
    positions: Array = index * _step(image, size, align)
    if align == "CENTRES":
        positions = (index + np.float32(0.5)) * _step(image, size, align) - np.float32(0.5)
    return np.maximum(positions, np.float32(0))


def _step(image: int, size: int, align: str) -> np.float32:
    if size == 1:
        return np.float32(0)
    if align == "CORNERS":
        return np.float32(image - 1) / np.float32(size - 1)
    return np.float32(image) / np.float32(size)


def _nearest(image: Array, axis: int, positions: Array, align: str) -> Array:
    half = np.float32(0.5 if align == "CORNERS" else 0)
    places = np.minimum((positions + half).astype(np.int64), image.shape[axis] - 1)
    taken: Array = image.take(places, axis)
    return taken


def _linear(image: Array, axis: int, positions: Array) -> Array:
    last = image.shape[axis] - 1
    low = np.minimum(positions.astype(np.int64), last)
    share = (positions - low.astype(np.float32)).reshape((-1, 1) if axis == 2 else (-1,))
    mixed: Array = image.take(low, axis) * (1 - share) + image.take(np.minimum(low + 1, last), axis) * share
    return mixed


operator("RESIZE", 1, _resize_type, _resize, size=None, mode=None, align=None)
