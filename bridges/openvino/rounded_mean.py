"""Averages of dequantised images, which OpenVINO 2026.4 computes as averages of bytes.

It moves the dequantisation after the average, and rounds that to a byte: half a step of the scale is lost,
unless the result is quantised again.  Padding that counts has the byte 0, whatever the zero point is.
"""

from __future__ import annotations

from lite.ir.graph import Node, Value
from lite.plugin.device import BridgeOp

_FARTHEST = 6
"""Ops between the dequantisation and the average that are looked at."""

_PRODUCTS = ("conv2d", "conv3d", "fc", "matmul", "matmul_v2", "bmm", "mul")
"""Ops after which values are no bytes any more."""


def why_not_mean(op: BridgeOp) -> str | None:
    """Why OpenVINO may average bytes; None where it does not, or where that does no harm."""
    outs = list(op.node.all_outputs())
    counts_padding = any(op.integers("paddings")) and not op.flag("exclusive")
    is_quantised = all(value.quant is not None or _is_quantised(value) for value in outs)
    if (is_quantised and not counts_padding) or not _is_dequantised(op.node, _FARTHEST):
        return None
    if counts_padding:
        return "OpenVINO pads averages of dequantised values with the byte 0"
    return "OpenVINO rounds averages of dequantised values to bytes"


def _is_quantised(value: Value) -> bool:
    """Whether all that reads a value quantises it."""
    users = list(value.users)
    return bool(users) and all(user.op == "affine_quantize" for user in users)


def _is_dequantised(node: Node, steps: int) -> bool:
    if any(value.quant is not None for value in node.all_inputs()):
        return True
    producers = [value.producer for value in node.all_inputs() if value.producer is not None]
    if any(producer.op == "affine_dequantize" for producer in producers):
        return True
    others = [producer for producer in producers if producer.op not in _PRODUCTS]
    return steps > 0 and any(_is_dequantised(producer, steps - 1) for producer in others)
