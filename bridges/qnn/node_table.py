"""The ONNX nodes that the HTP takes in float16, found by trying each of them on onnxruntime-qnn 2.7.0."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from lite.bridges.qnn.node_limits import (
    Limit,
    attribute_is,
    cast,
    conv,
    conv_transpose,
    expand,
    indices,
    one_output,
    pad,
    recurrent,
    resize,
)
from lite.dataclass import dataclass
from lite.emission.onnx.bridging import OPSET
from lite.emission.onnx.builder import OnnxNode, Tensor
from lite.emission.onnx.node_types import why_not_types
from lite.ir.types import Array, DType
from lite.plugin.device import TensorRule, TensorRules

_F, _I, _B, _U = {DType.FLOAT32}, {DType.INT32, DType.INT64}, {DType.BOOL}, {DType.UINT8}

TENSORS = TensorRules(
    TensorRule(_F | _I | _B, max_rank=5, empty=False), {"cast": TensorRule(_F | _I | _B | _U)}
)

_COMPUTED = _F | _I | _B | _U


@dataclass(frozen=True)
class Row:
    """What one type of node may be: the element types of its first input, which of its inputs must be
    constant, and a function that finds any other limit.
    """

    dtypes: frozenset[DType]
    constant: tuple[int, ...] = ()
    limit: Limit | None = None


def _row(dtypes: set[DType], *constant: int, limit: Limit | None = None) -> Row:
    return Row(frozenset(dtypes), constant, limit)


ROWS: Mapping[str, Row] = {
    **{
        name: _row(_F)
        for name in ("Abs", "Atan", "Ceil", "Cos", "Elu", "Exp", "Floor", "Gelu", "HardSigmoid")
    },
    **{name: _row(_F) for name in ("HardSwish", "LRN", "LeakyRelu", "Log", "LogSoftmax", "MatMul")},
    **{name: _row(_F) for name in ("AveragePool", "GlobalAveragePool", "Neg", "PRelu", "Pow", "Relu")},
    **{
        name: _row(_F) for name in ("Reciprocal", "Selu", "Sigmoid", "Sign", "Sin", "Softmax", "Sqrt", "Tanh")
    },
    **{name: _row(_F) for name in ("GroupNormalization", "ThresholdedRelu", "Flatten")},
    **{
        name: _row(_F | _I) for name in ("Add", "Sub", "Mul", "Div", "Max", "Min", "Equal", "Greater", "Less")
    },
    **{name: _row(_F | _I) for name in ("GreaterOrEqual", "LessOrEqual")},
    **{name: _row(_F | _I | _B) for name in ("Concat", "Identity", "Split", "Transpose", "Shape")},
    **{name: _row(_F | _I | _B, 1) for name in ("Reshape", "Squeeze", "Unsqueeze", "Tile")},
    **{name: _row(_F | _I, limit=attribute_is("select_last_index", 0)) for name in ("ArgMax", "ArgMin")},
    **{name: _row(_F, 1) for name in ("ReduceL2", "ReduceMax", "ReduceMean", "ReduceMin", "ReduceSum")},
    **{name: _row(_B) for name in ("And", "Not", "Or", "Xor", "Where")},
    "BatchNormalization": _row(_F, 1, 2, 3, 4),
    "Cast": _row(_F | _I | _B | _U, limit=cast),
    "Clip": _row(_F | _I, 1, 2),
    "ConstantOfShape": _row(_I, 0),
    "Conv": _row(_F, limit=conv),
    "ConvTranspose": _row(_F, limit=conv_transpose),
    "CumSum": _row(
        _F, 1, limit=lambda node: attribute_is("exclusive", 0)(node) or attribute_is("reverse", 0)(node)
    ),
    "DepthToSpace": _row(_F),
    "Expand": _row(_F | _I | _B, 1, limit=expand),
    "GridSample": _row(_F, limit=attribute_is("mode", "linear")),
    "GRU": _row(_F, 1, 2, 3, limit=recurrent),
    "Gather": _row(_F | _I | _B, limit=indices(1)),
    "GatherElements": _row(_F | _I, 1, limit=indices(1)),
    "GatherND": _row(_F | _I, 1, limit=indices(1)),
    "InstanceNormalization": _row(_F, 1, 2),
    "LSTM": _row(_F, 1, 2, 3, limit=recurrent),
    "LayerNormalization": _row(_F, 1, 2),
    "MaxPool": _row(_F, limit=one_output),
    "Pad": _row(_F, 1, 2, limit=pad),
    "Resize": _row(_F, 2, 3, limit=resize),
    "ScatterElements": _row(_F, 1, limit=indices(1)),
    "ScatterND": _row(_F, 1, limit=indices(1)),
    "Slice": _row(_F | _I | _B, 1, 2, 3, 4),
    "SpaceToDepth": _row(_F),
}
"""The rows by type of node; the HTP has no other.

