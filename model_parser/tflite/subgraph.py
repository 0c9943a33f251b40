"""A subgraph of a TFLite model: its tensors and operators."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lite.errors import ModelParseError
from lite.ir.types import Array
from lite.model_parser.tflite.graph_writer import GraphWriter
from lite.model_parser.tflite.model import TfliteModel, nth
from lite.model_parser.tflite.node import TfliteNode
from lite.model_parser.tflite.tensors import Tensor, array_of, read_tensor
from lite.model_parser.tflite.translations import TRANSLATIONS, translate
from lite.plugin.format.flatbuffer import Table


class Subgraph:
    """A subgraph whose ops are written by `writer`; its tensors get names that no other tensor has."""

    def __init__(self, model: TfliteModel, number: int, writer: GraphWriter) -> None:
        table = model.subgraph(number)
        self.writer = writer
        self._model, self._number = model, number
        self._operators = table.tables(3)
        self._names = [nth(model.codes, op.integer(0, "I"), "operator code") for op in self._operators]
        where = f"subgraph {number}" if number else writer.program.source
        TRANSLATIONS.check_supported(self._names, where)
        tensors = table.tables(0)
        self._tensors = [
            read_tensor(tensors, number, model.buffers, model.data) for number in range(len(tensors))
        ]
        inputs, outputs = table.numbers(1, "i").tolist(), table.numbers(2, "i").tolist()
        self._name_tensors([*inputs, *outputs])
        self.inputs = [nth(self._tensors, number, "input tensor") for number in inputs]
        self.outputs = [nth(self._tensors, number, "output tensor") for number in outputs]
        for tensor in self.inputs:
            tensor.is_variable = False
        self._fill_empty_constants(inputs)

    def read_inputs(self, names: Sequence[str]) -> None:
        """Copy variables of the enclosing block to the inputs."""
        if len(names) != len(self.inputs):
            raise ModelParseError(
                f"subgraph {self._number}: expected {len(names)} inputs, got {len(self.inputs)}"
            )
        for tensor, name in zip(self.inputs, names, strict=True):
            if tensor.elements is not None:
                raise ModelParseError(f"input {tensor.name!r}: expected an input that is not a constant")
            self.writer.emit("assign", {"X": name}, {"Out": tensor.name})

    def write_operators(self) -> None:
        """Translate the operators."""
        self._model.open.append(self._number)
        for number, (operator, name) in enumerate(zip(self._operators, self._names, strict=True)):
            translate(self._node(operator, name), number, self.writer)
        self._model.open.pop()

    def results(self, count: int) -> list[str]:
        """The variables of the outputs, in stored form; raises `ModelParseError` for another count."""
        if len(self.outputs) != count:
            raise ModelParseError(
                f"subgraph {self._number}: expected {count} outputs, got {len(self.outputs)}"
            )
        return [self.writer.name(tensor) for tensor in self.outputs]

    def _node(self, operator: Table, name: str) -> TfliteNode:
        inputs = self._some(operator.numbers(1, "i"))
        outputs = [tensor for tensor in self._some(operator.numbers(2, "i")) if tensor is not None]
        for tensor in outputs:
            if tensor.is_variable:
                raise ModelParseError(
                    f"tensor {tensor.name!r}: variable tensors are not supported as outputs; export a model "
                    "without state"
                )
        options = operator.table(12 if name.startswith("STABLEHLO_") else 4)
        custom = operator.numbers(5, "B").tobytes()
        node = TfliteNode(name, inputs, outputs, options, self._model, custom)
        self.writer.producers.update((tensor.name, node) for tensor in outputs)
        return node

    def _some(self, numbers: Array) -> list[Tensor | None]:
        """The tensors of these numbers; -1 stands for an absent one."""
        return [None if number == -1 else nth(self._tensors, number, "tensor") for number in numbers.tolist()]

    def _fill_empty_constants(self, inputs: Sequence[int]) -> None:
        """Give tensors without elements theirs, which no buffer holds, where nothing computes them."""
        computed = {number for op in self._operators for number in op.numbers(2, "i").tolist()}.union(inputs)
        for number, tensor in enumerate(self._tensors):
            sizes = [size for size in tensor.shape if isinstance(size, int)]
            is_empty = 0 in sizes and len(sizes) == tensor.rank
            if is_empty and tensor.elements is None and number not in computed:
                where = f"tensor {tensor.name!r}"
                tensor.elements = array_of(np.empty(0, np.uint8), None, tensor.dtype, sizes, where)

    def _name_tensors(self, ports: Sequence[int]) -> None:
        """Give each tensor a name of its own; inputs and outputs keep theirs, where these differ."""
        tensors = self._tensors
        first = [tensors[number] for number in dict.fromkeys(ports) if 0 <= number < len(tensors)]
        for tensor in dict.fromkeys([*first, *tensors]):
            tensor.name = self.writer.new_name(tensor.name)
