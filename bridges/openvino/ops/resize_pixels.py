"""pixel_shuffle, depth_to_space, space_to_depth, shuffle_channel, grid_sample(r) (opset 15).

They become DepthToSpace, SpaceToDepth, ShuffleChannels and GridSample.  X float32[N, C, H, W], float16 or,
where pixels only move, int32; pixel_shuffle also with channels last; Grid has the type of X.
"""

from __future__ import annotations

from lite.bridges.openvino.builder import Builder, Tensor
from lite.bridges.openvino.limits import FLOAT, FLOAT_OR_INT32
from lite.bridges.openvino.row import Row
from lite.ops.window import is_channel_last
from lite.plugin.device import BridgeOp, bridge


def _pixel_shuffle(b: Builder, op: BridgeOp, x: Tensor) -> Tensor:
    last = is_channel_last(op.text("data_format"))
    x = b.channels_first(x, 4, last=last)
    shuffled = b.op.depth_to_space(x, "depth_first", op.integer("upscale_factor"))
    return b.channels_restored(shuffled.output(0), 4, last=last)


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
        return f"X is {op['X']}: OpenVINO samples images of 4 axes only"
    return None


def _grid_sample(b: Builder, op: BridgeOp, x: Tensor, grid: Tensor) -> Tensor:
    """ONNX's names of the modes are linear and cubic."""
    mode = {"linear": "bilinear", "cubic": "bicubic", "nearest": "nearest"}[op.text("mode")]
    return _sampled(b, op, x, grid, mode, op.text("padding_mode"))


def _space_to_depth(b: Builder, op: BridgeOp, x: Tensor) -> Tensor:
    """Blocks are the outer axis for ONNX, channels for PNNX."""
    mode = "depth_first" if op.flag("channels_first") else "blocks_first"
    return b.op.space_to_depth(x, mode, op.integer("blocksize"))


bridge("openvino", "pixel_shuffle")(Row("X", _pixel_shuffle, FLOAT_OR_INT32))
bridge("openvino", "depth_to_space")(Row("X", _depth_to_space, FLOAT_OR_INT32))
bridge("openvino", "space_to_depth")(Row("X", _space_to_depth, FLOAT_OR_INT32))
bridge("openvino", "shuffle_channel")(Row("X", _shuffle_channel, FLOAT_OR_INT32))
bridge("openvino", "grid_sampler")(Row("X Grid", _grid_sampler, FLOAT, one_type=True))
bridge("openvino", "grid_sample")(Row("X Grid", _grid_sample, FLOAT, one_type=True, check=_why_not_sample))
