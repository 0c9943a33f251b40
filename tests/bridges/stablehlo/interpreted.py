"""XLA with functions that the interpreter of the tests runs, so that they need no compiler."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from lite.bridges.xla.device import Xla
from lite.emission.stablehlo.builder import Builder
from lite.emission.stablehlo.graph import StablehloGraph
from lite.ir.graph import Graph
from lite.ir.types import Array
from lite.plugin.device import CompiledModel, Signature, convert
from tests.bridges.stablehlo.interpreter import run_graph


class InterpretedModel(CompiledModel):
    """A function before it is written as text."""

    def __init__(self, graph: StablehloGraph) -> None:
        self.graph = graph

    def run(self, inputs: Sequence[Array], outputs: Sequence[Array | None]) -> list[Array]:
        """The interpreter's results."""
        results = [result.copy() for result in run_graph(self.graph, inputs)]
        for result, out in zip(results, outputs, strict=True):
            if out is not None:
                out[...] = result
        return [result if out is None else out for result, out in zip(results, outputs, strict=True)]


def compile_for_tests(device: Xla, graph: Graph, signature: Signature) -> InterpretedModel:
    """Replaces `Xla.compile`."""
    builder = Builder()
    convert(graph, device, builder)
    return InterpretedModel(builder.graph)


@pytest.fixture
def interpreted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the interpreter run the functions."""
    monkeypatch.setattr(Xla, "available", lambda _: None)
    monkeypatch.setattr(Xla, "version", lambda _: "interpreted")
    monkeypatch.setattr(Xla, "compile", compile_for_tests)
