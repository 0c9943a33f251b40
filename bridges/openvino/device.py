"""OpenVINO as a device: regions run on a plugin of Intel's runtime, by default the CPU plugin."""

from __future__ import annotations

import functools
from typing import Any

from lite.bridges.openvino.blob import unpack
from lite.bridges.openvino.builder import Builder
from lite.bridges.openvino.compiled import OpenvinoModel
from lite.dataclass import dataclass
from lite.errors import CompileError
from lite.ir.graph import Graph
from lite.ops import Trait, has_trait
from lite.plugin.device import BridgeOp, Device, Settings, Signature, convert, device
from lite.plugin.device.short_sums import has_short_sums, may_saturate

_CHOICES = {"precision": ("f32", "bf16", "f16"), "hint": ("LATENCY", "THROUGHPUT")}


@dataclass(frozen=True)
class OpenvinoOptions:
    """The options of ``openvino{…}``.

    `device` is a plugin of OpenVINO (CPU, GPU, GPU.1, NPU, AUTO, HETERO:GPU,CPU).  `precision` is the type it
    computes in; one below f32 takes effect only where the Config's precision is "default".  `hint` is LATENCY
    or THROUGHPUT, `streams` the number of inferences that run at once (0: OpenVINO chooses).  `pin` ties
    threads to cores, as OpenVINO does by default; then all models of few threads, clones included, run on the
    same first cores.  `cache_dir` is a folder for OpenVINO's own cache, in addition to the engine's.  On an
    x86 processor without VNNI, sums of OpenVINO's integer kernels may saturate in 16 bits: regions with
    weights that allow it run in float, unless `saturate` is set.
    """

    device: str = "CPU"
    precision: str = "f32"
    hint: str = "LATENCY"
    streams: int = 1
    pin: bool = False
    cache_dir: str = ""
    saturate: bool = False


@device("openvino")
class Openvino(Device[OpenvinoOptions]):
    """Regions as OpenVINO models, which share arrays with the engine.

    With the precision "default", OpenVINO computes with quantised values in integers.  With "strict", they
    are real numbers, which ops quantise and dequantise.
    """

    Options = OpenvinoOptions
    local_options = ("cache_dir",)
    dynamic_shapes = True

    def __init__(self, options: OpenvinoOptions, settings: Settings) -> None:
        super().__init__(options, settings)
        self.takes_quantized = settings.precision == "default"
        self.on_host_processor = not options.device.startswith(("GPU", "NPU"))

    def why_not_op(self, op: BridgeOp, name: str) -> str | None:
        """Two faults of OpenVINO 2026.4 with constants that it does not fold.

        It makes zeros of some quantised results of constants, and adds a bias that is no constant to the
        convolution of a constant image in place, in each run to the sum of the runs before.
        """
        constant = [slot for slot, values in op.node.inputs.items() if all(v.is_constant for v in values)]
        if constant and len(constant) == len(op.node.inputs):
            if any(value.quant is not None for value in op.node.all_outputs()):
                return "its inputs are constants and its result is quantised, which OpenVINO computes wrongly"
        elif "Input" in constant and has_trait(op.op, Trait.WINDOW):
            return "its image is constant, and OpenVINO would add the bias again in each run"
        return None

    def available(self) -> str | None:
        try:
            core = _core()
        except ImportError as error:
            return f"openvino is not installed ({error}); pip install 'litebridge[openvino]'"
        for name, choices in _CHOICES.items():
            value = getattr(self.options, name)
            if value not in choices:
                return f"{name}: expected one of {', '.join(choices)}, got {value!r}"
        present = core.available_devices
        missing = [name for name in _plugins(self.options.device) if not _is_among(name, present)]
        if missing:
            return (
                f"OpenVINO finds no device {', '.join(missing)} here; it has {', '.join(present) or 'none'}"
            )
        return None

    def version(self) -> str:
        core, name = _core(), self.options.device
        plugins = [
            f"{plugin} {core.get_property(plugin, 'FULL_DEVICE_NAME')}"
            for plugin in _plugins(name) or core.available_devices
        ]
        builds = [f"{key} {build.build_number}" for key, build in core.get_versions(name).items()]
        return "; ".join(("openvino", name, *plugins, *builds))

    def compile(self, graph: Graph, signature: Signature) -> OpenvinoModel:
        builder = Builder()
        convert(graph, self, builder)
        properties = self._properties()
        if self._may_saturate(graph):
            properties["LP_TRANSFORMS_MODE"] = False
        try:
            compiled = _core().compile_model(builder.model(), self.options.device, properties)
        except RuntimeError as error:
            raise CompileError(f"openvino: compiling a region of {len(graph)} ops failed: {error}") from error
        return OpenvinoModel(compiled, builder.constants)

    def load(self, blob: bytes) -> OpenvinoModel:
        import numpy as np
        import openvino

        exported = np.array(unpack(blob))
        tensor = openvino.Tensor(exported, shared_memory=True)
        try:
            compiled = _core().import_model(tensor, self.options.device, self._properties())
        except RuntimeError as error:
            raise CompileError(f"openvino: a stored model cannot be loaded: {error}") from error
        return OpenvinoModel(compiled, exported=exported)

    def _may_saturate(self, graph: Graph) -> bool:
        is_cpu = _plugins(self.options.device) == ["CPU"]
        return is_cpu and not self.options.saturate and has_short_sums() and may_saturate(graph)

    def _properties(self) -> dict[str, Any]:
        """The plugin's properties; the precision is always set, as the CPU plugin would choose bfloat16."""
        options, settings = self.options, self.settings
        precision = options.precision if settings.precision == "default" else "f32"
        properties: dict[str, Any] = {
            "INFERENCE_PRECISION_HINT": precision,
            "PERFORMANCE_HINT": options.hint,
        }
        if options.streams:
            properties["NUM_STREAMS"] = options.streams
        if _plugins(options.device) == ["CPU"]:
            properties["INFERENCE_NUM_THREADS"] = settings.threads
            properties["ENABLE_CPU_PINNING"] = options.pin
            # Otherwise real inputs of products with weights of bytes are rounded to bytes, too.
            properties["DYNAMIC_QUANTIZATION_GROUP_SIZE"] = 0
        if options.cache_dir:
            properties["CACHE_DIR"] = options.cache_dir
        return properties


@functools.cache
def _core() -> Any:
    """The process's `openvino.Core`, which loads each plugin once."""
    import openvino

    return openvino.Core()


def _plugins(device: str) -> list[str]:
    """The plugins that a device name lists; none for AUTO alone, which chooses among all."""
    mode, colon, names = device.partition(":")
    if colon:
        return [name.strip().lstrip("-") for name in names.split(",")]
    return [] if mode in ("AUTO", "HETERO", "MULTI") else [device]


def _is_among(name: str, present: list[str]) -> bool:
    return any(name in (entry, entry.partition(".")[0]) for entry in present)
