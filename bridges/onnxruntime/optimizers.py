"""ONNX Runtime's optimisers that would change the results of a model."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from onnx import ModelProto


def harmful_optimizers(model: ModelProto, provider: str) -> list[str]:
    """The names of the optimisers that must not run on a model for an execution provider.

    ONNX Runtime 1.32 puts a pair of QuantizeLinear and DequantizeLinear before a Transpose that one follows:
    other readers of the value that is transposed then get quantised elements, too.
    """
    nodes = model.graph.node
    readers = Counter(name for node in nodes for name in node.input)
    readers.update(value.name for value in model.graph.output)
    is_shared = any(
        readers[name] > 1
        for node in nodes
        if node.op_type == "Transpose"
        for name in (node.input[0], node.output[0])
    )
    quantises = any(node.op_type == "QuantizeLinear" for node in nodes)
    return ["TransposeOptimizer", f"TransposeOptimizer_{provider}"] if is_shared and quantises else []
