"""The model of a region for any shape, which serves the signatures that have none of their own."""

from __future__ import annotations

import threading
from collections.abc import Callable

from lite.ir.clone import clone_graph
from lite.ir.graph import Graph
from lite.ops import Meta
from lite.ops.infer_graph import infer_metas
from lite.plan import Region
from lite.plugin.device import CompiledModel
from lite.runtime.regions.bound import BoundRegion
from lite.runtime.regions.single_flight import SingleFlight

Build = Callable[[Graph, "tuple[Meta, ...]", BoundRegion], CompiledModel]
"""Makes or loads a model of a graph for a signature, and notes on what asks for it how that went."""


class DynamicModel:
    """Built when it is first asked for; a device that cannot is not asked again."""

    def __init__(self, region: Region, build: Build) -> None:
        self._region = region
        self._build = build
        self._model: SingleFlight[CompiledModel] = SingleFlight()
        self._running = threading.Lock()

    def serve(self, bound: BoundRegion) -> None:
        """Have the model run a signature; raises `CompileError` where there is none."""
        try:
            bound.model = self._model.get(None, lambda: self._made(bound))
        finally:
            bound.state = "dynamic"
        bound.share(self._running)

    def _made(self, bound: BoundRegion) -> CompiledModel:
        graph = clone_graph(self._region.graph)
        metas = infer_metas(graph)
        return self._build(graph, tuple(metas[arg] for arg in graph.args), bound)
