"""Core ML with programs that the interpreter of the tests runs, so that the kit can compare results."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from lite.bridges.coreml.builder import Builder
from lite.bridges.coreml.device import Coreml
from lite.bridges.coreml.model import CoremlModel, _fed, _stored
from lite.bridges.coreml.sdk import quiet, sdk
from lite.ir.graph import Graph
from lite.ir.types import Array
from lite.plugin.device import Signature, convert, meta_of
from tests.bridges.coreml.mil_interpreter import run_program


class InterpretedModel(CoremlModel):
    """A program before its package is written."""

    def __init__(self, program: object, outputs: list[tuple[str, list[int]]]) -> None:
        super().__init__({}, outputs, "ALL")
        self.program = program

    def run(self, inputs: Sequence[Array], outputs: Sequence[Array | None]) -> list[Array]:
        """The interpreter's results."""
        results = run_program(self.program, [_fed(array) for array in inputs])
        return [
            _stored(result, dtype, shape, out)
            for result, (dtype, shape), out in zip(results, self._outputs, outputs, strict=True)
        ]


def compile_for_tests(device: Coreml, graph: Graph, signature: Signature) -> InterpretedModel:
    """Replaces `Coreml.compile`."""
    with quiet():
        builder = Builder(signature, getattr(sdk().tools.target, device.options.target))
        with builder.function:
            convert(graph, device, builder)
        program = builder.program()
    return InterpretedModel(program, [(str(m.dtype), list(m.sizes)) for m in map(meta_of, graph.results)])


@pytest.fixture
def interpreted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the interpreter run the programs."""
    monkeypatch.setattr(Coreml, "compile", compile_for_tests)
    monkeypatch.setattr(Coreml, "why_not_run", lambda _: None)
