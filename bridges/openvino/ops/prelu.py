"""prelu."""

from __future__ import annotations

from lite.bridges.openvino.builder import Builder, Tensor
from lite.bridges.openvino.row import Row
from lite.ops.window import is_channel_last
from lite.plugin.device import BridgeOp, bridge


def _why_not(op: BridgeOp) -> str | None:
    mode, x = op.text("mode"), op["X"]
    if mode == "element" and any(isinstance(dim, str) for dim in x.dims[1:]):
        return f"the sizes of an element must be known, X is {x}"
    if mode == "channel" and x.rank < 2:
        return f"X is {x}: it has no channels"
    return None


def _prelu(b: Builder, op: BridgeOp, x: Tensor, slope: Tensor) -> Tensor:
    """One slope for all, one a channel, or one for each element of a sample."""
    mode = op.text("mode")
    if mode == "all":
        return b.op.prelu(x, b.reshape(slope, [1]))
    last = is_channel_last(op.text("data_format"))
    if mode == "channel" and not last:
        return b.op.prelu(x, b.reshape(slope, [-1]))
    shape = [-1] if mode == "channel" else [1, *(int(dim) for dim in op["X"].dims[1:])]
    below = b.op.multiply(x, b.reshape(slope, shape))
    return b.op.select(b.op.less(x, b.like(0, x)), below, x)


bridge("openvino", "prelu")(Row("X Alpha", _prelu, alike=True, why=_why_not))
