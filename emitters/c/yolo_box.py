"""Boxes and scores of a detector's head."""

from __future__ import annotations

import numpy as np

from lite.emitters.c.expression import INCLUDE, number
from lite.emitters.c.loops import loops
from lite.ir.types import DType
from lite.plugin.emitter import Emission, EmitOp, emitter


@emitter("c", "yolo_box")
def yolo_box(op: EmitOp, out: Emission) -> str | None:
    """One box for each anchor and cell; zeros below the confidence."""
    x, sizes = op["X"], op["ImgSize"]
    if x.dtype is not DType.FLOAT32 or sizes.dtype not in (DType.INT32, DType.INT64):
        return f"has no form for {x} and {sizes}"
    anchors, classes = op.integers("anchors"), op.integer("class_num")
    count, (batch, channels, height, width) = len(anchors) // 2, x.shape
    aware, cells = op.flag("iou_aware"), height * width
    scale = op.real("scale_x_y")
    out.use(INCLUDE / "scalar.h")
    out.read(x, "x")
    out.read(sizes, "sizes")
    out.weights(np.array(anchors, np.float32), "anchors")
    out.write(op.out("Boxes"), "boxes")
    out.write(op.out("Scores"), "scores")
    first = count if aware else 0
    ratio = op.integer("downsample_ratio")
    body = [
        f"const ptrdiff_t cell = i2 * {width} + i3;",
        f"const float *at = x + (i0 * {channels} + {first} + i1 * {5 + classes}) * {cells} + cell;",
        "const float h = (float)sizes[i0 * 2], w = (float)sizes[i0 * 2 + 1];",
        f"float confidence = lb_sigmoidf(at[{4 * cells}]);",
    ]
    if aware:
        factor = op.real("iou_aware_factor")
        overlap = f"lb_sigmoidf(x[(i0 * {channels} + i1) * {cells} + cell])"
        body.append(
            f"confidence = powf(confidence, {number(1 - factor)}) * powf({overlap}, {number(factor)});"
        )
    centre = (
        "(lb_sigmoidf({}) * " + number(scale) + " - " + number(0.5 * (scale - 1)) + " + (float){}) * {} / {}"
    )
    body += [
        f"const ptrdiff_t n = ((i0 * {count} + i1) * {height} + i2) * {width} + i3;",
        f"float *box = boxes + n * 4, *score = scores + n * {classes};",
        f"const int keep = confidence >= {number(op.real('conf_thresh'))};",
        f"const float cx = {centre.format('at[0]', 'i3', 'w', number(width))};",
        f"const float cy = {centre.format(f'at[{cells}]', 'i2', 'h', number(height))};",
        f"const float rx = lb_expf(at[{2 * cells}]) * anchors[i1 * 2] / {number(2 * ratio * width)} * w;",
        f"const float tall = lb_expf(at[{3 * cells}]) * anchors[i1 * 2 + 1];",
        f"const float ry = tall / {number(2 * ratio * height)} * h;",
    ]
    edges = ["cx - rx", "cy - ry", "cx + rx", "cy + ry"]
    if op.flag("clip_bbox"):
        edges = [
            *(f"lb_maxf({edge}, 0.0f)" for edge in edges[:2]),
            *(f"lb_minf({edge}, {size} - 1.0f)" for edge, size in zip(edges[2:], "wh", strict=True)),
        ]
    body += [f"box[{n}] = keep ? {edge} : 0.0f;" for n, edge in enumerate(edges)]
    body.append(
        f"for (int c = 0; c < {classes}; c++) "
        f"score[c] = keep ? lb_sigmoidf(at[(5 + c) * {cells}]) * confidence : 0.0f;"
    )
    out.code(*loops([batch, count, height, width], body))
    return None
