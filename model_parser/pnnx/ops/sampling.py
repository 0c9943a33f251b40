"""Samples of images at computed positions, and the positions."""

from __future__ import annotations

from lite.ir.program import AttrValue
from lite.model_parser.pnnx.call import Call
from lite.model_parser.pnnx.translations import pnnx_op
from lite.model_parser.pnnx.value import Value

_MODES = {"bilinear": "linear", "nearest": "nearest", "bicubic": "cubic"}
"""torch's mode → that of `grid_sample`."""


@pnnx_op("F.grid_sample")
def grid_sample(call: Call) -> Value:
    """`grid_sampler` of images, `grid_sample` of volumes and for cubic interpolation."""
    mode = call.choice("mode", "bilinear", *_MODES)
    attrs: dict[str, AttrValue] = {
        "padding_mode": call.choice("padding_mode", "zeros", "zeros", "border", "reflection"),
        "align_corners": call.flag("align_corners", False),
    }
    inputs = {"X": call.x, "Grid": call.tensor("grid" if call.has("grid") else 1)}
    if mode == "bicubic" or call.writer.rank(call.x) != 4:
        return call.writer.emit_one("grid_sample", inputs, {**attrs, "mode": _MODES[mode]})
    return call.writer.emit_one("grid_sampler", inputs, {**attrs, "mode": mode})


@pnnx_op("F.affine_grid")
def affine_grid(call: Call) -> Value:
    """`affine_grid`."""
    attrs, inputs = call.writer.integer_vector("output_shape", "OutputShape", call.sizes("size"))
    attrs["align_corners"] = call.flag("align_corners", False)
    return call.writer.emit_one("affine_grid", {"Theta": call.x, **inputs}, attrs)
