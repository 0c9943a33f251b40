"""Computes what lies between integers of 8 bits in float32 where the model has float64."""

from __future__ import annotations

from collections.abc import Collection
from typing import ClassVar

import numpy as np

from lite.ir.graph import Graph, Node, Value
from lite.ir.types import DType
from lite.ops import Trait, has_trait
from lite.passes.base import Outcome, Pass, PassContext, Result
from lite.passes.fuse.quantize.byte_grid import BYTES
from lite.passes.match import attributes
from lite.passes.registry import register_pass

_DEQUANTIZE, _QUANTIZE = "affine_dequantize", "affine_quantize"
_OPS = ("reduce_mean", "scale", "softmax")
"""Ops besides elementwise ones."""


@register_pass
class QuantizedFloat32Pass(Pass):
    """Changes the type of ops in float64 whose inputs are dequantised bytes and whose results become bytes::

        %a = affine_dequantize(X=%q, …) : float64        %a = affine_dequantize(X=%q, …) : float32
        %m = reduce_mean(X=%a) : float64           ->    %m = reduce_mean(X=%a) : float32
        %r = affine_quantize(X=%m, …) : uint8            %r = affine_quantize(X=%m, …) : uint8

    ONNX Runtime's QLinear ops are read so, for exact halves.  In float32 a number next to a half may be
    rounded the other way, as in ONNX Runtime's own kernels; so nothing changes in strict precision.  The
    kernels and the passes for quantised values have float32.
    """

    name: ClassVar[str] = "quantized_float32_pass"
    needs: ClassVar[tuple[str, ...]] = ("affine_quantize",)
    after: ClassVar[tuple[str, ...]] = ("canonicalize_pass", "constant_fold_pass")
    targets: ClassVar[tuple[str, ...]] = ("cpu",)

    def run(self, graph: Graph, ctx: PassContext) -> Result:
        """Each group of connected float64 values changes as a whole, or stays."""
        if ctx.strict:
            return Outcome.UNCHANGED
        seen: set[Value] = set()
        changed = False
        for node in list(graph):
            value = node.output("Out") if node.op == _DEQUANTIZE else None
            if value is None or value.dtype is not DType.FLOAT64 or value in seen:
                continue
            group = _group(value)
            seen.update(group)
            if all(_is_between_bytes(each, group) for each in group):
                _narrow(graph, group)
                changed = True
        if changed:
            graph.drop_unused_constants()
        return Outcome.of(changed)


def _group(value: Value) -> dict[Value, None]:
    """The computed float64 values that nodes connect with one."""
    found, pending = {value: None}, [value]
    while pending:
        each = pending.pop()
        nodes = [*each.users, *([] if each.producer is None else [each.producer])]
        for node in nodes:
            for other in (*node.all_inputs(), *node.all_outputs()):
                if other.dtype is DType.FLOAT64 and other.data is None and other not in found:
                    found[other] = None
                    pending.append(other)
    return found


def _is_between_bytes(value: Value, group: Collection[Value]) -> bool:
    node = value.producer
    if node is None or value.is_result or value.lod_level or not _is_known(node, group):
        return False
    return all(_is_known(user, group) for user in value.users)


def _is_known(node: Node, group: Collection[Value]) -> bool:
    """Whether a node dequantises, quantises, or computes values of the group from these and constants."""
    if node.blocks or node.effect:
        return False
    if node.op == _DEQUANTIZE:
        return node.input("X").dtype in BYTES and node.input("Scale").is_constant
    if node.op == _QUANTIZE:
        return node.output("Out").dtype in BYTES and node.input("Scale").is_constant
    is_op = node.op in _OPS or has_trait(node.op, Trait.ELEMENTWISE)
    operands = [value for value in node.all_inputs() if value not in group]
    return (
        is_op
        and node.op != "cast"
        and all(value.dtype is DType.FLOAT64 and value.is_constant for value in operands)
    )


def _narrow(graph: Graph, group: Collection[Value]) -> None:
    nodes = {node: None for value in group for node in (value.producer, *value.users) if node is not None}
    for node in nodes:
        for slot, values in list(node.inputs.items()):
            node.set_input(slot, [_constant(graph, value) for value in values])
        if node.op == _DEQUANTIZE and attributes(node).integer("dtype") >= 0:
            node.attrs["dtype"] = DType.FLOAT32.code
    for value in group:
        narrow = graph.new_value(graph.unique_name(f"{value.name}_float32"), like=value)
        narrow.dtype = DType.FLOAT32
        graph.replace_uses(value, narrow)
        producer = value.producer
        if producer is not None:
            slot = next(slot for slot, values in producer.outputs.items() if value in values)
            producer.outputs[slot] = [narrow if each is value else each for each in producer.outputs[slot]]
            value.producer, narrow.producer = None, producer


def _constant(graph: Graph, value: Value) -> Value:
    if value.data is None or value.data.dtype != np.float64:
        return value
    return graph.add_constant(value.name, value.data.astype(np.float32))
