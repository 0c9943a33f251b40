"""sim_npu: a make-believe accelerator, and the example of how to write a device.

The vendor's side is the folder ``sdk``.  This file is the device: whether it is there, what compiled
models depend on, how a region is compiled, kept and loaded.  The bridges, op by op, are the files
beside it; litebridge finds them by the ops that they name.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lite.bridges.sim_npu import limits
from lite.bridges.sim_npu.builder import Builder
from lite.bridges.sim_npu.faults import Faults, Injector
from lite.bridges.sim_npu.memory import NpuMemory
from lite.bridges.sim_npu.model import HandleModel, NpuModel
from lite.bridges.sim_npu.ops.fused_conv import FUSED_CONV
from lite.bridges.sim_npu.ops.fused_fully_connected import FUSED_FULLY_CONNECTED
from lite.ir.graph import Graph
from lite.plugin.device import Device, Limits, Memory, Settings, Signature, convert, device
from lite.plugin.pattern import Composite

if TYPE_CHECKING:
    from lite.bridges.sim_npu import sdk

NODES_OF_AN_OP = 4
"""The most nodes that one of our bridges adds."""


@dataclass(frozen=True)
class NpuOptions(Faults):
    """`cores` models run at once.  With `memory`, regions pass handles on instead of arrays.

    `max_ops` (a composite is one) and `max_inputs` make regions smaller than the hardware asks for.
    """

    cores: int = 1
    memory: bool = False
    max_ops: int = limits.NODES // NODES_OF_AN_OP
    max_inputs: int = limits.INPUTS


@device("sim_npu")
class SimNpu(Device[NpuOptions]):
    """The device, as opened with options."""

    Options = NpuOptions

    def __init__(self, options: NpuOptions, settings: Settings) -> None:
        super().__init__(options, settings)
        self.limits = Limits(
            ops=options.max_ops,
            weight_bytes=limits.WEIGHT_BYTES,
            inputs=options.max_inputs,
            outputs=limits.OUTPUTS,
        )
        self._faults = Injector(options)
        self._lock = threading.Lock()
        self._opened: sdk.Npu | None = None

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

        self._faults.at("convert")
        builder = Builder()
        convert(graph, self, builder)
        self._faults.building(graph)
        return self._loaded(sdk.compile(builder.graph))

    def load(self, blob: bytes) -> NpuModel:
        self._faults.at("load")
        return self._loaded(blob)

    def patterns(self) -> list[Composite]:
        return [FUSED_CONV, FUSED_FULLY_CONNECTED]

    def memory(self) -> Memory | None:
        return NpuMemory(self._npu.memory) if self.options.memory else None

    @property
    def _npu(self) -> sdk.Npu:
        """The hardware, opened once: regions may be compiled by several threads."""
        from lite.bridges.sim_npu import sdk

        with self._lock:
            if self._opened is None:
                self._opened = sdk.Npu(self.options.cores)
            return self._opened

    def _loaded(self, blob: bytes) -> NpuModel:
        kind = HandleModel if self.options.memory else NpuModel
        return kind(self._npu, blob, self._faults)
