"""Boxes, regions and positions of maxima."""

from __future__ import annotations

from typing import Any

import numpy as np

from lite.tools.fuzz.draw import Draw, Value, row
from lite.tools.fuzz.evaluate import Rejected
from lite.tools.fuzz.ops.windows import image


@row(0.3)
def non_max_suppression(d: Draw) -> Value:
    """NonMaxSuppression of both forms of boxes, and what detectors do with the indices."""
    if d.opset < 10:
        raise Rejected("no NonMaxSuppression yet")
    batch, classes, count = d.integer(1, 2), d.integer(1, 3), d.integer(1, 8)
    centred = d.integer(0, 1)
    near, far = np.sort(np.abs(d.array((2, batch, count, 2))), 0) * 4
    far = far + np.float32(0.5)
    boxes = np.concatenate([(near + far) / 2, far - near] if centred else [near, far], -1)
    if not centred and d.chance(0.2):
        boxes = np.concatenate([far, near], -1)
    scores = np.argsort(np.random.default_rng(d.random.randrange(2**32)).random((batch, classes, count)), -1)
    shares = (scores.astype(np.float32) + 1) / np.float32(16)
    limits: list[Value | None] = [
        d.fresh(np.asarray([d.integer(0 if d.chance(0.1) else 1, 5)], "int64"), constant=0.8),
        d.constant(np.asarray([d.pick((0.0, 0.3, 0.55, 0.99))], "float32")) if d.chance(0.8) else None,
        d.constant(np.asarray([d.pick((0.03, 0.21))], "float32")) if d.chance(0.6) else None,
    ]
    # Other sizes would have random numbers: boxes of negative widths.
    given = [d.input(array, is_fixed=bool(centred)) for array in (boxes.astype(np.float32), shares)]
    attrs: dict[str, Any] = {"center_point_box": 1} if centred else {}
    chosen = d.node("NonMaxSuppression", [*given, *limits], **attrs)
    if d.chance(0.5):
        return chosen
    column = d.node("Gather", [chosen, d.constant(np.asarray([2], "int64"))], axis=1)
    index = d.node("Reshape", [column, d.constant(np.asarray([-1], "int64"))])
    found = d.node("Gather", [given[0], index], axis=1)
    return d.node("Mul", [found, d.constant(np.float32(2))])


@row(0.15)
def max_roi_pool(d: Draw) -> Value:
    """MaxRoiPool."""
    x = image(d, 4)
    count = d.integer(1, 3)
    rng = np.random.default_rng(d.random.randrange(2**32))
    corners = np.sort(rng.integers(0, 8, (count, 2, 2)), 1).reshape(count, 4)
    rois = np.concatenate([rng.integers(0, x.shape[0], (count, 1)), corners], 1).astype(np.float32)
    attrs: dict[str, Any] = {"spatial_scale": 0.5} if d.chance(0.4) else {}
    return d.node("MaxRoiPool", [x, d.fresh(rois)], pooled_shape=[d.integer(1, 3), d.integer(1, 3)], **attrs)


@row(0.25)
def deform_conv(d: Draw) -> Value:
    """DeformConv with groups of channels and of offsets, and masks."""
    if d.opset < 19:
        raise Rejected("no DeformConv yet")
    x = image(d, 4)
    batch, channels, *spatial = x.shape
    kernel = [d.integer(1, min(3, size)) for size in spatial]
    attrs: dict[str, Any] = {}
    strides = dilations = [1, 1]
    pads = [0] * 4
    if d.chance(0.4):
        strides = attrs["strides"] = [d.integer(1, 2) for _ in range(2)]
    if d.chance(0.4):
        pads = attrs["pads"] = [d.integer(0, 1) for _ in range(4)]
    if d.chance(0.2):
        dilations = attrs["dilations"] = [d.integer(1, 2) for _ in range(2)]
    out = [
        (size + pads[n] + pads[n + 2] - dilations[n] * (kernel[n] - 1) - 1) // strides[n] + 1
        for n, size in enumerate(spatial)
    ]
    if min(out) < 1:
        raise Rejected("the window does not fit")
    divisors = [g for g in range(1, channels + 1) if channels % g == 0]
    groups, offset_groups = (d.pick(divisors) if d.chance(0.4) else 1 for _ in range(2))
    points = offset_groups * kernel[0] * kernel[1]
    w = d.constant(d.array((groups * d.integer(1, 3), channels // groups, *kernel)) / np.float32(2))
    offset = d.fresh(d.array((batch, 2 * points, *out)), constant=0.2)
    tail: list[Value | None] = [d.constant(d.array((w.shape[0],))) if d.chance(0.5) else None]
    tail.append(d.fresh(np.abs(d.array((batch, points, *out)))) if d.chance(0.5) else None)
    return d.node("DeformConv", [x, w, offset, *tail], group=groups, offset_group=offset_groups, **attrs)


@row(0.2)
def max_unpool(d: Draw) -> Value:
    """MaxPool with indices and its inverse, with and without a given size."""
    x = image(d, 4, where=lambda v: v.is_exact and min(v.shape[2:]) > 1)
    attrs: dict[str, Any] = {"kernel_shape": [2, 2], "strides": [2, 2]}
    if d.chance(0.3):
        attrs["pads"] = [0, 0, 1, 1]
    y, places = d.nodes_outputs("MaxPool", [x], 2, **attrs)
    if d.chance(0.3):
        y = d.node("Relu", [y])
    size = []
    if any(n % 2 for n in x.shape[2:]) or d.chance(0.3):
        size = [d.constant(np.asarray(x.shape, "int64"))]
        attrs.pop("pads", None)
    return d.node("MaxUnpool", [y, places, *size], **attrs)
