"""Resize, GridSample, AffineGrid, and exchanges of depth and space."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lite.dataclass import dataclass
from lite.ir.program import AttrValue
from lite.ir.types import UNKNOWN, Dim, DType
from lite.model_parser.onnx.block_writer import BlockWriter
from lite.model_parser.onnx.node import OnnxNode
from lite.model_parser.onnx.translations import onnx_op
from lite.ops.interpolation import interpolation
from lite.ops.resize_sizes import scaled

_COORDINATE_MODES = 11
"""The first opset in which Resize has roi, sizes and a coordinate transformation mode."""

_FLOATS = {DType.FLOAT16, DType.BFLOAT16, DType.FLOAT32, DType.FLOAT64}

_MODES_OF_16 = {"bilinear": "linear", "bicubic": "cubic"}
"""Mode of GridSample in opset 16 → mode since opset 20."""


@dataclass(frozen=True)
class _Request:
    """The arguments of a Resize; `scales` are constant ones, `scales_name` the input that holds them."""

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
    """One of Paddle's interpolations of images where it means the same, else `resize`."""
    request = _request(node, writer)
    if not _interpolation(node, writer, request):
        _general(node, writer, request)


def _request(node: OnnxNode, writer: BlockWriter) -> _Request:
    mode = node.string("mode", "nearest")
    if node.op == "Resize" and node.opset >= _COORDINATE_MODES:
        coordinates = node.string("coordinate_transformation_mode", "half_pixel")
        rounding = node.string("nearest_mode", "round_prefer_floor")
        roi, scales, sizes = (_non_empty_input(node, writer, position) for position in (1, 2, 3))
    else:
        coordinates, rounding, roi, sizes = "asymmetric", "floor", None, None
        scales = _non_empty_input(node, writer, 1)
    scale_values = node.reals("scales")
    array = None if scales is None else writer.constant(scales)
    if array is not None:
        scale_values = [float(scale) for scale in array]
    if scale_values is None and scales is None and sizes is None:
        raise node.error("expected scales or sizes")
    return _Request(node.input(0), mode, coordinates, rounding, roi, scales, scale_values, sizes)


def _non_empty_input(node: OnnxNode, writer: BlockWriter, position: int) -> str | None:
    """An input; None where it is absent or has no elements."""
    name = node.optional(position)
    shape = () if name is None else writer.shape(name)
    return None if shape == (0,) else name


def _interpolation(node: OnnxNode, writer: BlockWriter, request: _Request) -> bool:
    """Write one of Paddle's interpolations of images; False where none means the same."""
    shape = writer.shape(request.x)
    needs_float = request.mode in ("linear", "cubic")
    if (
        shape is None
        or len(shape) != 4
        or any(map(node.has, ("axes", "antialias", "exclude_outside", "keep_aspect_ratio_policy")))
        or (needs_float and writer.dtype(request.x) not in _FLOATS)
        or (request.mode == "cubic" and node.real("cubic_coeff_a", -0.75) != -0.75)
    ):
        return False
    inputs = {"X": request.x}
    attrs: dict[str, AttrValue] = {}
    if request.scales is not None:
        if len(request.scales) != 4 or request.scales[:2] != [1, 1]:
            return False
        attrs["scale"] = request.scales[2:]
    elif request.sizes is not None and _keeps_batch_and_channels(node, writer, request):
        sizes = writer.constant(request.sizes)
        if sizes is None:
            image: dict[str, AttrValue] = {"axes": [0], "starts": [2], "ends": [4]}
            inputs["OutSize"] = writer.new_name(request.sizes)
            writer.emit("slice", {"Input": request.sizes}, {"Out": inputs["OutSize"]}, image)
        else:
            attrs |= {"out_h": int(sizes[2]), "out_w": int(sizes[3])}
    else:
        return False
    scales = None if request.scales is None else request.scales[-2:]
    op, method_attrs = interpolation(request.mode, request.coordinates, request.rounding, scales)
    if not op or not _keeps_single_pixels(writer, request):
        return False
    writer.emit(op, inputs, {"Out": node.output()}, {**attrs, **method_attrs})
    return True


