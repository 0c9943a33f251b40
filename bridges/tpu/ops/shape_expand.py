"""expand_v2, tile → Tile by known sizes."""

from __future__ import annotations

from lite.bridges.tpu.builder import Builder, Tensor
from lite.bridges.tpu.row import Row
from lite.bridges.tpu.shape_inputs import why_not_unknown_integers
from lite.plugin.device import BridgeOp, bridge


def _repeat(b: Builder, op: BridgeOp, x: Tensor) -> Tensor:
    """Each axis repeated until it has the size of the result."""
    result = op.output().sizes
    shape = (1,) * (len(result) - op["X"].rank) + op["X"].sizes
    x = x if shape == op["X"].sizes else b.shaped(x, shape)
    times = [out // size for out, size in zip(result, shape, strict=True)]
    return x if set(times) == {1} else b.lang.tile(x, times)


def _row(name: str, *slots: str) -> Row:
    return Row("X", _repeat, lambda op: why_not_unknown_integers(op, name, *slots), known=slots)


bridge("tpu", "expand_v2")(_row("shape", "Shape", "expand_shapes_tensor"))
bridge("tpu", "tile")(_row("repeat_times", "RepeatTimes", "repeat_times_tensor"))
