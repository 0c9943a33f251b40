"""Ops that move channels or pixels without computing, and sampling at given places."""

from __future__ import annotations

from lite.bridges.openvino.builder import Builder, Tensor
from lite.bridges.openvino.ops.layout import channels_back, channels_first
from lite.bridges.openvino.row import Row
from lite.bridges.openvino.support import FLOAT, NARROW
from lite.ops.window import is_channel_last
from lite.plugin.device import BridgeOp, bridge


def _pixel_shuffle(b: Builder, op: BridgeOp, x: Tensor) -> Tensor:
    last = is_channel_last(op.text("data_format"))
    x = channels_first(b, x, 4, last=last)
    shuffled = b.op.depth_to_space(x, "depth_first", op.integer("upscale_factor"))
    return channels_back(b, shuffled.output(0), 4, last=last)


def _depth_to_space(b: Builder, op: BridgeOp, x: Tensor) -> Tensor:
    return b.op.depth_to_space(x, "blocks_first", op.integer("blocksize"))


def _shuffle_channel(b: Builder, op: BridgeOp, x: Tensor) -> Tensor:
    return b.op.shuffle_channels(x, 1, op.integer("group"))


def _sampled(b: Builder, op: BridgeOp, x: Tensor, grid: Tensor, mode: str, padding: str) -> Tensor:
    attributes = {"align_corners": op.flag("align_corners"), "mode": mode, "padding_mode": padding}
    return b.op.grid_sample(x, grid, attributes)


def _grid_sampler(b: Builder, op: BridgeOp, x: Tensor, grid: Tensor) -> Tensor:
    return _sampled(b, op, x, grid, op.text("mode"), op.text("padding_mode"))


def _why_not_sample(op: BridgeOp) -> str | None:
    if op["X"].rank != 4:
        return f"X is {op['X']}: OpenVINO samples images only"
    return None


def _grid_sample(b: Builder, op: BridgeOp, x: Tensor, grid: Tensor) -> Tensor:
    """ONNX GridSample calls the modes linear and cubic."""
    mode = {"linear": "bilinear", "cubic": "bicubic", "nearest": "nearest"}[op.text("mode")]
    return _sampled(b, op, x, grid, mode, op.text("padding_mode"))


def _space_to_depth(b: Builder, op: BridgeOp, x: Tensor) -> Tensor:
    """ONNX puts the blocks in front of the channels, PNNX the channels in front of the blocks."""
    mode = "depth_first" if op.flag("channels_first") else "blocks_first"
    return b.op.space_to_depth(x, mode, op.integer("blocksize"))


bridge("openvino", "pixel_shuffle")(Row("X", _pixel_shuffle, NARROW))
bridge("openvino", "depth_to_space")(Row("X", _depth_to_space, NARROW))
bridge("openvino", "space_to_depth")(Row("X", _space_to_depth, NARROW))
bridge("openvino", "shuffle_channel")(Row("X", _shuffle_channel, NARROW))
bridge("openvino", "grid_sampler")(Row("X Grid", _grid_sampler, FLOAT, alike=True))
bridge("openvino", "grid_sample")(Row("X Grid", _grid_sample, FLOAT, alike=True, why=_why_not_sample))
