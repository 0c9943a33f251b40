"""Sophgo's TPUs as a device: TpuLang compiles regions, and the cmodel, a simulator of the chip, runs them."""

from __future__ import annotations

import importlib.metadata
import importlib.util
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from lite.bridges.tpu.builder import Builder
from lite.bridges.tpu.compiled import TpuModel
from lite.bridges.tpu.libraries import library_path
from lite.bridges.tpu.limits import require_sizes
from lite.dataclass import dataclass
from lite.ir.graph import Graph
from lite.plugin.device import (
    BFLOAT16,
    FLOAT16,
    FLOAT32,
    Device,
    Settings,
    Signature,
    WorkerEnvironment,
    convert,
    device,
)

SDK = "1.30.2"
"""The version of tpu_mlir that the bridges were tested with."""

CHIPS = ("BM1684X", "BM1688")
PRECISIONS = {"f32": FLOAT32, "f16": FLOAT16, "bf16": BFLOAT16}


@dataclass(frozen=True)
class TpuOptions:
    """The options of ``tpu{…}``.

    `chip` is BM1684X or BM1688.  `precision` is the type it computes in: f32, f16 or bf16; one below f32
    takes effect only where the Config's precision is "default".  `optimization` is TPU-MLIR's: 0 keeps
    layers apart, 2 groups most.
    """

    chip: str = "BM1684X"
    precision: str = "f32"
    optimization: int = 2


@device("tpu")
class Tpu(Device[TpuOptions]):
    """Regions as bmodels, built and run in a worker with Python 3.10."""

    Options = TpuOptions
    on_host_processor = True  # TPU-MLIR's simulator
    environment = WorkerEnvironment("3.10", Path(__file__).with_name("requirements.txt"))

    def __init__(self, options: TpuOptions, settings: Settings) -> None:
        super().__init__(options, settings)
        # The chip has no infinities in some functions: the square root of a negative number is a number.
        self.precisions = (replace(PRECISIONS.get(self._precision, FLOAT32), infinities=False),)

    def available(self) -> str | None:
        for name, value, choices in (
            ("chip", self.options.chip, CHIPS),
            ("precision", self.options.precision, PRECISIONS),
            ("optimization", self.options.optimization, (0, 1, 2)),
        ):
            if value not in choices:
                return f"{name}: expected one of {', '.join(map(str, choices))}, got {value!r}"
        if importlib.util.find_spec("tpu_mlir") is None:
            return "tpu_mlir is not in its environment: litebridge devices install tpu --again"
        version = importlib.metadata.version("tpu_mlir")
        if version != SDK:
            return f"expected tpu_mlir {SDK}, got {version}: litebridge devices install tpu --again"
        return None

    def version(self) -> str:
        return f"tpu_mlir {importlib.metadata.version('tpu_mlir')}, {self.options.chip}, {self._precision}"

    def compile(self, graph: Graph, signature: Signature) -> TpuModel:
        require_sizes(graph)
        builder = Builder(self.options.chip)
        convert(graph, self, builder)
        return builder.compile(self._precision, self.options.optimization)

    def load(self, blob: bytes) -> TpuModel:
        return TpuModel.load(blob)

    def worker_variables(self, packages: Path, folder: Path) -> Mapping[str, str]:
        path = library_path(packages / "tpu_mlir", folder / "libraries", self.options.chip)
        return {"LD_LIBRARY_PATH": path, "OMP_NUM_THREADS": str(self.settings.threads), "TMPDIR": str(folder)}

    @property
    def _precision(self) -> str:
        return self.options.precision if self.settings.precision == "default" else "f32"
