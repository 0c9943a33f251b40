"""The values of a graph that do not depend on the run, and their elements."""

from __future__ import annotations

from lite.errors import LiteError
from lite.ir.graph import Graph, Node, Value
from lite.ir.program import VarKind
from lite.ir.types import Array
from lite.ops import SCHEMAS
from lite.ops.schema import LOD_BY_KERNEL
from lite.passes.match import attributes
from lite.plugin.kernel import evaluate


class ConstantValues:
    """Constants of one graph and what its ops compute from constants alone; quantised ones are not included.

    Elements are computed when they are first asked for.
    """

    def __init__(self, graph: Graph) -> None:
        self._values = {value for value in graph.constants.values() if value.quant is None}
        self._arrays: dict[Value, Array | None] = {}
        for node in graph:
            if _is_pure(node) and all(value in self._values for value in node.all_inputs()):
                self._values.update(node.all_outputs())

    def array(self, value: Value) -> Array | None:
        """The elements of a value; None if they depend on the run, or if its op fails."""
        if value not in self._values:
            return None
        if value.data is not None:
            return value.data
        if value not in self._arrays:
            self._arrays[value] = self._computed(value)
        return self._arrays[value]

    def _computed(self, value: Value) -> Array | None:
        node = value.producer
        if node is None:
            return None
        inputs = {slot: [self.array(item) for item in values] for slot, values in node.inputs.items()}
        if any(array is None for arrays in inputs.values() for array in arrays):
            return None
        outputs = {slot: len(values) for slot, values in node.outputs.items()}
        try:
            results = evaluate(node.op, inputs, attributes(node), outputs)
        except LiteError:
            # The op fails on these constants, and the run reports it if the op ever runs.
            return None
        slot = next(slot for slot, values in node.outputs.items() if value in values)
        array: Array | None = results[slot][node.outputs[slot].index(value)].array
        return array


def _is_pure(node: Node) -> bool:
    schema = SCHEMAS.get(node.op)
    if schema is None or not schema.foldable or schema.control_flow or schema.lod == LOD_BY_KERNEL:
        return False
    values = [*node.all_inputs(), *node.all_outputs()]
    return not (node.effect or node.blocks) and all(
        value.kind == VarKind.TENSOR and value.quant is None and not value.lod_level for value in values
    )
