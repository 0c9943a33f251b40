"""Transformations of boxes: box_coder, decode_bboxes, box_clip and polygon_box_transform."""

from __future__ import annotations

import numpy as np

from lite.errors import ExecutionError
from lite.plugin.kernel import Array, kernel, write
from lite.plugin.kernel.detection.box_center import decode, to_center
from lite.plugin.kernel.lod import Lods, in_rows, need_lod, rows_of, starts_and_lengths


@kernel("box_coder")
def box_coder(
    PriorBox: Array,
    PriorBoxVar: Array | None,
    TargetBox: Array,
    *,
    code_type: str,
    box_normalized: bool,
    axis: int,
    variance: list[float],
) -> Array:
    """Paddle box_coder: encodes targets ``[N, 4]`` against priors ``[M, 4]``, decodes offsets ``[N, M, 4]``.

    When decoding, priors belong to axis 1 of the target, or to axis 0 where `axis` is 1.
    """
    offset = 0.0 if box_normalized else 1.0
    center, size = to_center(PriorBox, offset)
    scale = np.array(variance or 1, TargetBox.dtype) if PriorBoxVar is None else PriorBoxVar
    if code_type == "encode_center_size":
        target = (TargetBox[:, :2] + TargetBox[:, 2:]) * TargetBox.dtype.type(0.5)
        _, target_size = to_center(TargetBox, offset)
        shift = (target[:, None] - center) / size
        growth = np.log(np.abs(target_size[:, None] / size))
        encoded: Array = np.concatenate((shift, growth), axis=-1) / scale
        return encoded
    if axis == 1:
        center, size = center[:, None], size[:, None]
        scale = scale[:, None] if scale.ndim == 2 else scale
    return decode(TargetBox * scale, center, size, offset)


@kernel("decode_bboxes")
def decode_bboxes(
    Loc: Array,
    Prior: Array,
    *,
    share_location: bool,
    variance_encoded_in_target: bool,
    code_type: str,
    out: Array | None = None,
) -> Array:
    """Paddle-Lite decode_bboxes: offsets ``Loc[N, priors·4]`` as boxes of the same shape.

    ``Prior[1, 2, priors·4]`` holds boxes and variances.  Raises `ExecutionError` without `share_location`.
    """
    if not share_location:
        raise ExecutionError("decode_bboxes: share_location: expected true, got false")
    boxes, variances = Prior.reshape(2, -1, 4)
    deltas = Loc.reshape(len(Loc), -1, 4)
    if not variance_encoded_in_target:
        deltas = deltas * variances
    center, size = to_center(boxes, 0)
    if code_type == "center_size":
        result = decode(deltas, center, size, 0)
    else:
        scale = np.tile(size, 2) if code_type == "corner_size" else boxes.dtype.type(1)
        result = boxes + deltas * scale
    return write(out, result.reshape(Loc.shape))


@kernel("box_clip")
def box_clip(Input: Array, ImInfo: Array, *, lods: Lods) -> tuple[Array, Lods]:
    """Paddle box_clip: boxes ``[n, …, 4]`` clipped to their image; the LoD cuts them into images.

    ``ImInfo[N, 3]`` has (height, width, scale); the size before scaling is the limit.
    """
    (lod,) = lods["Input"]
    starts, lengths = starts_and_lengths(in_rows(need_lod("box_clip", "Input", lod, len(Input)), 0))
    limits = np.floor(ImInfo[:, 1::-1] / ImInfo[:, 2:] + ImInfo.dtype.type(0.5)) - 1
    rows = rows_of(starts, lengths)
    highest = np.repeat(limits, lengths, axis=0).reshape(-1, *[1] * (Input.ndim - 2), 2)
    out = Input.copy()
    pairs = out[rows].reshape(len(rows), *Input.shape[1:-1], 2, 2)
    out[rows] = np.clip(pairs, 0, highest[..., None, :]).reshape(-1, *Input.shape[1:])
    return out, {"Output": [lod]}


@kernel("polygon_box_transform")
def polygon_box_transform(Input: Array, *, out: Array | None = None) -> Array:
    """Paddle polygon_box_transform: offsets ``[N, 2·points, H, W]`` as coordinates, x in even channels.

    Coordinates are pixels of an image four times as large (X. Zhou et al., "EAST", 2017).
    """
    out = np.empty(Input.shape, Input.dtype) if out is None else out
    height, width = Input.shape[2:]
    np.subtract(4 * np.arange(width, dtype=Input.dtype), Input[:, ::2], out=out[:, ::2])
    np.subtract(4 * np.arange(height, dtype=Input.dtype)[:, None], Input[:, 1::2], out=out[:, 1::2])
    return out
