"""Resize and Upsample: our interpolations where they say the same, else resize."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lite.ir.program import AttrValue
from lite.ir.types import DType
from lite.model_parser.onnx.block_writer import BlockWriter
from lite.model_parser.onnx.node import OnnxNode
from lite.model_parser.onnx.registry import onnx_op

_SINCE_COORDINATES = 11
"""Since this opset Resize has roi and sizes, and says how positions are found."""
_FLOATS = {DType.FLOAT16, DType.BFLOAT16, DType.FLOAT32, DType.FLOAT64}
_CENTRES = ("half_pixel", "pytorch_half_pixel")


@dataclass(frozen=True)
class _Request:
    """What a node asks for; `scales` are known ones."""

    x: str
    mode: str
    coordinates: str
    rounding: str
    roi: str | None
    scales_name: str | None
    scales: list[float] | None
    sizes: str | None


@onnx_op("Resize", "Upsample")
def resize(node: OnnxNode, writer: BlockWriter) -> None:
    """A nearest, bilinear or bicubic interpolation of images, or resize."""
    request = _request(node, writer)
    if not _interpolation(node, writer, request):
        _general(node, writer, request)


def _request(node: OnnxNode, writer: BlockWriter) -> _Request:
    mode = node.text("mode", "nearest")
    if node.op == "Resize" and node.opset >= _SINCE_COORDINATES:
        coordinates = node.text("coordinate_transformation_mode", "half_pixel")
        rounding = node.text("nearest_mode", "round_prefer_floor")
        scales, sizes, roi = _given(node, writer, 2), _given(node, writer, 3), _given(node, writer, 1)
    else:
        coordinates, rounding, roi, sizes = "asymmetric", "floor", None, None
        scales = _given(node, writer, 1)
    found = node.reals("scales")
    known = None if scales is None else writer.constant(scales)
    if known is not None:
        found = [float(scale) for scale in known]
    if found is None and scales is None and sizes is None:
        raise node.error("expected scales or sizes")
    return _Request(node.input(0), mode, coordinates, rounding, roi, scales, found, sizes)


def _given(node: OnnxNode, writer: BlockWriter, position: int) -> str | None:
    """An input that has elements."""
    name = node.optional(position)
    shape = () if name is None else writer.shape(name)
    return None if shape == (0,) else name


def _interpolation(node: OnnxNode, writer: BlockWriter, request: _Request) -> bool:
    """Write one of Paddle's interpolations of images, if there is one that means the same."""
    shape = writer.shape(request.x)
    linear = request.mode in ("linear", "cubic")
    if (
        shape is None
        or len(shape) != 4
        or any(map(node.has, ("axes", "antialias", "exclude_outside", "keep_aspect_ratio_policy")))
        or (linear and writer.dtype(request.x) not in _FLOATS)
        or (request.mode == "cubic" and node.real("cubic_coeff_a", -0.75) != -0.75)
    ):
        return False
    inputs = {"X": request.x}
    attrs: dict[str, AttrValue] = {}
    if request.scales is not None:
        if len(request.scales) != 4 or request.scales[:2] != [1, 1]:
            return False
        attrs["scale"] = request.scales[2:]
    elif request.sizes is not None and _keeps(node, writer, request):
        known = writer.constant(request.sizes)
        if known is None:
            image: dict[str, AttrValue] = {"axes": [0], "starts": [2], "ends": [4]}
            inputs["OutSize"] = writer.new(request.sizes)
            writer.emit("slice", {"Input": request.sizes}, {"Out": inputs["OutSize"]}, image)
        else:
            attrs |= {"out_h": int(known[2]), "out_w": int(known[3])}
    else:
        return False
    op, more = _method(request)
    if not op:
        return False
    writer.emit(op, inputs, {"Out": node.output()}, {**attrs, **more})
    return True


def _keeps(node: OnnxNode, writer: BlockWriter, request: _Request) -> bool:
    """Whether batch and channels stay as they are, as far as the model says."""
    before = writer.shape(request.x)
    after: Sequence[int | str] | None = writer.shape(node.output())
    known = None if request.sizes is None else writer.constant(request.sizes)
    if known is not None:
        after = [int(size) for size in known]
    return (
        before is not None and after is not None and [*before[:2]] == [*after[:2]] and "?" not in before[:2]
    )


def _method(request: _Request) -> tuple[str, dict[str, AttrValue]]:
    """The op and its attributes; an empty name where none means the same."""
    scales = (request.scales or [0.5])[-2:]
    whole = all(scale == int(scale) for scale in scales)
    if request.mode == "nearest":
        same = request.coordinates == "asymmetric" and request.rounding == "floor"
        near = whole and request.rounding.startswith("round_prefer") and request.coordinates in _CENTRES
        double = (
            set(scales) <= {1.0, 2.0}
            and request.coordinates == "asymmetric"
            and request.rounding == "round_prefer_floor"
        )
        return ("nearest_interp_v2" if same or near or double else ""), {"align_corners": False}
    corners = request.coordinates == "align_corners"
    if corners and request.scales is not None and not whole:
        return "", {}
    if request.mode == "linear" and (corners or request.coordinates in ("half_pixel", "asymmetric")):
        mode = 0 if request.coordinates == "half_pixel" else 1
        return "bilinear_interp_v2", {"align_corners": corners, "align_mode": mode}
    if request.mode == "cubic" and (corners or request.coordinates == "half_pixel"):
        return "bicubic_interp_v2", {"align_corners": corners}
    return "", {}


def _general(node: OnnxNode, writer: BlockWriter, request: _Request) -> None:
    attrs: dict[str, AttrValue] = {
        "mode": request.mode,
        "coordinate_transformation_mode": request.coordinates,
        "nearest_mode": request.rounding,
        "cubic_coeff_a": node.real("cubic_coeff_a", -0.75),
        "exclude_outside": bool(node.integer("exclude_outside", 0)),
        "extrapolation_value": node.real("extrapolation_value", 0.0),
        "antialias": bool(node.integer("antialias", 0)),
        "axes": node.integers("axes") or [],
        "keep_aspect_ratio_policy": node.text("keep_aspect_ratio_policy", "stretch"),
    }
    scales = request.scales_name
    if scales is None and request.scales is not None:
        scales = writer.weight(np.array(request.scales, np.float32), node.output())
    inputs = {"X": request.x, "Scales": scales, "Sizes": request.sizes}
    if request.coordinates == "tf_crop_and_resize":
        inputs["Roi"] = request.roi
    writer.emit("resize", inputs, {"Out": node.output()}, attrs)
