"""yolo_box by numpy."""

from __future__ import annotations

import numpy as np

from lite.kernels.host.activation.gate import logistic
from lite.plugin.kernel import Array, kernel


@kernel("yolo_box")
def yolo_box(
    X: Array,
    ImgSize: Array,
    *,
    class_num: int,
    anchors: list[int],
    downsample_ratio: int,
    conf_thresh: float,
    clip_bbox: bool,
    scale_x_y: float,
    iou_aware: bool,
    iou_aware_factor: float,
) -> tuple[Array, Array]:
    """Paddle yolo_box: boxes ``[N, A·H·W, 4]`` (x1, y1, x2, y2) and scores ``[N, A·H·W, classes]``.

    X is ``float[N, A·(5 + classes), H, W]``; boxes are in pixels of images of size ``ImgSize[N, 2]`` (height,
    width).  Boxes with a confidence below `conf_thresh` are zeros, and so are their scores.  J. Redmon and
    A. Farhadi, "YOLOv3: An Incremental Improvement", 2018.
    """
    batch, _, height, width = X.shape
    sizes = np.array(anchors, X.dtype).reshape(-1, 2)
    count = len(sizes)
    head = X[:, count:] if iou_aware else X
    head = head.reshape(batch, count, 5 + class_num, height, width)
    confidence = logistic(head[:, :, 4])
    if iou_aware:
        iou = logistic(X[:, :count])
        confidence = confidence ** X.dtype.type(1 - iou_aware_factor) * iou ** X.dtype.type(iou_aware_factor)
    image = ImgSize[:, ::-1].astype(X.dtype).reshape(batch, 2, 1, 1, 1)
    centers = logistic(head[:, :, :2])
    centers *= X.dtype.type(scale_x_y)
    centers -= X.dtype.type(0.5 * (scale_x_y - 1))
    centers[:, :, 0] += np.arange(width, dtype=X.dtype)
    centers[:, :, 1] += np.arange(height, dtype=X.dtype)[:, None]
    grid = np.array([width, height], X.dtype).reshape(2, 1, 1)
    centers *= (image / grid[None, :, None]).transpose(0, 2, 1, 3, 4)
    halves = np.exp(head[:, :, 2:4])
    halves *= sizes[:, :, None, None] / (2 * downsample_ratio * grid)
    halves *= image.transpose(0, 2, 1, 3, 4)
    boxes = np.concatenate((centers - halves, centers + halves), axis=2)
    if clip_bbox:
        limit = image.transpose(0, 2, 1, 3, 4) - 1
        np.maximum(boxes[:, :, :2], 0, out=boxes[:, :, :2])
        np.minimum(boxes[:, :, 2:], limit, out=boxes[:, :, 2:])
    scores = logistic(head[:, :, 5:])
    scores *= confidence[:, :, None]
    dropped = (confidence < conf_thresh)[:, :, None]
    np.copyto(boxes, 0, where=dropped)
    np.copyto(scores, 0, where=dropped)
    cells = count * height * width
    return (
        boxes.transpose(0, 1, 3, 4, 2).reshape(batch, cells, 4),
        scores.transpose(0, 1, 3, 4, 2).reshape(batch, cells, class_num),
    )
