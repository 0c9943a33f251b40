"""Lets ops that only move numbers move the integers that stand for them."""

from __future__ import annotations

from typing import ClassVar

from lite.ir.graph import Graph, Node, Value
from lite.ir.types import DType
from lite.ops import Trait, has_trait
from lite.ops.view import product
from lite.passes.base import Outcome, Pass, PassContext, Result
from lite.passes.fuse.quantize.byte_grid import ByteGrid, grid_of
from lite.passes.match import attributes, erase_unread, sole_producer
from lite.passes.quantize.moves import moved_slot
from lite.passes.registry import register_pass

_DEQUANTIZE, _QUANTIZE = "affine_dequantize", "affine_quantize"
_REORDERS = ("concat", "pixel_shuffle", "shuffle_channel", "transpose2")
"""Ops whose results have as many elements as their inputs, besides those that only change a shape."""


@register_pass
class QuantizedMovesPass(Pass):
    """Exchanges views, transposes, concat, maxima of windows, … with the quantisation around them::

        %x = affine_dequantize(X=%q, …)        %t = transpose2(X=%q) : uint8
        %y = transpose2(X=%x)             ->   %y = affine_dequantize(X=%t, …)

        %c = concat(X=[%x, %y])                %p, %q = affine_quantize(X=%x, …), affine_quantize(X=%y, …)
        %r = affine_quantize(X=%c, …)     ->   %r = concat(X=[%p, %q]) : uint8

    Every number is rounded as before, and the bytes that are moved are a quarter.  All tensors that are
    joined have one scale in the first form; quantisation moves up where one of them is quantised already, or
    where other ops compute them for this one alone, and never to more elements.
    """

    name: ClassVar[str] = "quantized_moves_pass"
    needs: ClassVar[tuple[str, ...]] = ("affine_dequantize", "affine_quantize")
    after: ClassVar[tuple[str, ...]] = ("canonicalize_pass", "constant_fold_pass", "unsigned_codes_pass")
    targets: ClassVar[tuple[str, ...]] = ("cpu",)

    def run(self, graph: Graph, ctx: PassContext) -> Result:
        """Dequantisation moves down in running order, and then quantisation up in the other one."""
        changes = [_dequantize_later(graph, node) for node in list(graph)]
        # The last one is taken first: quantisations that moved up come after those before them.
        pending = [node for node in graph if node.op == _QUANTIZE]
        while pending:
            moved = _quantize_earlier(graph, pending.pop())
            changes.append(bool(moved))
            pending += moved
        return Outcome.of(any(changes))


def _dequantize_later(graph: Graph, node: Node) -> bool:
    slot = moved_slot(node)
    values = node.inputs.get(slot or "", [])
    outs = node.outputs.get(next(iter(node.outputs), ""), [])
    grids = [_dequantized(value) for value in values]
    grid = grids[0] if grids else None
    if slot is None or grid is None or node.blocks or any(out.lod_level for out in outs):
        return False
    if not all(each is not None and each.is_equal(grid) for each in grids) or not _is_exact(node):
        return False
    node.set_input(slot, [value.producer.input("X") for value in values if value.producer is not None])
    name = next(iter(node.outputs))
    node.outputs[name] = []
    for out in outs:
        codes = graph.new_value(graph.unique_name(f"{out.name}_codes"), like=out)
        codes.dtype, codes.producer = grid.dtype, node
        node.outputs[name].append(codes)
        out.producer = None
        graph.add_node(
            _DEQUANTIZE,
            {"X": [codes], **grid.inputs},
            {"Out": [out]},
            {"axis": 1, "block_size": 0, "dtype": DType.FLOAT32.code},
            before=node.next,
        )
    erase_unread(values)
    return True


def _dequantized(value: Value) -> ByteGrid | None:
    node = value.producer
    if node is None or node.op != _DEQUANTIZE or value.dtype is not DType.FLOAT32:
        return None
    return None if node.input("X").is_constant else grid_of(node)


def _is_exact(node: Node) -> bool:
    """Whether the op has the same result on integers: a maximum, if every window has an element."""
    if node.op != "pool2d":
        return True
    attrs = attributes(node)
    if attrs.flag("global_pooling"):
        return True
    before = max(attrs.integers("paddings"), default=0)
    return (
        not attrs.flag("adaptive") and not attrs.flag("ceil_mode") and before < min(attrs.integers("ksize"))
    )


def _quantize_earlier(graph: Graph, quantize: Node) -> list[Node]:
    """The quantisations that replace one; none where it stays."""
    grid = grid_of(quantize)
    if grid is None:
        return []
    moved = quantize.input("X")
    node = sole_producer(moved, _REORDERS) or _sole_view(moved) or _sole_growth(moved)
    if node is None or node.blocks or moved.lod_level or moved.dtype is not DType.FLOAT32:
        return []
    slot = moved_slot(node)
    values = node.inputs.get(slot or "", [])
    is_some_quantized = any(_dequantized(value) is not None for value in values)
    is_own = all(value.only_user is node and value.producer is not None for value in values)
    if slot is None or not (is_some_quantized or is_own) or any(value.lod_level for value in values):
        return []
    codes: dict[Value, Value] = {}
    earlier = []
    for value in values:
        if value not in codes:
            codes[value] = graph.new_value(graph.unique_name(f"{value.name}_codes"), like=value)
            codes[value].dtype = grid.dtype
            inputs = {"X": [value], **grid.inputs}
            outputs = {"Out": [codes[value]]}
            earlier.append(graph.add_node(_QUANTIZE, inputs, outputs, dict(quantize.attrs), before=node))
    node.set_input(slot, [codes[value] for value in values])
    out = quantize.output("Out")
    quantize.outputs = {}
    graph.erase(quantize)
    moved.producer, out.producer = None, node
    node.outputs[next(iter(node.outputs))] = [out]
    return earlier


def _sole_view(value: Value) -> Node | None:
    node = value.producer
    is_view = node is not None and has_trait(node.op, Trait.RESHAPE) and value.only_user is not None
    return node if is_view else None


def _sole_growth(value: Value) -> Node | None:
    """The op that repeats pixels in a value that has as many elements as its input or more."""
    node = sole_producer(value, ("nearest_interp_v2",))
    if node is None:
        return None
    scale, before, after = attributes(node).reals("scale"), node.input("X").shape, value.shape
    sizes = (product(before or ()), product(after or ())) if before and after else (None, None)
    is_larger = sizes[0] is not None and sizes[1] is not None and sizes[0] <= sizes[1]
    return node if is_larger or (scale and min(scale) >= 1) else None
