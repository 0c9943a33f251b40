"""Stores the integers of quantised activations as uint8."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from lite.ir.graph import Graph, Node, Value
from lite.ir.types import DType
from lite.passes.base import Outcome, Pass, PassContext, Result
from lite.passes.registry import register_pass

_SHIFT = 128


@register_pass
class UnsignedCodesPass(Pass):
    """Adds 128 to integers and to their zero points, so that all kernels see one type::

        %q = affine_quantize(X=%x, Scale=%s, ZeroPoint=%z) : int8      %u = … ZeroPoint=%z+128) : uint8
        %y = affine_dequantize(X=%q, Scale=%s, ZeroPoint=%z)      ->   %y = …(X=%u, … ZeroPoint=%z+128)

    The results are the same to the last bit, also those of products of integers.  Integers that other ops
    read, or the graph returns, stay.
    """

    name: ClassVar[str] = "unsigned_codes_pass"
    needs: ClassVar[tuple[str, ...]] = ("affine_quantize",)
    after: ClassVar[tuple[str, ...]] = ("canonicalize_pass", "constant_fold_pass")
    targets: ClassVar[tuple[str, ...]] = ("cpu",)

    def run(self, graph: Graph, ctx: PassContext) -> Result:
        """Zero points are constants."""
        changes = [_shift(graph, node) for node in graph if node.op == "affine_quantize"]
        changes.append(graph.drop_unused_constants())
        return Outcome.of(any(changes))


def _shift(graph: Graph, quantize: Node) -> bool:
    codes = quantize.output("Out")
    if codes.dtype is not DType.INT8 or codes.is_result or codes.lod_level:
        return False
    readers = [(node, _zero_slot(node, codes)) for node in codes.users]
    slots = [(quantize, "ZeroPoint"), *((node, slot) for node, slot in readers if slot is not None)]
    points = [node.optional_input(slot) for node, slot in slots]
    if len(slots) <= len(readers) or any(point is not None and point.data is None for point in points):
        return False
    for (node, slot), point in zip(slots, points, strict=True):
        node.set_input(slot, [_shifted(graph, codes, point)])
    quantize.attrs["dtype"] = DType.UINT8.code
    unsigned = graph.new_value(graph.unique_name(f"{codes.name}_unsigned"), like=codes)
    unsigned.dtype, unsigned.producer = DType.UINT8, quantize
    codes.producer, quantize.outputs = None, {"Out": [unsigned]}
    graph.replace_uses(codes, unsigned)
    return True


def _zero_slot(node: Node, codes: Value) -> str | None:
    """The slot of the zero point of integers that a node reads; None where it has none for them."""
    slots = {"affine_dequantize": ("X",), "integer_matmul": ("X", "Y")}.get(node.op, ())
    found = [slot for slot in slots if node.input(slot) is codes]
    if len(found) != 1 or [*node.all_inputs()].count(codes) != 1:
        return None
    return "ZeroPoint" if node.op == "affine_dequantize" else f"{found[0]}ZeroPoint"


def _shifted(graph: Graph, codes: Value, point: Value | None) -> Value:
    if point is None or point.data is None:
        return graph.add_constant(f"{codes.name}_zero", np.array(_SHIFT, np.uint8))
    return graph.add_constant(point.name, (point.data.astype(np.int16) + _SHIFT).astype(np.uint8))
