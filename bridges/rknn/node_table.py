"""The ONNX nodes that RKNN-Toolkit2 takes, found by trying each of them on version 2.5.0."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from lite.emission.onnx.builder import OnnxNode, Tensor
from lite.emission.onnx.node_types import why_not_types
from lite.ir.types import DType
from lite.plugin.device import TensorRule, TensorRules

OPSET = 19
"""The newest opset that the toolkit reads.

The bridges write nodes of opset 21; those in `FLOAT` and `CONSTANTS` mean the same in both.
"""

MOST_AXES = 6

TENSORS = TensorRules(
    TensorRule({DType.FLOAT32}, min_rank=1, max_rank=MOST_AXES, empty=False, scalar_constants=True)
)

FLOAT = frozenset({
    "Abs", "Add", "AveragePool", "BatchNormalization", "Ceil", "Clip", "Concat", "Conv", "ConvTranspose",
    "Div", "Elu", "Erf", "Exp", "Flatten", "Floor", "Gemm", "GlobalAveragePool", "GlobalMaxPool",
    "HardSigmoid", "HardSwish", "Identity", "InstanceNormalization", "LayerNormalization", "LeakyRelu",
    "Log", "MatMul", "Max", "MaxPool", "Min", "Mul", "Neg", "PRelu", "Pad", "Pow", "Reciprocal",
    "ReduceMax", "ReduceMean", "ReduceMin", "ReduceSum", "Relu", "Reshape", "Resize", "Sigmoid", "Slice",
    "Softmax", "Softplus", "Split", "Sqrt", "Squeeze", "Sub", "Tanh", "Tile", "Transpose", "Unsqueeze",
    "Expand",
})  # fmt: skip
"""The types of nodes; their first input is float32."""

_CONSTANT = {
    "BatchNormalization": (1, 2, 3, 4),
    "Clip": (1, 2),
    "Conv": (1, 2),
    "ConvTranspose": (1, 2),
    "Expand": (1,),
    "InstanceNormalization": (1, 2),
    "LayerNormalization": (1, 2),
    "PRelu": (1,),
    "Pad": (1, 2),
    "ReduceMax": (1,),
    "ReduceMean": (1,),
    "ReduceMin": (1,),
    "ReduceSum": (1,),
    "Reshape": (1,),
    "Resize": (1, 2, 3),
    "Slice": (1, 2, 3, 4),
    "Split": (1,),
    "Squeeze": (1,),
    "Tile": (1,),
    "Unsqueeze": (1,),
}
"""The inputs that must be constant."""


def why_not_nodes(nodes: Sequence[OnnxNode]) -> str | None:
    """Why the toolkit does not take one of the nodes of an op; None when it takes all.

    The toolkit computes nodes of constants itself, and shapes, as all of them are known.
    """
    known: set[Tensor] = set()
    for node in nodes:
        inputs = [tensor for tensor in node.inputs if tensor is not None]
        if node.op_type == "Shape" or (inputs and all(_is_known(tensor, known) for tensor in inputs)):
            known.update(node.outputs)
            continue
        reason = why_not_node(node, known)
        if reason is not None:
            return reason
    if nodes and known.issuperset(nodes[-1].outputs):
        return "its result does not depend on the inputs; the toolkit returns no constants"
    return None


def why_not_node(node: OnnxNode, known: Collection[Tensor] = ()) -> str | None:
    """Why the toolkit does not take a node, in one sentence; None when it does.

    `known` are computed constants.
    """
    if node.op_type not in FLOAT or node.domain:
        return f"RKNN has no {node.op_type} that is exact enough"
    reason = why_not_types(node, OPSET)
    if reason is not None:
        return reason
    tensors = [*node.inputs[:1], *node.outputs]
    wrong = next((each.dtype for each in tensors if each and each.dtype is not DType.FLOAT32), None)
    if wrong is not None:
        return f"RKNN's {node.op_type} does not take {wrong}"
    if any(each is not None and each.array is not None and not each.array.size for each in node.inputs):
        return f"an input of {node.op_type} has no elements"
    axes = node.attributes.get("kernel_shape")
    if isinstance(axes, Sequence) and len(axes) != 2:
        return f"windows of {node.op_type} have {len(axes)} axes; RKNN takes 2"
    mode = node.attributes.get("mode", "nearest")
    if node.op_type == "Resize" and mode not in ("nearest", "linear"):
        return f"Resize is in mode {mode}; RKNN takes nearest and linear"
    for position in _CONSTANT.get(node.op_type, ()):
        tensor = node.inputs[position] if position < len(node.inputs) else None
        if tensor is not None and not _is_known(tensor, known):
            return f"input {position} of {node.op_type} must be constant for RKNN"
    return None


def _is_known(tensor: Tensor, known: Collection[Tensor]) -> bool:
    return tensor.array is not None or tensor in known
