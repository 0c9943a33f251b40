"""One operator as a whole program: built, compiled, loaded and run in the device's memory."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np
import pytest

from lite.bridges.sim_npu import sdk
from lite.ir.types import Array


def graph_of(kind: str, *arrays: Array, constants: Collection[int] = (), **attributes: Any) -> sdk.Graph:
    """A graph of one node; the arrays at `constants` are constants, the others inputs."""
    graph = sdk.Graph()
    tensors = [
        graph.constant(f"c{n}", array)
        if n in constants
        else graph.input(f"x{n}", array.shape, array.dtype.name)
        for n, array in enumerate(arrays)
    ]
    for n, output in enumerate(graph.add(kind, *tensors, **attributes)):
        graph.output(f"y{n}", output)
    return graph


def execute(graph: sdk.Graph, *arrays: Array) -> list[Array]:
    """The outputs of a graph; checks that all of the device's memory is free again."""
    npu = sdk.Npu()
    model = npu.load(sdk.compile(graph))
    sources = [npu.memory.allocate(array.nbytes) for array in arrays]
    for source, array in zip(sources, arrays, strict=True):
        npu.memory.copy_in(source, array)
    results = [np.empty(type_.shape, type_.dtype) for type_ in model.output_types]
    targets = [npu.memory.allocate(result.nbytes) for result in results]
    model.execute(sources, targets)
    for target, result in zip(targets, results, strict=True):
        npu.memory.copy_out(target, result)
    npu.memory.free_all([*sources, *targets])
    model.unload()
    assert npu.memory.used == 0
    return results


def run(kind: str, *arrays: Array, constants: Collection[int] = (), **attributes: Any) -> list[Array]:
    """The outputs of an operator."""
    graph = graph_of(kind, *arrays, constants=constants, **attributes)
    return execute(graph, *(array for n, array in enumerate(arrays) if n not in constants))


def refusal(kind: str, *arrays: Array, constants: Collection[int] = (), **attributes: Any) -> str:
    """The error of an operator that the builder refuses."""
    with pytest.raises(sdk.NpuError) as caught:
        graph_of(kind, *arrays, constants=constants, **attributes)
    return str(caught.value)
