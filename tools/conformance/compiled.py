"""The compiled model of a probe by itself, without the engine around it."""

from __future__ import annotations

from collections.abc import Callable

from lite.ir.clone import clone_graph
from lite.ir.types import Array
from lite.ops import Meta
from lite.ops.infer_graph import infer_metas
from lite.plugin.boundary import at_boundary
from lite.plugin.device import CompiledModel, Device, meta_of
from lite.runtime.regions.device_tensor import DeviceTensor
from lite.tools.conformance.region_of import region_of
from lite.tools.conformance.workbench import Workbench

Run = Callable[[Array], "list[Array]"]


def compiled_model(bench: Workbench) -> tuple[Device[object], CompiledModel, tuple[Meta, ...]]:
    """The device, its model of the probe's first region, and the metas of what that returns."""
    region = region_of(bench.model, bench.text)
    graph = clone_graph(region.graph)
    infer_metas(graph)
    signature = tuple(meta_of(arg) for arg in graph.args)
    model = at_boundary(bench.name, "compiling", lambda: region.device.compile(graph, signature))
    return region.device, model, tuple(meta_of(value) for value in graph.results)


def compiled(bench: Workbench) -> Run:
    """Runs the model on an image; what it returns lies where the device left it."""
    device, model, metas = compiled_model(bench)
    memory = at_boundary(bench.name, "asking for its memory", device.memory)

    def run(x: Array) -> list[Array]:
        outputs = [None] * len(metas)
        if memory is None:
            return list(model.run([x], outputs))
        handles = model.run([DeviceTensor.of(memory, x).handle], outputs)
        return [DeviceTensor(memory, *found).array() for found in zip(handles, metas, strict=True)]

    return lambda x: at_boundary(bench.name, "running", lambda: run(x), running=True)
