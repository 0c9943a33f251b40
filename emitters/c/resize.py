"""Resampling of images: the weights of each axis come from the host's kernel."""

from __future__ import annotations

import numpy as np

from lite.emitters.c.loops import loops
from lite.emitters.c.movement import moved
from lite.ir.types import Array, DType
from lite.plugin.emitter import Emission, EmitOp, EmitValue, emitter
from lite.plugin.kernel import evaluate


@emitter("c", "bilinear_interp_v2", "bicubic_interp_v2", channels_last=True)
def interpolated(op: EmitOp, out: Emission) -> str | None:
    """Products of the weights along both axes, which do not depend on each other."""
    x, y = op["X"], op.out()
    if x.dtype is not DType.FLOAT32 or not op.in_nhwc:
        return f"X must be float32 in NCHW, got {x}"
    sizes = {"out_h": y.shape[1], "out_w": y.shape[2]}
    matrices = []
    for axis, (size, count) in enumerate(zip(x.shape[1:3], y.shape[1:3], strict=True)):
        # A line of the other axis keeps its size, so that the same scale stays the scale of this axis.
        other = x.shape[2 - axis]
        ones = np.eye(size, dtype=np.float32)
        shape = (size, 1, size, 1) if axis == 0 else (size, 1, 1, size)
        lines = np.broadcast_to(
            ones.reshape(shape), (size, 1, size, other) if axis == 0 else (size, 1, other, size)
        )
        attrs = {**op.node.attrs, **sizes, "data_layout": "NCHW"}
        if size * size * other > 1 << 26:
            return f"images of {x} are too large to find the weights"
        inputs = {"X": [np.ascontiguousarray(lines)]}
        for slot, values in op.node.inputs.items():
            if slot != "X":
                inputs[slot] = [np.asarray(value.data) for value in values if value.data is not None]
        made = evaluate(op.op, inputs, attrs, {"Out": 1})["Out"][0].array
        matrices.append(made[:, 0, :, 0].T if axis == 0 else made[:, 0, 0, :].T)
        if matrices[-1].shape != (count, size):
            return "the sizes of the result cannot be found"
    _emit(out, x, y, matrices)
    return None


@emitter("c", "resize", channels_last=True)
def resize(op: EmitOp, out: Emission) -> str | None:
    """ONNX Resize of images; nearest neighbours are moved elements."""
    x, y = op["X"], op.out()
    if op.text("mode") == "nearest":
        return moved(op, out)
    if op.text("coordinate_transformation_mode") == "tf_crop_and_resize" or not op.in_nhwc:
        return "cropping, and sizes of other axes than those of images, are not supported"
    if x.dtype is not DType.FLOAT32 or x.shape[0] != y.shape[0] or x.shape[3] != y.shape[3]:
        return f"has no form from {x} to {y}"
    matrices = []
    for axis in (1, 2):
        size = x.shape[axis]
        nchw = [1, 1, 1, 1]
        nchw[axis + 1] = size
        rest = x.shape[3 - axis]
        if size * size * rest > 1 << 26:
            return f"images of {x} are too large to find the weights"
        shape = [size, 1, size, rest] if axis == 1 else [size, 1, rest, size]
        eye = np.eye(size, dtype=np.float32).reshape([size, *nchw[1:]])
        inputs: dict[str, list[Array]] = {"X": [np.ascontiguousarray(np.broadcast_to(eye, shape))]}
        for slot, values in op.node.inputs.items():
            data = [np.array(value.data) for value in values if value.data is not None]
            if slot != "X" and data:
                inputs[slot] = _for_lines(slot, data, op, size)
        made = evaluate("resize", inputs, dict(op.node.attrs), {"Out": 1})["Out"][0].array
        matrices.append(made[:, 0, :, 0].T if axis == 1 else made[:, 0, 0, :].T)
        if matrices[-1].shape != (y.shape[axis], size):
            return "the sizes of the result cannot be found"
    _emit(out, x, y, matrices)
    return None


def _for_lines(slot: str, data: list[Array], op: EmitOp, batch: int) -> list[Array]:
    """The sizes of all axes, or of `axes`, with the batch and channel of the lines."""
    axes = op.integers("axes") or [0, 1, 2, 3]
    if slot == "Sizes" and data[0].size == len(axes):
        for axis, value in ((0, batch), (1, 1)):
            if axis in axes:
                data[0].reshape(-1)[axes.index(axis)] = value
    return data


def _emit(out: Emission, x: EmitValue, y: EmitValue, matrices: list[Array]) -> None:
    """Each output is a sum of a few inputs along each axis."""
    out.read(x, "x")
    counts = []
    for name, matrix in zip("ij", matrices, strict=True):
        used = [np.flatnonzero(row) for row in matrix]
        most = max(1, *(len(each) for each in used))
        places, weights = np.zeros((len(matrix), most), np.int32), np.zeros((len(matrix), most), np.float32)
        for n, each in enumerate(used):
            places[n, : len(each)], weights[n, : len(each)] = each, matrix[n, each]
        out.weights(places, f"at_{name}")
        out.weights(weights, f"by_{name}")
        counts.append(most)
    out.write(y, "y")
    n, height, width, channels = x.shape
    rows, columns = y.shape[1:3]
    body = [
        f"float *restrict to = y + ((i0 * {rows} + i1) * {columns} + i2) * {channels};",
        f"for (int c = 0; c < {channels}; c++) to[c] = 0.0f;",
        f"for (int i = 0; i < {counts[0]}; i++) for (int j = 0; j < {counts[1]}; j++) {{",
        f"const float by = by_i[i1 * {counts[0]} + i] * by_j[i2 * {counts[1]} + j];",
        f"const ptrdiff_t row = i0 * {height} + at_i[i1 * {counts[0]} + i];",
        f"const float *restrict from = x + (row * {width} + at_j[i2 * {counts[1]} + j]) * {channels};",
        f"for (int c = 0; c < {channels}; c++) to[c] += by * from[c];",
        "}",
    ]
    out.code(*loops([n, rows, columns], body))
