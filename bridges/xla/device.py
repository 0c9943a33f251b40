"""XLA as a device: regions run as StableHLO that JAX compiles."""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence

from lite.bridges.xla.blob import Program, unpack
from lite.bridges.xla.compiled import XlaModel
from lite.bridges.xla.executable import executable, platform_device, sdk_version
from lite.dataclass import dataclass
from lite.emission.stablehlo.bridging import SHARED
from lite.emission.stablehlo.builder import Builder
from lite.emission.stablehlo.text import mlir_text
from lite.ir.graph import Graph
from lite.plugin.device import Device, Settings, Signature, convert, device

CPU = "cpu"


@dataclass(frozen=True)
class XlaOptions:
    """The options of ``xla{…}``.

    `platform` is JAX's name of the kind of chip: cpu, cuda, rocm or tpu; all but cpu need a plug-in of JAX.
    `number` is that of the chip, from 0 on.
    """

    platform: str = CPU
    number: int = 0


@device("xla")
class Xla(Device[XlaOptions]):
    """Regions of fixed sizes as StableHLO, in float32."""

    Options = XlaOptions
    shared_bridges = SHARED

    def __init__(self, options: XlaOptions, settings: Settings) -> None:
        super().__init__(options, settings)
        self.on_host_processor = options.platform == CPU

    def available(self) -> str | None:
        for package in ("jax", "jaxlib"):
            if importlib.util.find_spec(package) is None:
                return f"package {package} is not installed; pip install 'litebridge[xla]'"
        if self.options.number < 0:
            return f"number: expected 0 or more, got {self.options.number}; 0 is the first chip"
        if self.options.platform == CPU and not self.options.number:
            return None
        try:
            platform_device(self.options.platform, self.options.number)
        except RuntimeError as error:
            return f"JAX cannot use {self.options.platform}: {error}; install its plug-in of JAX"
        return None

    def version(self) -> str:
        # Not the platform: a stored model is StableHLO, which every platform compiles.
        return sdk_version()

    def region_passes(self) -> Sequence[str]:
        # Sizes that the region computes from its inputs are numbers once the inputs' sizes are.
        return ("constant_fold_pass", "reshape_sizes_fold_pass", "dead_code_elimination_pass")

    def compile(self, graph: Graph, signature: Signature) -> XlaModel:
        builder = Builder()
        convert(graph, self, builder)
        inputs, outputs = (
            tuple((tensor.dtype, tensor.shape) for tensor in each)
            for each in (builder.graph.inputs, builder.graph.outputs)
        )
        return self._opened(Program(mlir_text(builder.graph), inputs, outputs))

    def load(self, blob: bytes) -> XlaModel:
        return self._opened(unpack(blob))

    def _opened(self, program: Program) -> XlaModel:
        options: dict[str, bool] = {}
        if self.options.platform == CPU:
            options["xla_cpu_multi_thread_eigen"] = self.settings.threads > 1
        target = platform_device(self.options.platform, self.options.number)
        return XlaModel(program, executable(program, target, options))
