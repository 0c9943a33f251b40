"""Models made of ops that a device takes, whichever these are."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from lite.io.save import save_program
from lite.ir.graph import Graph, Value
from lite.ir.lower import lower_graph
from lite.ir.types import Array, DType
from lite.ops.infer_graph import infer_graph
from lite.plugin.boundary import at_boundary
from lite.plugin.device import Device
from lite.plugin.device.convert import why_not
from lite.plugin.device.opening import open_device
from lite.plugin.loader import load_bridges

SHAPE = (1, 4, 4, 4)
"""What every value of a probe model is shaped like, but for the first size."""

Add = Callable[[Graph, Value, str, int], Value]
"""Appends an op that reads a value; the last two are the name of its output and a number to vary it by."""


def _plain(op: str, /, **attrs: Any) -> Add:
    def add(graph: Graph, value: Value, name: str, _: int) -> Value:
        return graph.add_node(op, {"X": [value]}, {"Out": [name]}, attrs).output()

    return add


def _with_weight(op: str, slots: tuple[str, str, str], shape: tuple[int, ...], /, **attrs: Any) -> Add:
    source, weight, out = slots

    def add(graph: Graph, value: Value, name: str, number: int) -> Value:
        array = np.random.default_rng(number).uniform(0.1, 0.4, shape).astype(np.float32)
        inputs = {source: [value], weight: [graph.add_constant(f"{name}_w", array)]}
        return graph.add_node(op, inputs, {out: [name]}, attrs).output()

    return add


_IMAGE: dict[str, Any] = {"strides": [1, 1], "paddings": [0, 0], "dilations": [1, 1], "groups": 1}

PROBES: dict[str, Add] = {
    "elementwise_add": _with_weight("elementwise_add", ("X", "Y", "Out"), SHAPE, axis=-1),
    "elementwise_mul": _with_weight("elementwise_mul", ("X", "Y", "Out"), SHAPE, axis=-1),
    "elementwise_sub": _with_weight("elementwise_sub", ("X", "Y", "Out"), SHAPE, axis=-1),
    "conv2d": _with_weight("conv2d", ("Input", "Filter", "Output"), (4, 4, 1, 1), **_IMAGE),
    "matmul_v2": _with_weight("matmul_v2", ("X", "Y", "Out"), (4, 4)),
    "scale": _plain("scale", scale=0.5, bias=1.0),
    "sigmoid": _plain("sigmoid"),
    "tanh": _plain("tanh"),
    "relu": _plain("relu"),
    "leaky_relu": _plain("leaky_relu", alpha=0.1),
    "hard_swish": _plain("hard_swish"),
    "swish": _plain("swish"),
    "gelu": _plain("gelu"),
    "abs": _plain("abs"),
    "exp": _plain("exp"),
    "sqrt": _plain("sqrt"),
    "relu6": _plain("relu6", threshold=6.0),
    "softmax": _plain("softmax", axis=-1),
}
"""Ops that keep the shape, the first ones with weights, so that two of them never are the same."""


@dataclass(frozen=True)
class ProbeOp:
    """An op of a probe model: its name, what it reads, and whether the device is to have it."""

    name: str
    inputs: Sequence[str]
    on_device: bool = True


def taken_probes(text: str) -> list[str]:
    """The probes that a device, perhaps with options, takes."""
    device = open_device(text)
    load_bridges(device.name, PROBES)
    return [name for name in PROBES if _takes(device, name)]


def _takes(device: Device[Any], name: str) -> bool:
    graph = _graph([ProbeOp("y", ["x"])], [name], ["y"], SHAPE)
    if any(why_not(node, device) is not None for node in graph):
        return False
    return at_boundary(device.name, "checking a region", lambda: device.why_not_region(graph)) is None


def chain(length: int) -> list[ProbeOp]:
    """Ops that read one another."""
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
    """Write a model of ops in running order to a folder; a name that no op has is an input."""
    graph = _graph(ops, probes, outputs, ("n", *SHAPE[1:]) if open_batch else SHAPE)
    save_program(lower_graph(graph), folder)
    return folder


def image(seed: int, batch: int = 1) -> Array:
    """An input."""
    made: Array = np.random.default_rng(seed).standard_normal((batch, *SHAPE[1:])).astype(np.float32)
    return made


def _graph(
    ops: Sequence[ProbeOp], probes: Sequence[str], outputs: Sequence[str], shape: tuple[int | str, ...]
) -> Graph:
    graph = Graph()
    values: dict[str, Value] = {}
    made = {op.name for op in ops}
    for source in dict.fromkeys(name for op in ops for name in op.inputs if name not in made):
        values[source] = graph.add_arg(source)
        values[source].dtype, values[source].shape = DType.FLOAT32, shape
    for number, op in enumerate(ops):
        value, *others = [values[name] for name in op.inputs]
        for n, other in enumerate(others):
            joined = {"X": [value], "Y": [other]}
            node = graph.add_node("elementwise_add", joined, {"Out": [f"{op.name}_join{n}"]}, {"axis": -1})
            value = node.output()
        values[op.name] = PROBES[probes[number % len(probes)]](graph, value, op.name, number)
    graph.set_results([values[name] for name in outputs], outputs)
    infer_graph(graph)
    return graph
