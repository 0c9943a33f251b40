"""Softmax and its logarithm."""

from __future__ import annotations

from lite.bridges.openvino.builder import Builder, Tensor
from lite.bridges.openvino.row import Row
from lite.plugin.device import BridgeOp, bridge


def _why(op: BridgeOp) -> str | None:
    return None if op["X"].rank else "X has no axes"


def _softmax(b: Builder, op: BridgeOp, x: Tensor) -> Tensor:
    return b.op.softmax(x, op["X"].axis(op.integer("axis")))


def _log_softmax(b: Builder, op: BridgeOp, x: Tensor) -> Tensor:
    return b.op.log_softmax(x, op["X"].axis(op.integer("axis")))


bridge("openvino", "softmax")(Row("X", _softmax, why=_why))
bridge("openvino", "log_softmax")(Row("X", _log_softmax, why=_why))
