"""Moves quantisation from values to ops."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from lite.ir.graph import SUBGRAPH, Graph, Node, Quant, Rounding, Value
from lite.ir.program import AttrValue
from lite.ir.quantized_arrays import bits, scale_array
from lite.ir.types import DType
from lite.passes.base import Outcome, Pass, PassContext, Result
from lite.passes.quantize.constant_values import ConstantValues
from lite.passes.quantize.moves import moved_quant
from lite.passes.quantize.parameters import quant_of
from lite.passes.registry import register_pass


@register_pass
class RestoreQuantizationPass(Pass):
    """Replaces quantised values by ops that quantise and dequantise::

        %x = relu(X=%i) : … quant(…)       %x.real = relu(X=%i)
        %z = sigmoid(X=%x)            ->   %x.integers = affine_quantize(X=%x.real, Scale=…, ZeroPoint=…)
                                           %x = affine_dequantize(X=%x.integers, Scale=…, ZeroPoint=…)
                                           %z = sigmoid(X=%x)

    It is the inverse of `absorb_quantization_pass`: the results are the same to the last bit.  A quantised
    constant becomes a constant of integers and a node that dequantises it.  Nothing is inserted for
    arguments, outputs of regions, and results of ops that only move elements: their elements are numbers
    that the integers represent already.  The graphs of regions stay unchanged.
    """

    name: ClassVar[str] = "restore_quantization_pass"
    after: ClassVar[tuple[str, ...]] = ("absorb_quantization_pass", "subgraph_pass")
    whole_program: ClassVar[bool] = True

    def run(self, graph: Graph, ctx: PassContext) -> Result:
        """Restore the graph and those of its nested blocks."""
        return Outcome.of(restore(graph))


def restore(graph: Graph, *, regions: bool = False) -> bool:
    """Restore a graph and its nested graphs, with `regions` also those of regions.

    Returns whether any value changed.
    """
    changes = [_Restoration(each).run() for each in graph.walk(regions=regions)]
    return any(changes)


class _Restoration:
    """Restores one graph; equal parameters share their constants."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.constants = ConstantValues(graph)
        self.parameters: dict[tuple[Quant, DType], dict[str, list[Value]]] = {}

    def run(self) -> bool:
        """Restore all values; returns whether any was quantised."""
        constants = [value for value in self.graph.constants.values() if value.quant is not None]
        outputs = [value for node in self.graph for value in node.all_outputs() if value.quant is not None]
        moved = {value for value in outputs if value.producer and moved_quant(value.producer) == value.quant}
        arguments = [value for value in self.graph.args if value.quant is not None]
        for value in constants:
            self._restore_constant(value)
        for value in outputs:
            if value not in moved:
                self._restore_output(value)
        for value in (*arguments, *moved):
            value.quant = None
        return bool(constants or outputs or arguments)

    def _restore_constant(self, value: Value) -> None:
        quant, data, dtype = value.quant, value.data, value.dtype or DType.FLOAT32
        if quant is None or data is None:
            return
        if DType.from_numpy(data.dtype) is dtype:
            value.quant = None
            return
        integers = self.graph.add_constant(value.name, data)
        out = self.graph.new_value(self.graph.unique_name(f"{value.name}.real"), value)
        out.quant = None
        readers = value.users
        first = next((node for node in self.graph if node in readers), None)
        self.graph.replace_uses(value, out)
        self._dequantize(integers, out, quant, dtype, first)
        del self.graph.constants[value.name]

    def _restore_output(self, value: Value) -> None:
        quant, producer, dtype = value.quant, value.producer, value.dtype or DType.FLOAT32
        value.quant = None
        if quant is None or producer is None or producer.op == SUBGRAPH:
            return
        if producer.op == "affine_dequantize" and quant_of(producer, self.constants) == quant:
            # This node, at the boundary of a region, dequantises with these parameters already.
            return
        following = producer.next
        if producer.op == "assign" and not producer.input("X").lod_level:
            real = producer.input("X")
            producer.outputs = {}
            self.graph.erase(producer)
        else:
            real = self.graph.new_value(self.graph.unique_name(f"{value.name}.real"), value)
            for slot, values in producer.outputs.items():
                producer.outputs[slot] = [real if item is value else item for item in values]
            real.producer = producer
        value.producer = None
        integers = self.graph.new_value(self.graph.unique_name(f"{value.name}.integers"), value)
        integers.dtype = quant.storage if quant.rounding is Rounding.AFFINE else dtype
        op, slot, attrs = _op("quantize", quant, quant.storage)
        inputs = {"X": [real], **self._parameters(quant, dtype)}
        self.graph.add_node(op, inputs, {slot: [integers]}, attrs, before=following)
        self._dequantize(integers, value, quant, dtype, following)

    def _dequantize(
        self, integers: Value, out: Value, quant: Quant, dtype: DType, before: Node | None
    ) -> None:
        op, slot, attrs = _op("dequantize", quant, dtype)
        inputs = {"X": [integers], **self._parameters(quant, dtype)}
        self.graph.add_node(op, inputs, {slot: [out]}, attrs, before=before)

    def _parameters(self, quant: Quant, dtype: DType) -> dict[str, list[Value]]:
        if (quant, dtype) not in self.parameters:
            scale = self.graph.add_constant("scale", scale_array(quant, dtype))
            self.parameters[quant, dtype] = {"Scale": [scale]}
            if quant.rounding is Rounding.AFFINE:
                zeros = np.array(quant.zero_point).astype(quant.storage.numpy)
                shaped = zeros if quant.per_axis else zeros.reshape(())
                self.parameters[quant, dtype]["ZeroPoint"] = [self.graph.add_constant("zero_point", shaped)]
        return self.parameters[quant, dtype]


def _op(kind: str, quant: Quant, dtype: DType) -> tuple[str, str, dict[str, AttrValue]]:
    """The op that quantises or dequantises, its output slot and its attributes."""
    if quant.rounding is Rounding.AFFINE:
        axis = quant.axis if quant.per_axis else 1
        return f"affine_{kind}", "Out", {"axis": axis, "block_size": 0, "dtype": dtype.code}
    round_type = 0 if quant.rounding is Rounding.ABS_MAX else 1
    attrs: dict[str, AttrValue] = {"bit_length": bits(quant.storage), "quant_axis": quant.axis}
    return f"{kind}_linear", "Y", {**attrs, "round_type": round_type, "only_observer": False}
