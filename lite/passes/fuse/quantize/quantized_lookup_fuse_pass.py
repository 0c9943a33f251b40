"""Computes functions of one quantised value by a table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import numpy as np

from lite.ir.graph import Graph, Node, Value
from lite.ir.types import Array, DType
from lite.ops import Trait, has_trait
from lite.passes.base import Outcome, Pass, PassContext, Result
from lite.passes.match import attributes, erase_unread
from lite.passes.registry import register_pass
from lite.plugin.kernel import evaluate

_LOOKUP = "quantized_lookup"
_BYTES = (DType.INT8, DType.UINT8)
_MOST_NODES = 64


@register_pass
class QuantizedLookupFusePass(Pass):
    """Replaces elementwise ops between integers of 8 bits by the table of their function::

        %x = affine_dequantize(X=%q, …)
        %s = sigmoid(X=%x)                     ->   %r = quantized_lookup(X=%q, Table=%r_table)
        %m = elementwise_mul(X=%x, Y=%s)
        %r = affine_quantize(X=%m, …)

    All operands are one quantised value and constants of one element.  The host's kernels compute the table,
    so that the results are theirs.  Tables of tables are one table, and a table that changes nothing is
    removed: a pair that cancels.
    """

    name: ClassVar[str] = "quantized_lookup_fuse_pass"
    needs: ClassVar[tuple[str, ...]] = ("affine_quantize",)
    after: ClassVar[tuple[str, ...]] = ("canonicalize_pass", "constant_fold_pass", "unsigned_codes_pass")
    targets: ClassVar[tuple[str, ...]] = ("cpu",)

    def run(self, graph: Graph, ctx: PassContext) -> Result:
        """In running order: the table of a quantisation is known where a later one reads its integers."""
        changes = [_fuse(graph, node) for node in list(graph) if node.op == "affine_quantize"]
        if any(changes):
            graph.drop_unused_constants()
        return Outcome.of(any(changes))


def _fuse(graph: Graph, quantize: Node) -> bool:
    codes = quantize.output("Out")
    if codes.dtype not in _BYTES or codes.lod_level:
        return False
    function = _Function(codes)
    source = function.source
    if source is None or source.shape is None or source.shape != codes.shape:
        return False
    table = function.table()
    if table is None:
        return False
    before = list(quantize.all_inputs())
    if source.dtype is codes.dtype and _is_identity(table) and not codes.is_result:
        graph.replace_uses(codes, source)
        erase_unread([codes])
        return True
    for slot in list(quantize.inputs):
        quantize.set_input(slot, ())
    quantize.op, quantize.attrs = _LOOKUP, {}
    quantize.set_input("X", [source])
    quantize.set_input("Table", [graph.add_constant(f"{codes.name}_table", table)])
    erase_unread(before)
    return True


def _is_identity(table: Array) -> bool:
    return np.array_equal(table.view(np.uint8), np.arange(256))


class _Function:
    """The elementwise ops between integers and the integers that they are computed from.

    `source` is the one value that they are computed from; None where there are several or other ones.
    """

    def __init__(self, result: Value) -> None:
        self._result = result
        self._nodes: dict[Node, None] = {}
        self._sources: dict[Value, None] = {}
        is_function = self._add(result, is_last=True)
        self.source = next(iter(self._sources)) if is_function and len(self._sources) == 1 else None

    def _add(self, value: Value, *, is_last: bool = False) -> bool:
        """Add what computes `value`; False if it is no function of integers, or a long one."""
        if value.data is not None:
            return value.data.size == 1 and value.quant is None
        node = value.producer
        if node is not None and node in self._nodes:
            return True
        is_inner = node is not None and (
            node.op == _LOOKUP or ((value.dtype not in _BYTES or is_last) and _is_function(node))
        )
        if node is None or not is_inner:
            self._sources[value] = None
            return value.dtype in _BYTES and not value.lod_level
        if len(self._nodes) == _MOST_NODES or value.lod_level:
            return False
        operands = [node.input("X")] if node.op == _LOOKUP else list(node.all_inputs())
        found = all(self._add(operand) for operand in operands)
        self._nodes[node] = None
        return found

    def table(self) -> Array | None:
        """The results of all integers of the source; None where one depends on others."""
        if self.source is None or self.source.dtype is None:
            return None
        every = np.arange(256, dtype=np.uint8).view(self.source.dtype.numpy)
        arrays: dict[Value, Array] = {self.source: every}
        with np.errstate(all="ignore"):
            for node in self._nodes:
                arrays[node.output()] = _computed(node, arrays)
        table = arrays[self._result].reshape(-1)
        return np.ascontiguousarray(table) if table.size == every.size else None


def _is_function(node: Node) -> bool:
    is_grid = node.op in ("affine_quantize", "affine_dequantize")
    if not (is_grid or has_trait(node.op, Trait.ELEMENTWISE)) or node.effect or node.blocks:
        return False
    return len(list(node.all_outputs())) == 1


def _computed(node: Node, arrays: Mapping[Value, Array]) -> Array:
    inputs = {
        slot: [arrays[value] if value.data is None else value.data for value in values]
        for slot, values in node.inputs.items()
    }
    slot = next(iter(node.outputs))
    array: Array = evaluate(node.op, inputs, attributes(node), {slot: 1})[slot][0].array
    return array
