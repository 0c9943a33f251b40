"""sim_npu: a simulated accelerator, and the example of how to write a device.

The folder ``sdk`` is the vendor's side.  This file is the device: whether it is available, what compiled
models depend on, how a region is compiled and loaded.  The bridges are the files in ``ops``, which the loader
finds by the ops that they name.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from lite.bridges.sim_npu import limits
from lite.bridges.sim_npu.builder import Builder
from lite.bridges.sim_npu.faults import Faults, Injector
from lite.bridges.sim_npu.int8_builder import Int8Builder
from lite.bridges.sim_npu.int8_limits import why_not_int8
from lite.bridges.sim_npu.memory import NpuMemory
from lite.bridges.sim_npu.model import HandleModel, NpuGroup, NpuModel
from lite.bridges.sim_npu.ops.convolution_fused import FUSED_CONV
from lite.bridges.sim_npu.ops.matmul_fused import FUSED_FULLY_CONNECTED
from lite.dataclass import dataclass
from lite.ir.graph import Graph
from lite.plugin.device import (
    BridgeOp,
    Device,
    Limits,
    LocalMemory,
    Memory,
    Settings,
    Signature,
    convert,
    device,
)
from lite.plugin.kernel.owned_lock import OwnedLock
from lite.plugin.pattern import Composite

if TYPE_CHECKING:
    from lite.bridges.sim_npu import sdk

NODES_OF_AN_OP = 4
"""The largest number of nodes that one bridge adds."""


@dataclass(frozen=True)
class NpuOptions(Faults):
    """`cores` models run at once.  With `memory`, regions exchange handles instead of arrays.

    `max_ops` (a composite counts as one) and `max_inputs` set limits of a region below the hardware's.
    `local_bytes` is the size of the chip's local memory, in which each tensor of a region takes a multiple of
    64 bytes; 0 for a chip without one.
    With `types` int8, the chip computes in integers only: it takes values that are quantised, in the model or
    by `Config.recipe`.
    """

    cores: int = 1
    memory: bool = False
    max_ops: int = limits.NODES // NODES_OF_AN_OP
    max_inputs: int = limits.INPUTS
    local_bytes: int = 0
    types: Literal["float32", "int8"] = "float32"


@device("sim_npu")
class SimNpu(Device[NpuOptions]):
    """The device, as opened with options."""

    Options = NpuOptions
    shares_weights = True

    def __init__(self, options: NpuOptions, settings: Settings) -> None:
        super().__init__(options, settings)
        self.limits = Limits(
            ops=options.max_ops,
            weight_bytes=limits.WEIGHT_BYTES,
            inputs=options.max_inputs,
            outputs=limits.OUTPUTS,
            memory_bytes=limits.MEMORY_BYTES,
            local_memory=LocalMemory(options.local_bytes, alignment=64) if options.local_bytes else None,
        )
        self.takes_quantized = self.stored_edges = options.types == "int8"
        self._faults = Injector(options)
        self._lock = OwnedLock()
        self._hardware: sdk.Npu | None = None

    def available(self) -> str | None:
        """None: the SDK comes with litebridge.  A real device looks for its SDK and its hardware."""
        if self.options.fail_at == "available":
            return "no SimNPU is plugged in (asked for by fail_at=available)"
        return None

    def version(self) -> str:
        from lite.bridges.sim_npu import sdk

        return f"SimNPU SDK {self.options.sdk_version or sdk.version()}"

    def compile(self, graph: Graph, signature: Signature) -> NpuModel:
        from lite.bridges.sim_npu import sdk

        return self._load(sdk.compile(self._converted(graph)))

    def compile_all(self, parts: Sequence[tuple[Graph, Signature]]) -> NpuGroup:
        from lite.bridges.sim_npu import sdk

        return self._load_all(sdk.compile_all([self._converted(graph) for graph, _ in parts]))

    def _converted(self, graph: Graph) -> sdk.Graph:
        self._faults.at("convert")
        if self.options.types == "int8":
            return self._converted_int8(graph)
        builder = Builder()
        convert(graph, self, builder)
        self._faults.at_compile(graph)
        return builder.graph

    def _converted_int8(self, graph: Graph) -> sdk.Graph:
        builder = Int8Builder()
        convert(graph, self, builder)
        self._faults.at_compile(graph)
        return builder.graph

    def why_not_op(self, op: BridgeOp, name: str) -> str | None:
        return why_not_int8(op, name) if self.options.types == "int8" else None

    def load(self, blob: bytes) -> NpuModel:
        self._faults.at("load")
        return self._load(blob)

    def load_all(self, blob: bytes) -> NpuGroup:
        self._faults.at("load")
        return self._load_all(blob)

    def patterns(self) -> list[Composite]:
        return [FUSED_CONV, FUSED_FULLY_CONNECTED]

    def memory(self) -> Memory | None:
        return NpuMemory(self._npu.memory) if self.options.memory else None

    @property
    def _npu(self) -> sdk.Npu:
        """The hardware, opened once: several threads may compile regions."""
        from lite.bridges.sim_npu import sdk

        with self._lock:
            if self._hardware is None:
                self._hardware = sdk.Npu(self.options.cores)
            return self._hardware

    def _load(self, blob: bytes) -> NpuModel:
        return self._opened(self._npu.load(blob), blob)

    def _load_all(self, blob: bytes) -> NpuGroup:
        return NpuGroup([self._opened(model) for model in self._npu.load_all(blob)], blob)

    def _opened(self, model: sdk.Model, blob: bytes | None = None) -> NpuModel:
        kind = HandleModel if self.options.memory else NpuModel
        return kind(self._npu, model, self._faults, blob)
