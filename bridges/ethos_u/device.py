"""Arm's Ethos-U as a device that only builds: int8 regions by Vela."""

from __future__ import annotations

from collections.abc import Sequence

from lite.bridges.ethos_u.edges import edge_facts, integer_edges
from lite.bridges.ethos_u.limits import why_not_quantised, why_not_real
from lite.bridges.ethos_u.model import EthosUModel, read_model
from lite.bridges.ethos_u.vela import ACCELERATORS, compile_tflite, cpu_reasons, is_installed
from lite.dataclass import dataclass
from lite.emission.tflite.bridging import TfliteTarget
from lite.emission.tflite.builder import Builder
from lite.emission.tflite.graph import Operator, TfliteGraph
from lite.emission.tflite.writer import tflite_bytes
from lite.errors import CompileError
from lite.ir.graph import Graph
from lite.ir.types import DType, Layout
from lite.plugin.device import BridgeOp, Precision, Signature, convert, device

INT8 = Precision("int8", DType.INT8, DType.INT8, tolerance=5e-2)


@dataclass(frozen=True)
class EthosUOptions:
    """The options of ``ethos_u{…}``, which Vela documents.

    `accelerator` is ethos-u55-32 to -256, ethos-u65-256 or -512, ethos-u85-128 to -2048.  `system_config` and
    `memory_mode` name sections of Vela's configuration; empty are its defaults.  `optimise` is Performance or
    Size.
    """

    accelerator: str = "ethos-u55-128"
    system_config: str = ""
    memory_mode: str = ""
    optimise: str = "Performance"


@device("ethos_u")
class EthosU(TfliteTarget[EthosUOptions]):
    """Regions of int8 values; their inputs and outputs are integers, and their images have channels last."""

    Options = EthosUOptions
    takes_quantized = True
    edge_layout = Layout.NHWC
    precisions = (INT8,)

    def available(self) -> str | None:
        """Why Vela cannot compile here; None when it can."""
        options = self.options
        if options.accelerator not in ACCELERATORS:
            return f"accelerator: expected one of {', '.join(ACCELERATORS)}, got {options.accelerator!r}"
        if options.optimise not in ("Performance", "Size"):
            return f"optimise: expected Performance or Size, got {options.optimise!r}"
        return None if is_installed() else "ethos-u-vela is not installed; pip install 'litebridge[ethos-u]'"

    def why_not_run(self) -> str | None:
        """The NPU belongs to a microcontroller."""
        return "the Ethos-U belongs to a microcontroller; litebridge build writes its models"

    def version(self) -> str:
        """Vela and the options."""
        from importlib.metadata import version

        return f"ethos-u-vela {version('ethos-u-vela')}; {' '.join(self._arguments())}"

    def region_passes(self) -> Sequence[str]:
        """Sizes that the region computes from its inputs are numbers once the inputs' sizes are."""
        return ("constant_fold_pass", "reshape_sizes_fold_pass", "dead_code_elimination_pass")

    def why_not_form(self, op: BridgeOp) -> str | None:
        """Why an op does not compute in int8; None when it may."""
        return why_not_quantised(op)

    def why_not_operator(self, operator: Operator) -> str | None:
        """Operators are compared in the final graph: a trial has real numbers."""
        return None

    def compile(self, graph: Graph, signature: Signature) -> EthosUModel:
        """Vela's model; raises `CompileError` where an operator would stay on the CPU."""
        builder = Builder()
        convert(graph, self, builder)
        integers = integer_edges(builder.finished())
        _require_integers(integers)
        model = tflite_bytes(integers)
        compilation = compile_tflite(model, self._arguments())
        if compilation.on_cpu or not compilation.on_npu:
            reasons = cpu_reasons(compilation.report) or "no operator is left"
            raise CompileError(f"ethos_u: Vela leaves {compilation.on_cpu} operators to the CPU: {reasons}")
        edges = {"inputs": edge_facts(integers.inputs), "outputs": edge_facts(integers.outputs)}
        return EthosUModel.of(model, edges, compilation)

    def load(self, blob: bytes) -> EthosUModel:
        """The model that was stored."""
        return read_model(blob)

    def _arguments(self) -> list[str]:
        options = self.options
        given = {
            "--accelerator-config": options.accelerator,
            "--optimise": options.optimise,
            "--system-config": options.system_config,
            "--memory-mode": options.memory_mode,
        }
        return [word for name, value in given.items() if value for word in (name, value)]


def _require_integers(graph: TfliteGraph) -> None:
    for operator in graph.operators:
        reason = why_not_real(operator)
        if reason is not None:
            raise CompileError(f"ethos_u: {reason}")
