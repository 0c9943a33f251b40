"""nearest_interp_v2, bilinear_interp_v2 → Upsample, or products with matrices along rows and columns.

A product computes any alignment of the pixels exactly as Paddle defines it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from lite.bridges.tpu.builder import Builder, Tensor
from lite.bridges.tpu.limits import why_not_tensors
from lite.bridges.tpu.row import Context
from lite.emission.interpolation import paddle_ratios
from lite.ir.types import Array
from lite.ops.window import is_channel_last, spatial
from lite.plugin.device import BridgeOp, Device, bridge

MOST_UPSAMPLE = 8
"""The largest whole factor that becomes an Upsample."""


@bridge("tpu", "nearest_interp_v2", "bilinear_interp_v2")
class Resize:
    """X → Upsample by a whole factor, or two products; sizes and scales are known."""

    def why_not(self, op: BridgeOp, device: Device[Any]) -> str | None:
        reason = why_not_tensors(op, ("OutSize", "SizeTensor", "Scale"))
        if reason is None and op.get("Scale") is not None and op["Scale"].value is None:
            return "Scale is a tensor whose numbers are not known"
        return reason

    def convert(self, op: BridgeOp, ctx: Context) -> None:
        b, last = ctx.builder, is_channel_last(op.text("data_layout"))
        x = b.channels_first(ctx.input(op, "X"), 4, last=last)
        rows, columns = matrices(op)
        factor = _repetition(rows)
        if factor is not None and factor == _repetition(columns):
            x = b.lang.upsample(x, factor)
        else:
            x = along_image(b, x, rows, columns)
        ctx.output(op, b.channels_restored(x, 4, last=last))


def along_image(b: Builder, x: Tensor, rows: Array, columns: Array) -> Tensor:
    """An image [N, C, H, W] times [H, H2] along its rows and [W, W2] along its columns."""
    if not _is_identity(columns):
        x = b.product(x, columns)
    if _is_identity(rows):
        return x
    return b.transposed(b.product(b.transposed(x, [0, 1, 3, 2]), rows), [0, 1, 3, 2])


def matrices(op: BridgeOp) -> tuple[Array, Array]:
    """The matrices [H, H2] and [W, W2] that resize an image."""
    layout = op.text("data_layout")
    image, result = ([int(size) for size in spatial(layout, meta.sizes)] for meta in (op["X"], op.output()))
    steps = paddle_ratios(op, image, result)
    rows, columns = (_matrix(op, *each) for each in zip(image, result, steps, strict=True))
    return rows, columns


def _matrix(op: BridgeOp, size: int, out: int, step: float) -> Array:
    """The matrix [size, out] by whose columns the pixels of the result are weighted sums of the image's.

    `step` is the distance between pixels of the result, in pixels of the image.
    """
    corners = op.flag("align_corners")
    step = float(np.float32(step))
    n = np.arange(out)
    matrix = np.zeros((size, out), np.float32)
    if op.op == "nearest_interp_v2":
        position = np.floor(np.float32(step) * n.astype(np.float32) + np.float32(0.5 if corners else 0.0))
        matrix[np.clip(position.astype(int), 0, size - 1), n] = 1
        return matrix
    centred = op.integer("align_mode") == 0 and not corners
    position = np.maximum((n + 0.5) * step - 0.5, 0) if centred else n * step
    low = np.minimum(position.astype(int), size - 1)
    high = np.minimum(low + 1, size - 1)
    weight = np.clip(position - low, 0, 1)
    np.add.at(matrix, (low, n), 1 - weight)
    np.add.at(matrix, (high, n), weight)
    return matrix


def _is_identity(matrix: Array) -> bool:
    return matrix.shape[0] == matrix.shape[1] and bool((matrix == np.eye(len(matrix))).all())


def _repetition(matrix: Array) -> int | None:
    """How often the matrix repeats each pixel, if it does no more than this."""
    size, out = matrix.shape
    factor = out // size
    if out != size * factor or not 2 <= factor <= MOST_UPSAMPLE:
        return None
    return factor if (matrix == np.repeat(np.eye(size), factor, axis=1)).all() else None
