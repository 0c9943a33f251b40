"""expand_v2, tile → Tile by known sizes."""

from __future__ import annotations

from lite.bridges.tpu.builder import Builder, Tensor
from lite.bridges.tpu.row import Row
from lite.plugin.device import BridgeOp, bridge

_SIZES = ("Shape", "expand_shapes_tensor", "RepeatTimes", "repeat_times_tensor")


def _repeat(b: Builder, op: BridgeOp, x: Tensor) -> Tensor:
    """Each axis repeated until it has the size of the result."""
    result = op.output().sizes
    shape = (1,) * (len(result) - op["X"].rank) + op["X"].sizes
    x = x if shape == op["X"].sizes else b.shaped(x, shape)
    times = [out // size for out, size in zip(result, shape, strict=True)]
    return x if set(times) == {1} else b.lang.tile(x, times)


for _name in ("expand_v2", "tile"):
    bridge("tpu", _name)(Row("X", _repeat, known=_SIZES))
