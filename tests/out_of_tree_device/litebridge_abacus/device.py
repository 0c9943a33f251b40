"""The device: a region becomes a list of numpy calls, serialised as JSON."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from lite.ir.graph import Graph
from lite.ir.types import Array
from lite.ops.view import Meta
from lite.plugin.device import CompiledModel, Device, NoOptions, Signature, convert, device
from lite.plugin.pattern import Composite, is_op

ADD_RELU = Composite("abacus.add_relu", is_op("relu")(X=is_op("elementwise_add").named("add")))

CALLS: dict[str, Callable[..., Any]] = {
    "add": np.add,
    "relu": lambda x: np.maximum(x, 0),
    "add_relu": lambda x, y: np.maximum(x + y, 0),
}


class Rows:
    """The builder: constants and inputs of a region by name, and the calls, of which each adds a row."""

    def __init__(self) -> None:
        self.constants: dict[str, list[float]] = {}
        self.shapes: dict[str, list[int]] = {}
        self.calls: list[tuple[str, list[str]]] = []
        self.inputs: list[str] = []
        self.outputs: list[str] = []

    def input(self, name: str, meta: Meta) -> str:
        self.inputs.append(f"in {len(self.inputs)}")
        return self.inputs[-1]

    def constant(self, name: str, array: Array) -> str:
        row = f"constant {len(self.constants)}"
        self.constants[row], self.shapes[row] = array.reshape(-1).tolist(), list(array.shape)
        return row

    def output(self, name: str, tensor: str) -> None:
        self.outputs.append(tensor)

    def call(self, kind: str, *sources: str) -> str:
        self.calls.append((kind, list(sources)))
        return f"call {len(self.calls) - 1}"


@device("abacus")
class Abacus(Device[NoOptions]):
    """Runs additions and relus, alone or as one call."""

    dynamic_shapes = True

    def available(self) -> str | None:
        return None

    def version(self) -> str:
        return "abacus 1"

    def patterns(self) -> list[Composite]:
        return [ADD_RELU]

    def compile(self, graph: Graph, signature: Signature) -> CompiledModel:
        rows = Rows()
        convert(graph, self, rows)
        return Frame(json.dumps(vars(rows)).encode())

    def load(self, blob: bytes) -> CompiledModel:
        return Frame(blob)


class Frame(CompiledModel):
    """A compiled region."""

    threads = "shared"

    def __init__(self, blob: bytes) -> None:
        self._blob = blob
        self.rows = json.loads(blob)
        self._constants = {
            name: np.array(values, np.float32).reshape(self.rows["shapes"][name])
            for name, values in self.rows["constants"].items()
        }

    def run(self, inputs: Sequence[Array], outputs: Sequence[Array | None]) -> Sequence[Array]:
        values = {**self._constants, **dict(zip(self.rows["inputs"], inputs, strict=True))}
        for number, (kind, sources) in enumerate(self.rows["calls"]):
            values[f"call {number}"] = np.asarray(CALLS[kind](*(values[source] for source in sources)))
        return [values[name] for name in self.rows["outputs"]]

    def serialize(self) -> bytes:
        return self._blob
