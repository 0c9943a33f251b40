"""A case of the sweep: a small ONNX model around one op, with its inputs."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from pathlib import Path
from typing import Any

import numpy as np

from lite.dataclass import dataclass
from lite.ir.types import Array

OPSET = 20


@dataclass
class Model:
    """An ONNX graph under construction; values are names."""

    seed: int = 0
    nodes: list[Any] = field(default_factory=list)
    initializers: list[Any] = field(default_factory=list)
    inputs: dict[str, Array] = field(default_factory=dict)

    def input(self, *shape: int, of: Array | None = None) -> str:
        """An input of normally distributed float32 of this shape, or the given array."""
        name = f"x{len(self.inputs)}"
        self.inputs[name] = self._random(shape) if of is None else of
        return name

    def weight(self, *shape: int, of: Array | None = None) -> str:
        """A constant, small where it is random, so that chains stay finite."""
        from onnx import numpy_helper

        name = f"w{len(self.initializers)}"
        array = self._random(shape) / np.float32(max(math.prod(shape[1:]), 1) ** 0.5) if of is None else of
        self.initializers.append(numpy_helper.from_array(array, name))
        return name

    def integers(self, *numbers: int) -> str:
        """A constant vector of int64."""
        return self.weight(of=np.array(numbers, np.int64))

    def op(self, kind: str, *inputs: str, outputs: int = 1, **attributes: Any) -> str:
        """Add a node; returns its first output, ``name``; the others are ``name.1`` and so on."""
        from onnx import helper

        name = f"v{len(self.nodes)}"
        names = [name, *(f"{name}.{n}" for n in range(1, outputs))]
        self.nodes.append(helper.make_node(kind, list(inputs), names, **attributes))
        return name

    def save(self, path: Path, outputs: Sequence[str]) -> None:
        """Write the ONNX file."""
        import onnx
        from onnx import helper

        inputs = [
            helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(array.dtype), array.shape)
            for name, array in self.inputs.items()
        ]
        results = [helper.make_empty_tensor_value_info(name) for name in outputs]
        graph = helper.make_graph(self.nodes, "case", inputs, results, self.initializers)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=9)
        onnx.save(model, str(path))

    def _random(self, shape: Sequence[int]) -> Array:
        self.seed += 1
        return np.random.default_rng(self.seed).standard_normal(shape, np.float32)


Build = Callable[[Model], str | Sequence[str]]
"""Adds the ops of a case to a model; returns its outputs."""


@dataclass(frozen=True)
class Case:
    """A case by its family and its name, which tells the sizes."""

    family: str
    name: str
    build: Build

    def write(self, path: Path) -> Mapping[str, Array]:
        """Write the ONNX file; returns the inputs by name."""
        model = Model()
        outputs = self.build(model)
        model.save(path, [outputs] if isinstance(outputs, str) else outputs)
        return model.inputs


def chain(model: Model, first: str, steps: int, step: Callable[[Model, str], str]) -> str:
    """The same op `steps` times, one after the other."""
    return functools.reduce(lambda value, _: step(model, value), range(steps), first)
