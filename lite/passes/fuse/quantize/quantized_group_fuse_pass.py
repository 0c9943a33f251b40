"""Lets elementwise ops read and write the integers of quantised values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from lite.dataclass import dataclass
from lite.ir.graph import Graph, Node, Value
from lite.ir.types import DType
from lite.ops.fusion_program import program_text
from lite.passes.base import Outcome, Pass, PassContext, Result
from lite.passes.fuse.elementwise.elementwise_instructions import parts_of
from lite.passes.fuse.elementwise.fusion_group_pass import program_of, reshaped
from lite.passes.fuse.quantize.byte_grid import ByteGrid, grid_of
from lite.passes.match import attributes, erase_unread
from lite.passes.registry import register_pass
from lite.plugin.kernel.fusible import fusible_instructions

_FLOAT = (0.0, 0)


@register_pass
class QuantizedGroupFusePass(Pass):
    """Merges quantisation into the elementwise op, or group of ops, between::

        %a = affine_dequantize(X=%p, …)
        %b = affine_dequantize(X=%q, …)        %r = quantized_group(X=%p, Inputs=%q)
        %s = elementwise_add(X=%a, Y=%b)   ->       {program="elementwise_add 0 1", in_scales=…, …}
        %r = affine_quantize(X=%s, …)

    Every number is rounded as before; only bytes are read and written.  Scales are constant, one for each
    value, and integers are uint8; a result that is quantised has no other reader.
    """

    name: ClassVar[str] = "quantized_group_fuse_pass"
    needs: ClassVar[tuple[str, ...]] = ("affine_dequantize", "affine_quantize")
    after: ClassVar[tuple[str, ...]] = ("fusion_group_pass", "requantize_fuse_pass", "unsigned_codes_pass")
    targets: ClassVar[tuple[str, ...]] = ("cpu",)

    def run(self, graph: Graph, ctx: PassContext) -> Result:
        """Visits groups, and single ops that could be in one."""
        known = fusible_instructions({place.target for place in ctx.valid_places})
        changes = [_fuse(graph, node, known) for node in list(graph)]
        if any(changes):
            graph.drop_unused_constants()
        return Outcome.of(any(changes))


@dataclass(frozen=True)
class _Group:
    program: str
    results: list[int]
    operands: list[Value]


def _fuse(graph: Graph, node: Node, known: frozenset[str]) -> bool:
    group = _group(graph, node, known)
    if group is None:
        return False
    slot = next(iter(node.outputs))
    given = [_grid_of_operand(value) for value in group.operands]
    written = [_grid_of_result(value) for value in node.outputs[slot]]
    if not any((*given, *written)):
        return False
    before = list(node.all_inputs())
    for name in list(node.inputs):
        node.set_input(name, ())
    operands = [
        value if grid is None else value.producer.input("X") if value.producer else value
        for value, grid in zip(group.operands, given, strict=True)
    ]
    node.set_input("X", operands[:1])
    if operands[1:]:
        node.set_input("Inputs", operands[1:])
    if slot != "Out":
        node.outputs = {"Out": node.outputs[slot]}
    node.op = "quantized_group"
    node.attrs = {
        "program": group.program,
        "results": group.results,
        "in_scales": [scale for scale, _ in _pairs(given)],
        "in_zero_points": [zero for _, zero in _pairs(given)],
        "out_scales": [scale for scale, _ in _pairs(written)],
        "out_zero_points": [zero for _, zero in _pairs(written)],
    }
    for n, grid in enumerate(written):
        if grid is not None:
            _take_codes(node, n)
    erase_unread(before)
    return True


def _group(graph: Graph, node: Node, known: frozenset[str]) -> _Group | None:
    """The node as a program; None if it is no elementwise op of float32."""
    if node.op == "fusion_group":
        attrs = attributes(node)
        operands = [*node.inputs["X"], *node.inputs.get("Inputs", ())]
        return _Group(attrs.text("program"), list(attrs.integers("results")), operands)
    parts = parts_of(node, known)
    if parts is None or any(value.lod_level for value in node.all_inputs()):
        return None
    outer = list(dict.fromkeys(operand for part in parts for operand in part.operands))
    is_quantized = any(_grid_of_operand(operand.value) for operand in outer)
    if not is_quantized and _grid_of_result(node.output()) is None:
        return None
    instructions, numbers = program_of([node], [parts], outer)
    values = [reshaped(graph, operand) for operand in outer]
    return _Group(program_text(instructions), [numbers[node.output()]], values)


def _grid_of_operand(value: Value) -> ByteGrid | None:
    node = value.producer
    if node is None or node.op != "affine_dequantize" or node.input("X").dtype is not DType.UINT8:
        return None
    return grid_of(node)


def _grid_of_result(value: Value) -> ByteGrid | None:
    node = value.only_user
    if node is None or node.op != "affine_quantize" or node.output("Out").dtype is not DType.UINT8:
        return None
    return grid_of(node)


def _pairs(grids: Sequence[ByteGrid | None]) -> list[tuple[float, int]]:
    return [_FLOAT if grid is None else (grid.scale, grid.zero_point) for grid in grids]


def _take_codes(node: Node, position: int) -> None:
    """Make the output of the quantisation of a result the result."""
    inner = node.outputs["Out"][position]
    quantize = inner.only_user
    if quantize is None:
        return
    codes = quantize.output("Out")
    quantize.outputs = {}
    quantize.graph.erase(quantize)
    inner.producer, codes.producer = None, node
    node.outputs["Out"][position] = codes
