"""Views → Reshape; transpose2 → Permute.  All sizes are known when a region is compiled."""

from __future__ import annotations

from lite.bridges.tpu.builder import Builder, Tensor
from lite.bridges.tpu.row import Row
from lite.plugin.device import BridgeOp, bridge

_INTEGERS = ("Shape", "ShapeTensor", "AxesTensor", "AxesTensorList")


def _view(b: Builder, op: BridgeOp, x: Tensor) -> Tensor:
    slot = next(iter(op.node.outputs)) if "Out" not in op.node.outputs else "Out"
    return b.shaped(x, op.output(slot).sizes)


def _transpose(b: Builder, op: BridgeOp, x: Tensor) -> Tensor:
    return b.transposed(x, [op["X"].axis(axis) for axis in op.integers("axis")])


for _name in ("reshape2", "squeeze2", "unsqueeze2", "flatten2", "flatten_contiguous_range"):
    bridge("tpu", _name)(Row("X", _view, known=_INTEGERS))
bridge("tpu", "transpose2")(Row("X", _transpose))
