"""Values that OpenVINO 2026.4 must not replace by the integers that they are quantised to.

It moves a dequantisation after the ops that follow it, and lets an op write the bytes of a quantisation after
it.  Then averages are rounded to bytes, and their padding has the byte 0, whatever the zero point is; norms
do not scale epsilon; maxima and minima along axes are rounded before they are scaled; limits are rounded to
bytes.
"""

from __future__ import annotations

from collections.abc import Collection

from lite.bridges.openvino.builder import Builder, Tensor
from lite.ir.graph import Node, Value
from lite.ops import Trait, has_trait
from lite.plugin.device import BridgeOp

LARGEST = 3.4028234e38
"""The largest float32; larger limits are none."""

_FARTHEST = 6
"""Ops between the quantisation and the op that are looked at."""

_EXTREMES = (
    "elementwise_max",
    "elementwise_min",
    "fusion_elementwise_max_activation",
    "fusion_elementwise_min_activation",
)

_PRODUCTS = ("conv2d", "conv3d", "fc", "matmul", "matmul_v2", "bmm", "mul")
"""Ops whose results are no bytes any more, but may still have to be scaled."""


def why_not_average(op: BridgeOp) -> str | None:
    """Why an average may be quantised to another byte: that of a few bytes is often halfway between two."""
    if _rounds_average(op) and _is_quantised(op.node):
        return "OpenVINO rounds averages of dequantised values to other bytes"
    return None


def average_input(b: Builder, op: BridgeOp, x: Tensor) -> Tensor:
    """The input of an average."""
    return real(b, x) if _rounds_average(op) else x


def norm_input(b: Builder, op: BridgeOp, x: Tensor) -> Tensor:
    """The input of a norm."""
    return real(b, x) if _is_dequantised(op.node) else x


def clamp_input(b: Builder, op: BridgeOp, x: Tensor, limits: Collection[float]) -> Tensor:
    """The input of a clamp; a limit of 0 is a byte, and others may be between two."""
    are_bytes = all(limit == 0 or abs(limit) >= LARGEST for limit in limits)
    return real(b, x) if not are_bytes and _is_dequantised(op.node, _PRODUCTS) else x


def extreme_of_two(b: Builder, op: BridgeOp, result: Tensor) -> Tensor:
    """The maximum or minimum of two tensors, which OpenVINO joins with the next one to a clamp."""
    users = [user.op for value in op.node.all_outputs() for user in value.users]
    is_joined = any(user in _EXTREMES for user in users) and _is_dequantised(op.node, _PRODUCTS)
    return real(b, result) if is_joined else result


def extreme_result(b: Builder, op: BridgeOp, result: Tensor) -> Tensor:
    """The maximum or minimum along axes."""
    return real(b, result) if _is_quantised(op.node) else result


def real(b: Builder, x: Tensor) -> Tensor:
    """The same values, from an op that takes and returns no bytes, which fuses with its neighbours."""
    return b.op.select(b.op.equal(x, x), x, x)


def _rounds_average(op: BridgeOp) -> bool:
    """Whether bytes would be averaged where that does harm."""
    counts_padding = any(op.integers("paddings")) and not op.flag("exclusive")
    is_quantised = all(
        value.quant is not None or _is_read_quantised(value) for value in op.node.all_outputs()
    )
    return (counts_padding or not is_quantised) and _is_dequantised(op.node, _PRODUCTS)


def _is_read_quantised(value: Value) -> bool:
    """Whether all that reads a value quantises it."""
    users = list(value.users)
    return bool(users) and all(user.op == "affine_quantize" for user in users)


def _is_dequantised(node: Node, ends: Collection[str] = (), steps: int = _FARTHEST) -> bool:
    """Whether an op near before a node dequantises; what comes before an op of `ends` does not count."""
    if any(value.quant is not None for value in node.all_inputs()):
        return True
    producers = [value.producer for value in node.all_inputs() if value.producer is not None]
    if any(producer.op == "affine_dequantize" for producer in producers):
        return True
    others = [producer for producer in producers if producer.op not in ends]
    return steps > 0 and any(_is_dequantised(producer, ends, steps - 1) for producer in others)


def _is_quantised(node: Node, steps: int = _FARTHEST) -> bool:
    """Whether an op near after a node quantises its results, also after elementwise ops and moves."""
    for value in node.all_outputs():
        if value.quant is not None:
            return True
        for user in value.users:
            if user.op == "affine_quantize":
                return True
            is_fused = has_trait(user.op, Trait.ELEMENTWISE) or has_trait(user.op, Trait.MOVEMENT)
            if is_fused and steps and _is_quantised(user, steps - 1):
                return True
    return False
