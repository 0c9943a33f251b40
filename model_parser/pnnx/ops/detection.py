"""torchvision's operators on regions of images, and its deformable convolution."""

from __future__ import annotations

import numpy as np

from lite.ir.program import AttrValue
from lite.model_parser.pnnx.call import Call
from lite.model_parser.pnnx.translations import pnnx_op
from lite.model_parser.pnnx.value import Value


@pnnx_op("torchvision.ops.RoIAlign", "torchvision::roi_align")
def roi_align(call: Call) -> Value:
    """`roi_align_indexed`; a row of the second input is the image's index and the corners of a region."""
    names = ("input", "rois", "spatial_scale", "height", "width", "sampling_ratio", "aligned")
    if call.type == "torchvision::roi_align":
        call = call.as_type(call.type, names, {})
        size = [call.integer("height"), call.integer("width")]
    else:
        size = call.integers("output_size", 2)
    writer, rois = call.writer, call.tensor(1)
    attrs: dict[str, AttrValue] = {
        "pooled_height": size[0],
        "pooled_width": size[1],
        "spatial_scale": call.real("spatial_scale", 1.0),
        "sampling_ratio": max(call.integer("sampling_ratio", -1), 0),
        "aligned": call.flag("aligned", False),
    }
    images = writer.emit_one(
        "slice", {"Input": rois}, {"axes": [1], "starts": [0], "ends": [1], "decrease_axis": [1]}
    )
    boxes = writer.emit_one("slice", {"Input": rois}, {"axes": [1], "starts": [1], "ends": [5]})
    inputs = {"X": call.x, "ROIs": boxes, "Images": writer.index(images)}
    return writer.emit_one("roi_align_indexed", inputs, attrs)


@pnnx_op("torchvision::nms")
def nms(call: Call) -> Value:
    """`non_max_suppression` of one class: the indices of the kept boxes, by falling score."""
    writer = call.writer
    threshold = call.value(2)
    if not isinstance(threshold, int | float):
        raise call.error(f"input 2: expected a number, got {threshold!r}")
    inputs = {
        "Boxes": writer.unary("unsqueeze2", call.tensor(0), {"axes": [0]}),
        "Scores": writer.unary("unsqueeze2", call.tensor(1), {"axes": [0, 1]}),
        "MaxOutputBoxesPerClass": writer.constant(np.array([2**31 - 1], np.int64)),
        "IouThreshold": writer.constant(np.array([threshold], np.float32)),
    }
    kept = writer.emit_one("non_max_suppression", inputs)
    result = writer.emit_one(
        "slice", {"Input": kept}, {"axes": [1], "starts": [2], "ends": [3], "decrease_axis": [1]}
    )
    writer.mark_unsized(result)
    return result


@pnnx_op("torchvision.ops.DeformConv2d")
def deformable_convolution(call: Call) -> Value:
    """`deformable_conv` of the image, the offsets, and perhaps the mask."""
    writer, weight = call.writer, call.array("weight", 4)
    channels = writer.shape(call.tensor(1))[1]
    taps = 2 * weight.shape[2] * weight.shape[3]
    if not isinstance(channels, int) or channels % taps:
        raise call.error(f"input 1: expected a multiple of {taps} channels, got {channels}")
    attrs: dict[str, AttrValue] = {
        "strides": call.integers("stride", 2, [1]),
        "paddings": call.integers("padding", 2, [0]),
        "dilations": call.integers("dilation", 2, [1]),
        "groups": call.integer("groups", 1),
        "deformable_groups": channels // taps,
    }
    inputs = {
        "Input": call.x,
        "Offset": call.tensor(1),
        "Mask": call.tensor(2) if len(call.inputs) > 2 else None,
        "Filter": call.weight("weight"),
        "Bias": call.optional_weight("bias"),
    }
    return writer.emit_one("deformable_conv", inputs, attrs)
