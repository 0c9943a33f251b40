"""Run a region, written as text, on a device and op by op on the host, and compare."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from lite.ir.graph import Graph, Value
from lite.ir.text import parse_graph
from lite.ir.types import Array
from lite.ops.infer_graph import infer_graph
from lite.plugin.device import Device, meta_of
from lite.plugin.device.convert import why_not
from lite.plugin.kernel import evaluate
from lite.plugin.loader import load_bridges


def region(text: str) -> Graph:
    """A graph from text, with the shapes that follow from its arguments."""
    graph = parse_graph(text)
    infer_graph(graph)
    return graph


def reasons(device: Device[Any], text: str) -> list[str | None]:
    """What the bridges of a device say of each op of a graph."""
    graph = region(text)
    load_bridges(device.name, {node.op for node in graph})
    return [why_not(node, device) for node in graph]


def on_device(device: Device[Any], text: str, inputs: Sequence[Array]) -> list[Array]:
    """The results of a device, for arrays given in the order of the arguments."""
    graph = region(text)
    model = device.compile(graph, tuple(meta_of(arg) for arg in graph.args))
    return [np.asarray(result) for result in model.run(inputs, [None] * len(graph.results))]


def on_host(text: str, inputs: Sequence[Array]) -> list[Array]:
    """The same on the host, each op by its kernel."""
    graph = region(text)
    arrays: dict[Value, Any] = dict(zip(graph.args, inputs, strict=True))
    arrays.update((value, value.data) for value in graph.constants.values())
    for node in graph:
        given = {slot: [arrays[value] for value in values] for slot, values in node.inputs.items()}
        found = evaluate(node.op, given, node.attrs, {slot: len(v) for slot, v in node.outputs.items()})
        for slot, values in node.outputs.items():
            arrays.update(zip(values, (result.array for result in found[slot]), strict=True))
    return [arrays[value] for value in graph.results]


def check(device: Device[Any], text: str, *inputs: Array, tolerance: float = 1e-3) -> None:
    """Assert that every bridge takes its op, and that the device's results equal the host's."""
    assert reasons(device, text) == [None] * len(region(text))
    for have, want in zip(on_device(device, text, inputs), on_host(text, inputs), strict=True):
        assert have.shape == want.shape
        assert have.dtype == want.dtype
        if want.dtype.kind == "f":
            scale = max(float(np.max(np.abs(want), initial=0)), 1e-6)
            assert float(np.max(np.abs(have - want), initial=0)) <= tolerance * scale
        else:
            np.testing.assert_array_equal(have, want)
