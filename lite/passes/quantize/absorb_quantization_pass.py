"""Replaces ops that quantise and dequantise by quantised values."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import ClassVar

import numpy as np

from lite.errors import GraphError
from lite.ir.graph import Graph, Node, Quant, Rounding, Value
from lite.ir.program import VarKind
from lite.ir.types import Array
from lite.ops.infer_graph import infer_graph
from lite.ops.number_range import number_range
from lite.passes.base import Outcome, Pass, PassContext, Result
from lite.passes.match import erase_unread
from lite.passes.quantize.constant_values import ConstantValues
from lite.passes.quantize.parameters import DEQUANTIZE, QUANTIZE, can_round, quant_of
from lite.passes.registry import register_pass


@register_pass
class AbsorbQuantizationPass(Pass):
    """Replaces ops that quantise and dequantise by quantised values::

        %x = conv2d(Input=%i, Filter=%f)            %x = conv2d(Input=%i, Filter=%f) : … quant(…)
        %q = affine_quantize(X=%x, Scale=%s)   ->   %z = relu(X=%x)
        %y = affine_dequantize(X=%q, Scale=%s)
        %z = relu(X=%y)

    A pair of such ops with the same constant parameters rounds a value.  If no other op reads the value, it
    becomes quantised itself; an argument, a result of the graph, and a value with other readers get an
    ``assign`` with a quantised output.  A dequantised constant becomes a quantised constant that shares its
    array.  Dynamic quantisation, quantisation in blocks, and integers that other ops read stay unchanged.

    `restore_quantization_pass` is the inverse.  If the Config has devices and none of them takes quantised
    values, the pass changes nothing.
    """

    name: ClassVar[str] = "absorb_quantization_pass"
    after: ClassVar[tuple[str, ...]] = ("canonicalize_pass",)
    whole_program: ClassVar[bool] = True

    def run(self, graph: Graph, ctx: PassContext) -> Result:
        """Infers element types, on which the parameters of an op depend, and then replaces the ops."""
        if ctx.devices and not any(device.takes_quantized for device in ctx.devices):
            return Outcome.UNCHANGED
        blocks = list(graph.walk())
        if not any(node.op in DEQUANTIZE for block in blocks for node in block):
            return Outcome.UNCHANGED
        infer_graph(graph)
        changes = [_absorb(block) for block in blocks]
        return Outcome.of(any(changes))


def _absorb(graph: Graph) -> bool:
    constants = ConstantValues(graph)
    changed = False
    for node in list(graph):
        if node.op in DEQUANTIZE:
            changed |= _absorb_constant(graph, node, constants)
    for value in [*graph.args, *(value for node in list(graph) for value in node.all_outputs())]:
        while _absorb_pairs(graph, value, constants):
            changed = True
    return graph.drop_unused_constants() or changed


def _absorb_constant(graph: Graph, node: Node, constants: ConstantValues) -> bool:
    """Make the result of a node that dequantises constant integers a quantised constant."""
    out = node.output()
    quant, numbers = quant_of(node, constants), constants.array(node.input("X"))
    stored = None if quant is None or numbers is None else _stored(numbers, quant)
    if stored is None or not out.is_used or out.lod_level:
        return False
    source = node.input("X")
    node.outputs = {}
    graph.erase(node)
    erase_unread([source])
    out.producer = None
    constant = graph.add_constant(out.name, stored)
    constant.dtype, constant.quant = out.dtype, quant
    graph.replace_uses(out, constant)
    return True


def _stored(numbers: Array, quant: Quant) -> Array | None:
    """The numbers in the storage type of `quant`; None if one is not an integer in the range of that type."""
    dtype = quant.storage.numpy
    if numbers.dtype == dtype:
        return numbers
    low, high = number_range(quant.storage)
    if not ((numbers >= low) & (numbers <= high) & (numbers == np.rint(numbers))).all():
        return None
    stored: Array = numbers.astype(dtype)
    return stored


def _absorb_pairs(graph: Graph, value: Value, constants: ConstantValues) -> bool:
    """Replace ops that quantise `value`, and ops that dequantise the result, by quantised values."""
    pairs = [pair for user in list(value.users) for pair in _pair(user, value, constants)]
    quants = {quant for _, quant, _ in pairs}
    for quant in sorted(quants, key=repr):
        found = [(node, outs) for node, each, outs in pairs if each == quant]
        outs = [out for _, each in found for out in each]
        if value.quant != quant and len(found) == len(value.users) and _can_be_quantized(value):
            value.quant = quant
        if value.quant == quant:
            _replace(graph, outs, value)
        else:
            _replace(graph, outs[1:], outs[0])
            _become_assign(graph, found[0][0], value, outs[0], quant)
        for node, _ in found:
            erase_unread(node.all_outputs())
    return bool(pairs)


def _pair(node: Node, value: Value, constants: ConstantValues) -> Iterator[tuple[Node, Quant, list[Value]]]:
    """A node that quantises `value`, its parameters, and the outputs of nodes that dequantise with them."""
    if node.op not in QUANTIZE or node.input("X") is not value or value.users[node] != 1:
        return
    quant = quant_of(node, constants)
    if quant is None or value.dtype is None or not can_round(quant, value.dtype):
        return
    outs = [
        reader.output()
        for reader in node.output().users
        if reader.op in DEQUANTIZE and _reads(reader, node, quant, constants)
    ]
    if outs:
        yield node, quant, outs


def _reads(reader: Node, node: Node, quant: Quant, constants: ConstantValues) -> bool:
    """Whether `reader` dequantises the integers that `node` makes, with the same parameters, `quant`."""
    out = reader.output()
    if reader.input("X") is not node.output() or not out.is_used or out.lod_level:
        return False
    if out.dtype is not node.input("X").dtype:
        return False
    own = quant_of(reader, constants)
    if own is not None and Rounding.AFFINE not in (own.rounding, quant.rounding):
        own = replace(own, rounding=quant.rounding)
    return own == quant


def _can_be_quantized(value: Value) -> bool:
    """Whether a value may become quantised itself: a tensor of an op without blocks, and no result."""
    if value.producer is None or value.producer.blocks or value.is_result or value.quant is not None:
        return False
    return value.kind is VarKind.TENSOR and not value.lod_level


def _replace(graph: Graph, outs: list[Value], by: Value) -> None:
    """Replace the outputs of nodes that dequantise by one value, and erase the nodes."""
    for out in outs:
        graph.replace_uses(out, by)
        erase_unread([out])


def _become_assign(graph: Graph, before: Node, value: Value, out: Value, quant: Quant) -> None:
    """Make `out`, the output of a node that dequantises, the output of an ``assign``."""
    node = out.producer
    if node is None:
        raise GraphError(f"{out!r} is dequantised, but has no producer")
    node.outputs, out.producer, out.quant = {}, None, quant
    graph.add_node("assign", {"X": [value]}, {"Out": [out]}, before=before)
    graph.erase(node)
