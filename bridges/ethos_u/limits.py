"""Which ops of a quantised graph become int8 operators: asked by op, before a region is compiled."""

from __future__ import annotations

from lite.emission.tflite.graph import Operator
from lite.ir.graph import Value
from lite.ir.types import DType
from lite.plugin.device import BridgeOp

_MOVES = frozenset(
    {
        "assign",
        "concat",
        "flatten2",
        "flatten_contiguous_range",
        "nearest_interp_v2",
        "reshape2",
        "slice",
        "squeeze2",
        "transpose2",
        "unsqueeze2",
    }
)
"""Ops whose results have the numbers of their inputs, and so their integers."""

_BEFORE = frozenset({"conv2d", "elementwise_add", "fc", "matmul_v2", "mul"})
"""Ops that the ops of `_AFTER` are fused into, before the result is quantised."""

_AFTER = frozenset({"elementwise_add", "relu", "relu6"})

OPERATORS = frozenset(
    {
        "ADD",
        "AVERAGE_POOL_2D",
        "CONCATENATION",
        "CONV_2D",
        "DEPTHWISE_CONV_2D",
        "FULLY_CONNECTED",
        "HARD_SWISH",
        "LEAKY_RELU",
        "LOGISTIC",
        "MAX_POOL_2D",
        "MEAN",
        "MUL",
        "PAD",
        "QUANTIZE",
        "RELU",
        "RELU6",
        "RESHAPE",
        "RESIZE_BILINEAR",
        "RESIZE_NEAREST_NEIGHBOR",
        "SLICE",
        "SOFTMAX",
        "STRIDED_SLICE",
        "SUB",
        "TANH",
        "TRANSPOSE",
    }
)
"""The int8 operators that Vela takes, within the limits that it states itself."""


def why_not_quantised(op: BridgeOp) -> str | None:
    """Why an op does not compute in int8; None when it may."""
    for slot, values in op.node.inputs.items():
        for value in values:
            if value.data is None and not (_has_integers(value) or _is_fused(value, op.op)):
                return f"{slot} is {value!r}, which is not quantised; the Ethos-U computes int8"
    for slot, values in op.node.outputs.items():
        for value in values:
            if value.is_used and not (_has_integers(value) or _is_fused_later(value)):
                return f"{slot} is {value!r}, which is not quantised; the Ethos-U computes int8"
    return None


def why_not_real(operator: Operator) -> str | None:
    """Why an operator of the final graph is not for the NPU; None when it is."""
    if operator.code not in OPERATORS:
        return f"{operator.code} is not an operator of the Ethos-U"
    data = [tensor for tensor in (*operator.inputs, *operator.outputs) if tensor is not None]
    for tensor in data:
        if tensor.dtype not in (DType.INT8, DType.INT32):
            return f"{operator.code} computes {tensor.dtype}{list(tensor.shape)}; the Ethos-U computes int8"
    return None


def _has_integers(value: Value) -> bool:
    """Whether integers stand for the numbers, as quantisation says or as no op in between changes them."""
    while value.quant is None:
        node = value.producer
        if node is None or not _is_move(value):
            return False
        value = next(iter(node.all_inputs()))
    return True


def _is_move(value: Value) -> bool:
    node = value.producer
    if node is None:
        return False
    is_maximum = node.op == "pool2d" and node.attrs.get("pooling_type", "max") == "max"
    return node.op in _MOVES or is_maximum


def _is_fused(value: Value, op: str) -> bool:
    node = value.producer
    return op in _AFTER and node is not None and node.op in _BEFORE | _AFTER and len(value.users) == 1


def _is_fused_later(value: Value) -> bool:
    while value.quant is None:
        users = list(value.users)
        node = value.producer
        if node is None or node.op not in _BEFORE | _AFTER or len(users) != 1 or users[0].op not in _AFTER:
            return False
        value = users[0].output()
    return True
