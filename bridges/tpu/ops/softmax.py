"""softmax → Softmax along one axis."""

from __future__ import annotations

from lite.bridges.tpu.builder import Builder, Tensor
from lite.bridges.tpu.row import Row
from lite.plugin.device import BridgeOp, bridge


def _softmax(b: Builder, op: BridgeOp, x: Tensor) -> Tensor:
    return b.lang.softmax(x, op["X"].axis(op.integer("axis")))


bridge("tpu", "softmax")(Row("X", _softmax))
