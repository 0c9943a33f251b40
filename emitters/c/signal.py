"""Spectra of frames: products with the matrix of a transform."""

from __future__ import annotations

import numpy as np

from lite.emitters.c.matmul import rows_times_matrix
from lite.ir.types import DType
from lite.plugin.emitter import Emission, EmitOp, emitter
from lite.plugin.kernel import evaluate

_MOST = 1 << 24
"""The most numbers of a matrix."""


@emitter("c", "stft")
def stft(op: EmitOp, out: Emission) -> str | None:
    """Each frame times a matrix, whose rows are the spectra of unit vectors by the host's kernel."""
    x, y = op["X"], op.out()
    if x.dtype is not DType.FLOAT32 or y.rank != 4 or x.rank != 3:
        return f"has no form from {x} to {y}"
    constants = {slot: op.get(slot) for slot in ("FrameStep", "Window", "FrameLength")}
    if any(value is not None and value.data is None for value in constants.values()):
        return "a computed window, or sizes of frames, are not supported"
    data = {
        slot: [value.data]
        for slot, value in constants.items()
        if value is not None and value.data is not None
    }
    length, parts = x.shape[1:]
    size = int(np.asarray(data["Window"][0]).size) if "Window" in data else length
    if "FrameLength" in data:
        size = int(np.asarray(data["FrameLength"][0]).reshape(-1)[0])
    step = int(np.asarray(data["FrameStep"][0]).reshape(-1)[0])
    batch, frames, frequencies, _ = y.shape
    if size * parts * frequencies * 2 > _MOST:
        return f"frames of {size} numbers are too long for a matrix"
    units = np.eye(size * parts, dtype=np.float32).reshape(size * parts, size, parts)
    made = evaluate("stft", {**data, "X": [units]}, dict(op.node.attrs), {"Out": 1})["Out"][0].array
    out.read(x, "x")
    out.write(y, "y")
    matrix = made.reshape(size * parts, frequencies * 2)
    rows_times_matrix(out, matrix, frames, step * parts, batch, length * parts)
    return None
