"""Builds a Paddle program and an ONNX model side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import helper, numpy_helper, shape_inference

import lite
from lite.ir.program import AttrValue, Program
from lite.ir.types import Array, DType, Shape
from tests.support.small_programs import OpText, make_program

OPSET = 18
Slots = Mapping[str, str | Sequence[str]]


class TwinNetwork:
    """A network whose layers are written in both formats; values have the same names in both."""

    def __init__(self, seed: int = 0) -> None:
        self.rng = np.random.default_rng(seed)
        self.inputs: dict[str, tuple[DType, Shape]] = {}
        self.weights: dict[str, Array] = {}
        self.ops: list[OpText] = []
        self.nodes: list[onnx.NodeProto] = []
        self._onnx_only: dict[str, Array] = {}
        self._count = 0

    def input(self, name: str, shape: Shape, dtype: DType = DType.FLOAT32) -> str:
        """A fed value; -1 is an open size."""
        self.inputs[name] = dtype, shape
        return name

    def weight(self, array: Array) -> str:
        """A constant of both models."""
        name = self.name("w")
        self.weights[name] = array
        return name

    def random(self, *shape: int, gain: float = 1.0) -> Array:
        """Normal numbers, float32, scaled so that a layer keeps the size of its values."""
        fan_in = int(np.prod(shape[1:])) or 1
        array: Array = (self.rng.standard_normal(shape) * gain / np.sqrt(fan_in)).astype(np.float32)
        return array

    def integers(self, *items: int) -> str:
        """A constant int64 tensor of the ONNX model alone."""
        return self.onnx_constant(np.array(items, np.int64))

    def onnx_constant(self, array: Array) -> str:
        """A constant of the ONNX model alone."""
        name = self.name("c")
        self._onnx_only[name] = array
        return name

    def real(self, number: float) -> str:
        """A constant number of the ONNX model alone, float32[]."""
        return self.onnx_constant(np.array(number, np.float32))

    def name(self, prefix: str = "t") -> str:
        """A new name."""
        self._count += 1
        return f"{prefix}{self._count}"

    def op(self, kind: str, inputs: Slots, outputs: Slots, **attrs: AttrValue) -> None:
        """Add an op of the Paddle program."""
        self.ops.append((kind, _listed(inputs), _listed(outputs), attrs))

    def node(self, kind: str, inputs: Sequence[str], outputs: str | Sequence[str], **attrs: Any) -> None:
        """Add a node of the ONNX model."""
        names = [outputs] if isinstance(outputs, str) else list(outputs)
        self.nodes.append(helper.make_node(kind, list(inputs), names, **attrs))

    def program(self, outputs: Sequence[str]) -> Program:
        """The Paddle form, with the shapes that ONNX infers for its variables."""
        program = make_program(self.inputs, self.weights, self.ops, outputs)
        inferred = shape_inference.infer_shapes(self.onnx_model(outputs), strict_mode=True).graph
        variables = program.blocks[0].vars
        for value in (*inferred.value_info, *inferred.output):
            if value.name in variables:
                tensor = value.type.tensor_type
                sizes = [dim.dim_value if dim.HasField("dim_value") else -1 for dim in tensor.shape.dim]
                variables[value.name].shape = tuple(sizes)
                numpy_type = helper.tensor_dtype_to_np_dtype(tensor.elem_type)
                variables[value.name].dtype = DType.from_numpy(numpy_type)
        return program

    def onnx_model(self, outputs: Sequence[str]) -> onnx.ModelProto:
        """The ONNX form."""
        inputs = [
            helper.make_tensor_value_info(
                name,
                helper.np_dtype_to_tensor_dtype(dtype.numpy),
                [f"{name}_{axis}" if size == -1 else size for axis, size in enumerate(shape)],
            )
            for name, (dtype, shape) in self.inputs.items()
        ]
        results = [onnx.ValueInfoProto(name=name) for name in outputs]
        constants = [
            numpy_helper.from_array(array, name)
            for name, array in (*self.weights.items(), *self._onnx_only.items())
        ]
        graph = helper.make_graph(self.nodes, "twin", inputs, results, constants)
        opset = helper.make_opsetid("", OPSET)
        model = helper.make_model(
            graph, opset_imports=[opset], ir_version=8, producer_name="litebridge tests"
        )
        inferred = shape_inference.infer_shapes(model, strict_mode=True)
        for result, typed in zip(model.graph.output, inferred.graph.output, strict=True):
            result.CopyFrom(typed)
        return model

    def expected(self, outputs: Sequence[str], feeds: Mapping[str, Array]) -> dict[str, Array]:
        """The outputs that ONNX Runtime computes for the ONNX form, without its optimisations."""
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
        options.log_severity_level = 3
        session = onnxruntime.InferenceSession(
            self.onnx_model(outputs).SerializeToString(), options, providers=["CPUExecutionProvider"]
        )
        read = {value.name for value in session.get_inputs()}
        results = session.run(list(outputs), {name: x for name, x in feeds.items() if name in read})
        return dict(zip(outputs, results, strict=True))


def model_files(program: Program, folder: Path) -> tuple[bytes, bytes]:
    """The bytes of the model and of its parameters, empty without weights; writes to `folder`."""
    lite.save_program(program, folder)
    params = folder / "inference.pdiparams"
    return (folder / "inference.pdmodel").read_bytes(), params.read_bytes() if params.is_file() else b""


def _listed(slots: Slots) -> dict[str, list[str]]:
    return {slot: [names] if isinstance(names, str) else list(names) for slot, names in slots.items()}
