"""A region compiled by Vela, for the runtime of a microcontroller."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Mapping, Sequence

from lite.bridges.ethos_u.vela import Compilation
from lite.errors import CompileError, ExecutionError
from lite.ir.types import Array
from lite.plugin.device import CompiledModel, Evidence
from lite.plugin.device.stored_files import read_files

_FACTS = "litebridge.json"


class EthosUModel(CompiledModel):
    """Vela's files: its model and summary, the model before, and the quantisation of inputs and outputs."""

    def __init__(self, files: Mapping[str, bytes], on_npu: int, on_cpu: int) -> None:
        self._files = files
        self._placed = on_npu, on_cpu

    @classmethod
    def of(cls, model: bytes, edges: Mapping[str, object], compilation: Compilation) -> EthosUModel:
        """The files of a compilation."""
        files = {
            "region_vela.tflite": compilation.model,
            "region.tflite": model,
            "edges.json": json.dumps(edges, indent=1).encode(),
            "summary.json": json.dumps(compilation.summary, indent=1).encode(),
            "report.txt": compilation.report.encode(),
        }
        return cls(files, compilation.on_npu, compilation.on_cpu)

    def run(self, inputs: Sequence[Array], outputs: Sequence[Array | None]) -> list[Array]:
        """Raises `ExecutionError`: the NPU belongs to a microcontroller."""
        raise ExecutionError("ethos_u: the model runs on a microcontroller, not here")

    def files(self) -> Mapping[str, bytes]:
        """Vela's files, and what the caller needs to know about inputs and outputs."""
        return self._files

    def evidence(self) -> Evidence:
        """Vela's count of operators."""
        on_npu, on_cpu = self._placed
        return Evidence("Vela", on_npu, [f"{on_cpu} operators on the CPU"] if on_cpu else [])

    def serialize(self) -> bytes:
        """The files as one archive."""
        memory = io.BytesIO()
        with zipfile.ZipFile(memory, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr(_FACTS, json.dumps(self._placed))
            for name, content in self._files.items():
                archive.writestr(name, content)
        return memory.getvalue()


def read_model(blob: bytes) -> EthosUModel:
    """The model that `EthosUModel.serialize` stored; raises `CompileError` for other bytes."""
    try:
        files = read_files(blob)
        on_npu, on_cpu = json.loads(files.pop(_FACTS))
        return EthosUModel(files, int(on_npu), int(on_cpu))
    except (KeyError, ValueError, TypeError) as error:
        raise CompileError(
            f"ethos_u: expected a stored model, got {len(blob)} other bytes: {error}"
        ) from error
