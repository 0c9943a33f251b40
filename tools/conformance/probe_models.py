"""Probe models: small models of ops that a device supports."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from lite.dataclass import dataclass
from lite.io.save import save_program
from lite.ir.graph import Graph, Value
from lite.ir.lower import lower_graph
from lite.ir.types import Array, DType
from lite.ops.infer_graph import infer_graph
from lite.plugin.boundary import at_boundary
from lite.plugin.device import Device
from lite.plugin.device.bridge_search import load_bridges_of
from lite.plugin.device.bridging import why_not
from lite.session.devices import open_in_its_process

SHAPE = (1, 4, 4, 4)
"""The shape of every value of a probe model, except for the batch size."""

AddOp = Callable[[Graph, Value, str, int], Value]
"""Appends an op that reads a value.

The third argument is the name of the op's output, the fourth a number that its weights depend on.
"""


def _without_weight(op: str, /, **attrs: Any) -> AddOp:
    def add(graph: Graph, value: Value, name: str, _: int) -> Value:
        return graph.add_node(op, {"X": [value]}, {"Out": [name]}, attrs).output()

    return add


def _with_weight(op: str, slots: tuple[str, str, str], shape: tuple[int, ...], /, **attrs: Any) -> AddOp:
    source, weight, out = slots

    def add(graph: Graph, value: Value, name: str, number: int) -> Value:
        array = np.random.default_rng(number).uniform(0.1, 0.4, shape).astype(np.float32)
        inputs = {source: [value], weight: [graph.add_constant(f"{name}_w", array)]}
        return graph.add_node(op, inputs, {out: [name]}, attrs).output()

    return add


_IMAGE: dict[str, Any] = {"strides": [1, 1], "paddings": [0, 0], "dilations": [1, 1], "groups": 1}

PROBES: dict[str, AddOp] = {
    "elementwise_add": _with_weight("elementwise_add", ("X", "Y", "Out"), SHAPE, axis=-1),
    "elementwise_mul": _with_weight("elementwise_mul", ("X", "Y", "Out"), SHAPE, axis=-1),
    "elementwise_sub": _with_weight("elementwise_sub", ("X", "Y", "Out"), SHAPE, axis=-1),
    "conv2d": _with_weight("conv2d", ("Input", "Filter", "Output"), (4, 4, 1, 1), **_IMAGE),
    "matmul_v2": _with_weight("matmul_v2", ("X", "Y", "Out"), (4, 4)),
    "scale": _without_weight("scale", scale=0.5, bias=1.0),
    "sigmoid": _without_weight("sigmoid"),
    "tanh": _without_weight("tanh"),
    "relu": _without_weight("relu"),
    "leaky_relu": _without_weight("leaky_relu", alpha=0.1),
    "hard_swish": _without_weight("hard_swish"),
    "swish": _without_weight("swish"),
    "gelu": _without_weight("gelu"),
    "abs": _without_weight("abs"),
    "exp": _without_weight("exp"),
    "sqrt": _without_weight("sqrt"),
    "relu6": _without_weight("relu6", threshold=6.0),
    "softmax": _without_weight("softmax", axis=-1),
}
"""Ops that keep the shape.  Ops with weights are first, so that two ops of a model are never equal."""


@dataclass(frozen=True)
class ProbeOp:
    """An op of a probe model: its name, the names of its inputs, and whether the device may run it."""

    name: str
    inputs: Sequence[str]
    on_device: bool = True


def supported_probes(text: str) -> list[str]:
    """The names in `PROBES` that a device, named with its options, supports."""
    device = open_in_its_process(text)
    load_bridges_of(device, PROBES)
    return [name for name in PROBES if _supports(device, name)]


def _supports(device: Device[Any], name: str) -> bool:
    graph = _graph([ProbeOp("y", ["x"])], [name], ["y"], SHAPE)
    if any(why_not(node, device) is not None for node in graph):
        return False
    return at_boundary(device.name, "checking a region", lambda: device.why_not_region(graph)) is None


def chain(length: int) -> list[ProbeOp]:
    """A chain of `length` ops, from the input ``x`` to the output ``v<length - 1>``."""
    names = ["x", *(f"v{n}" for n in range(length))]
    return [ProbeOp(name, [source]) for source, name in itertools.pairwise(names)]


def save_probe(
    folder: Path,
    ops: Sequence[ProbeOp],
    probes: Sequence[str],
    outputs: Sequence[str],
    *,
    open_batch: bool = False,
) -> Path:
    """Write a model of `ops`, in running order, to `folder`, and return it.

    The op types are taken from `probes` in turn.  A name that no op writes is an input of the model.
    """
    graph = _graph(ops, probes, outputs, ("n", *SHAPE[1:]) if open_batch else SHAPE)
    save_program(lower_graph(graph), folder)
    return folder


def image(seed: int, batch: int = 1) -> Array:
    """An input of a probe model: float32[batch, 4, 4, 4]."""
    array: Array = np.random.default_rng(seed).standard_normal((batch, *SHAPE[1:])).astype(np.float32)
    return array


def _graph(
    ops: Sequence[ProbeOp], probes: Sequence[str], outputs: Sequence[str], shape: tuple[int | str, ...]
) -> Graph:
    graph = Graph()
    values: dict[str, Value] = {}
    written = {op.name for op in ops}
    for source in dict.fromkeys(name for op in ops for name in op.inputs if name not in written):
        values[source] = graph.add_arg(source)
        values[source].dtype, values[source].shape = DType.FLOAT32, shape
    for number, op in enumerate(ops):
        value, *others = [values[name] for name in op.inputs]
        for n, other in enumerate(others):
            inputs = {"X": [value], "Y": [other]}
            node = graph.add_node("elementwise_add", inputs, {"Out": [f"{op.name}_join{n}"]}, {"axis": -1})
            value = node.output()
        values[op.name] = PROBES[probes[number % len(probes)]](graph, value, op.name, number)
    graph.set_results([values[name] for name in outputs], outputs)
    infer_graph(graph)
    return graph
