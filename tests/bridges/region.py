"""A region, written as text: its results on the host, op by op, and on a device."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from lite.ir.graph import Graph
from lite.ir.text import parse_graph
from lite.ir.types import Array
from lite.ops.infer_graph import infer_graph
from lite.plugin.device import CompiledModel, Device, Signature, meta_of
from lite.plugin.device.bridge_search import load_bridges_of
from lite.plugin.device.bridging import why_not
from tests.bridges.arrays import assert_close
from tests.support.interpreter.tensors import run_graph_on


def region(text: str) -> Graph:
    """A graph from text, with the shapes that follow from its arguments."""
    graph = parse_graph(text)
    infer_graph(graph)
    return graph


def signature_of(graph: Graph) -> Signature:
    """The metas of the graph's arguments."""
    return tuple(meta_of(arg) for arg in graph.args)


def reasons(device: Device[Any], text: str) -> list[str | None]:
    """Why a device cannot run each op of a region; None for an op that it can run."""
    graph = region(text)
    load_bridges_of(device, {node.op for node in graph})
    return [why_not(node, device) for node in graph]


def compiled(device: Device[Any], text: str) -> CompiledModel:
    """The model of a region."""
    graph = region(text)
    return device.compile(graph, signature_of(graph))


def on_device(device: Device[Any], text: str, inputs: Sequence[Array]) -> list[Array]:
    """The results of a region on a device; `inputs` are in the order of the arguments."""
    model, count = compiled(device, text), len(region(text).results)
    return [np.asarray(result) for result in model.run(inputs, [None] * count)]


def on_host(text: str, inputs: Sequence[Array]) -> list[Array]:
    """The results of a region, each op run by its host kernel; `inputs` are in the order of the arguments."""
    return run_graph_on(region(text), inputs)


def check(device: Device[Any], text: str, *inputs: Array, tolerance: float = 1e-3) -> None:
    """Assert that a device takes every op of a region, and that its results equal the host's."""
    assert reasons(device, text) == [None] * len(region(text))
    for result, expected in zip(on_device(device, text, inputs), on_host(text, inputs), strict=True):
        assert_close(result, expected, tolerance)