def _keeps_batch_and_channels(node: OnnxNode, writer: BlockWriter, request: _Request) -> bool:
    """Whether the sizes of the batch and of the channels are known to stay the same."""
    before = writer.shape(request.x)
    after: Sequence[int | str] | None = writer.shape(node.output())
    sizes = None if request.sizes is None else writer.constant(request.sizes)
    if sizes is not None:
        after = [int(size) for size in sizes]
    return (
        before is not None and after is not None and [*before[:2]] == [*after[:2]] and "?" not in before[:2]
    )


def _keeps_single_pixels(writer: BlockWriter, request: _Request) -> bool:
    """Whether a result of one row or column is the same in Paddle, which takes the first of the input.

    ONNX takes the middle, for half_pixel.  With a factor of 1 or more, the input has one row, too.
    """
    if request.mode == "nearest" or request.coordinates != "half_pixel":
        return True
    if request.scales is not None and min(request.scales) >= 1:
        return True
    image = writer.shape(request.x) or ()
    sizes: Sequence[Dim] = [UNKNOWN, UNKNOWN]
    if request.scales is not None:
        sizes = [scaled(size, scale) for size, scale in zip(image[2:], request.scales[2:], strict=True)]
    elif request.sizes is not None and (array := writer.constant(request.sizes)) is not None:
        sizes = [int(size) for size in array[2:]]
    return all(isinstance(out, int) and out != 1 for out in sizes)


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
        "keep_aspect_ratio_policy": node.string("keep_aspect_ratio_policy", "stretch"),
    }
    scales = request.scales_name
    if scales is None and request.scales is not None:
        scales = writer.weight(np.array(request.scales, np.float32), node.output())
    inputs = {"X": request.x, "Scales": scales, "Sizes": request.sizes}
    if request.coordinates == "tf_crop_and_resize":
        inputs["Roi"] = request.roi
    writer.emit("resize", inputs, {"Out": node.output()}, attrs)


@onnx_op("GridSample")
def grid_sample(node: OnnxNode, writer: BlockWriter) -> None:
    """`grid_sampler` for bilinear sampling of images, else `grid_sample`."""
    mode = node.string("mode", "linear")
    mode = _MODES_OF_16.get(mode, mode)
    attrs: dict[str, AttrValue] = {
        "padding_mode": node.string("padding_mode", "zeros"),
        "align_corners": bool(node.integer("align_corners", 0)),
    }
    inputs = {"X": node.input(0), "Grid": node.input(1)}
    if mode == "linear" and writer.rank(node.input(0)) == 4:
        writer.emit("grid_sampler", inputs, {"Output": node.output()}, {**attrs, "mode": "bilinear"})
        return
    writer.emit("grid_sample", inputs, {"Out": node.output()}, {**attrs, "mode": mode})


@onnx_op("AffineGrid")
def affine_grid(node: OnnxNode, writer: BlockWriter) -> None:
    """`affine_grid`."""
    attrs: dict[str, AttrValue] = {"align_corners": bool(node.integer("align_corners", 0))}
    inputs = {"Theta": node.input(0)}
    sizes = writer.constant(node.input(1))
    if sizes is None:
        inputs["OutputShape"] = node.input(1)
    else:
        attrs["output_shape"] = [int(size) for size in sizes]
    writer.emit("affine_grid", inputs, {"Output": node.output()}, attrs)


@onnx_op("DepthToSpace")
def depth_to_space(node: OnnxNode, writer: BlockWriter) -> None:
    """`pixel_shuffle` for mode CRD, `depth_to_space` for mode DCR."""
    size, mode = node.integer("blocksize", 0), node.string("mode", "DCR")
    if mode == "CRD":
        writer.unary("pixel_shuffle", node.input(0), {"upscale_factor": size}, node.output())
        return
    writer.unary("depth_to_space", node.input(0), {"blocksize": size}, node.output())


@onnx_op("SpaceToDepth")
def space_to_depth(node: OnnxNode, writer: BlockWriter) -> None:
    """`space_to_depth`."""
    attrs: dict[str, AttrValue] = {
        "blocksize": node.integer("blocksize", 0),
        "channels_first": node.string("mode", "DCR") == "CRD",
    }
    writer.unary("space_to_depth", node.input(0), attrs, node.output())
