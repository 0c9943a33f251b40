"""Small values of a region that follow from the sizes of its inputs, such as shapes that later regions read.

::

    %s = shape(Input=%x)              (%x: float32[2,3,8,8])
    %c = gather(X=%s, Index=1)        →  %c = 3
"""

from __future__ import annotations

from dataclasses import replace

from lite.errors import ExecutionError
from lite.ir.graph import Graph, Node, Value
from lite.ir.types import DType
from lite.ops import SCHEMAS, Meta
from lite.ops.infer_graph import infer_again
from lite.ops.schema import LOD_BY_KERNEL
from lite.ops.view import product
from lite.plugin.kernel import evaluate

MOST = 16
"""The most elements of a value that can be a shape."""


def enter_known_elements(graph: Graph, metas: dict[Value, Meta]) -> None:
    """Add elements to the metas of a graph, and the shapes that follow from them.

    Raises `GraphError` where such shapes do not fit.
    """
    refined: set[Value] = set()
    for node in graph:
        if not refined.isdisjoint(node.all_inputs()) and infer_again(node, metas):
            refined.update(node.all_outputs())
        if _can_be_computed(node, metas):
            refined.update(_compute(node, metas))


def _can_be_computed(node: Node, metas: dict[Value, Meta]) -> bool:
    schema = SCHEMAS.get(node.op)
    if schema is None or node.blocks or not schema.foldable or schema.effect or schema.lod == LOD_BY_KERNEL:
        return False
    results = [metas.get(value) for value in node.all_outputs()]
    if all(meta is not None and meta.value is not None for meta in results):
        return False
    if not all(meta is not None and _is_small(meta) for meta in results):
        return False
    operands = [metas.get(value) for value in node.all_inputs()]
    return all(meta is not None and meta.value is not None and not meta.lod for meta in operands)


def _is_small(meta: Meta) -> bool:
    count = None if meta.shape is None else product(meta.shape)
    return count is not None and count <= MOST and meta.dtype is not DType.STRING and not meta.is_array


def _compute(node: Node, metas: dict[Value, Meta]) -> list[Value]:
    """Enter the elements of a node's outputs; returns these, or nothing where the kernel fails."""
    inputs = {slot: [metas[value].value for value in values] for slot, values in node.inputs.items()}
    try:
        results = evaluate(
            node.op, inputs, node.attrs, {slot: len(each) for slot, each in node.outputs.items()}
        )
    except ExecutionError:
        return []  # the run raises the error
    for slot, values in node.outputs.items():
        for value, result in zip(values, results[slot], strict=True):
            metas[value] = replace(metas[value], value=result.array)
    return list(node.all_outputs())
