"""The compiled model of a probe model, run without litebridge's runtime."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from lite.config import Config
from lite.errors import CompileError
from lite.io.load import load_program
from lite.ir.clone import clone_graph
from lite.ir.types import Array
from lite.ops import Meta
from lite.ops.infer_graph import infer_metas
from lite.plan import Plan, Region
from lite.plugin.boundary import at_boundary
from lite.plugin.device import CompiledModel, Device, meta_of
from lite.runtime.regions.device_tensor import DeviceTensor
from lite.session.build import optimize
from lite.tools.conformance.device_under_test import DeviceUnderTest

Run = Callable[[Array], "list[Array]"]


def compile_probe(device: DeviceUnderTest) -> tuple[Device[Any], CompiledModel, tuple[Meta, ...]]:
    """The device, the compiled first region of the probe model, and the metas of its results."""
    region = _first_region(device.model, device.text)
    graph = clone_graph(region.graph)
    infer_metas(graph)
    signature = tuple(meta_of(arg) for arg in graph.args)
    model = at_boundary(device.name, "compiling", lambda: region.device.compile(graph, signature))
    return region.device, model, tuple(meta_of(value) for value in graph.results)


def probe_runner(device: DeviceUnderTest) -> Run:
    """A function that runs the compiled model on an image and returns the device's own results."""
    opened, model, metas = compile_probe(device)
    memory = at_boundary(device.name, "asking for its memory", opened.memory)

    def run(x: Array) -> list[Array]:
        outputs = [None] * len(metas)
        if memory is None:
            return list(model.run([x], outputs))
        handles = model.run([DeviceTensor.of(memory, x).handle], outputs)
        return [DeviceTensor(memory, *result).array() for result in zip(handles, metas, strict=True)]

    return lambda x: at_boundary(device.name, "running", lambda: run(x), running=True)


def _first_region(model: Path, device: str) -> Region:
    """The first region of a model; raises `CompileError` if the device supports no op."""
    config = Config(model, devices=[device], min_subgraph_ops=1)
    plan = optimize(load_program(config), config).built(config).plan
    region = next(_regions(plan), None)
    if region is None:
        raise CompileError(f"{device} supports no op of {model}")
    return region


def _regions(plan: Plan) -> Iterator[Region]:
    """The regions of a plan and of the plans in its blocks, in running order."""
    for item in plan.instructions:
        if item.region is not None:
            yield item.region
        for block in item.blocks:
            yield from _regions(block)
