"""What the chip declines in int8, beyond the limits of the bridges: tensors without a range, float ops."""

from __future__ import annotations

from collections.abc import Iterator

from lite.ir.graph import Value
from lite.ir.types import DType
from lite.ops import Trait, ops_with
from lite.ops.view import Meta
from lite.plugin.device import BridgeOp, meta_of

_OPS = frozenset(
    {
        "affine_channel",
        "batch_norm",
        "clip",
        "concat",
        "conv2d",
        "conv2d_transpose",
        "dropout",
        "elementwise_add",
        "elementwise_div",
        "elementwise_max",
        "elementwise_min",
        "elementwise_mul",
        "elementwise_sub",
        "fc",
        "flatten2",
        "flatten_contiguous_range",
        "gelu",
        "hard_sigmoid",
        "hard_swish",
        "leaky_relu",
        "matmul_v2",
        "mul",
        "nearest_interp_v2",
        "pad_nd",
        "pool2d",
        "reduce_mean",
        "relu",
        "reshape2",
        "scale",
        "sigmoid",
        "sim_npu.conv",
        "sim_npu.fully_connected",
        "slice",
        "split",
        "squeeze2",
        "stack",
        "strided_slice",
        "swish",
        "tanh",
        "transpose2",
        "unsqueeze2",
    }
)


def why_not_int8(op: BridgeOp, name: str) -> str | None:
    """Why the chip cannot run an op or a composite called `name` in integers; None when it can."""
    if name in ("affine_quantize", "affine_dequantize"):
        return None
    if name not in _OPS | ops_with(Trait.CLAMP):
        return f"the chip has no {name} for int8"
    reasons = (_why_not_value(value) for value in _edges(op))
    return next((reason for reason in reasons if reason is not None), None) or _why_not_operands(op)


def _edges(op: BridgeOp) -> Iterator[Value]:
    """The values that an op or composite reads and writes; constants become integers in the builder."""
    nodes = {op.node, *(each.node for each in op.captures.values())}
    for node in nodes:
        for value in node.all_inputs():
            if value.data is None and value.producer not in nodes:
                yield value
    for value in op.node.all_outputs():
        if value.is_used:
            yield value


def _why_not_value(value: Value) -> str | None:
    meta: Meta = meta_of(value)
    if meta.dtype is not DType.FLOAT32:
        return f"{value!r} is {meta}; the chip in int8 takes quantised float32 only"
    if meta.quant is None:
        return f"{value!r} has no range in the recipe; the chip computes in int8"
    if meta.quant.per_axis or meta.quant.storage is not DType.INT8:
        return f"{value!r} is quantised as {meta.quant.storage}; the chip takes int8 with one scale"
    return None


def _why_not_operands(op: BridgeOp) -> str | None:
    """Two computed operands only of sums and products; a layer has constant weights."""
    if op.op in ("matmul_v2", "mul", "matmul") and not op.captures and op.constant("Y") is None:
        return "Y is computed; the chip in int8 multiplies with constant weights"
    if op.op in ("batch_norm", "affine_channel") and not op.captures and len(op["X"].shape or ()) != 4:
        return f"X is {op['X']}; the chip in int8 scales the channels of images"
    if op.op in ("elementwise_div", "elementwise_max", "elementwise_min"):
        numbers = [op.constant(slot) for slot in ("X", "Y")]
        if not any(array is not None and array.size == 1 for array in numbers):
            return f"the chip in int8 has {op.op} with a number only"
    return None