These nodes exist, but are not exact enough: Round rounds halves away from 0, Softplus and Tan overflow,
TopK orders equal elements otherwise, IsNaN finds infinities.
"""


def why_not_nodes(nodes: Sequence[OnnxNode]) -> str | None:
    """Why the HTP does not take one of the nodes of an op; None when it takes all.

    ONNX Runtime computes nodes with constant inputs only, and the shapes of inputs, before the SDK sees the
    graph; such nodes have no limits, and their results count as constants.
    """
    known: dict[Tensor, Array | None] = {}
    asked = 0
    for node in nodes:
        inputs = [tensor for tensor in node.inputs if tensor is not None]
        if node.op_type == "Shape" or all(each.array is not None or each in known for each in inputs):
            known.update((tensor, _folded(node, tensor, known)) for tensor in node.outputs)
            continue
        reason = why_not_node(node, known)
        if reason is not None:
            return reason
        asked += 1
    return (
        None if asked or not nodes else "its results are known before the run, and the HTP runs no constants"
    )


def why_not_node(node: OnnxNode, known: Mapping[Tensor, Array | None]) -> str | None:
    """Why the HTP does not take a node, in one sentence; None when it does.

    `known` are computed constants, with their elements where these are known.
    """
    row = ROWS.get(node.op_type)
    if row is None or node.domain:
        return f"the HTP has no {node.op_type} in float16 that is exact enough"
    reason = why_not_types(node, OPSET)
    if reason is not None:
        return reason
    first = next((tensor for tensor in node.inputs if tensor is not None), None)
    if first is not None and first.dtype not in row.dtypes:
        return f"the HTP's {node.op_type} does not take {first.dtype}"
    wrong = next((tensor.dtype for tensor in node.outputs if tensor.dtype not in _COMPUTED), None)
    if wrong is not None:
        return f"the HTP computes no {wrong}"
    for position in row.constant:
        tensor = node.inputs[position] if position < len(node.inputs) else None
        if tensor is not None and tensor.array is None and tensor not in known:
            return f"input {position} of {node.op_type} must be constant for the HTP"
    return None if row.limit is None else row.limit(_with_constants(node, known))


def _folded(node: OnnxNode, output: Tensor, known: Mapping[Tensor, Array | None]) -> Array | None:
    """The elements of a computed constant, where its inputs were only cast or joined."""
    arrays = [
        tensor.array if tensor.array is not None else known.get(tensor)
        for tensor in node.inputs
        if tensor is not None
    ]
    found = [array for array in arrays if array is not None]
    if not found or len(found) < len(arrays):
        return None
    if node.op_type == "Cast":
        return found[0].astype(output.dtype.numpy)
    return np.concatenate(found) if node.op_type == "Concat" and found[0].ndim == 1 else None


def _with_constants(node: OnnxNode, known: Mapping[Tensor, Array | None]) -> OnnxNode:
    """The node with the elements of computed constants."""
    inputs = [
        tensor if tensor is None or known.get(tensor) is None else replace(tensor, array=known[tensor])
        for tensor in node.inputs
    ]
    return replace(node, inputs=tuple(inputs))
