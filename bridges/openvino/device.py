"""OpenVINO as a device: regions run on a plugin of Intel's runtime, on the CPU where no other is named."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any

from lite.bridges.openvino.blob import unpacked
from lite.bridges.openvino.builder import Builder
from lite.bridges.openvino.compiled import OpenvinoModel
from lite.errors import CompileError
from lite.ir.graph import Graph
from lite.plugin.device import Device, Signature, convert, device

_CHOICES = {"precision": ("f32", "bf16", "f16"), "hint": ("LATENCY", "THROUGHPUT")}


@dataclass(frozen=True)
class Options:
    """What ``openvino{…}`` takes.

    `device` is a plugin of OpenVINO's (CPU, GPU, GPU.1, NPU, AUTO, HETERO:GPU,CPU).  `precision` is what it
    computes in; a lower one than f32 counts only where the Config's precision is "default".  `hint` is
    LATENCY or THROUGHPUT, `streams` how many inferences run at once (0: OpenVINO chooses).  `pin` ties
    threads to cores, as OpenVINO would by default: every model of few threads, that of each clone too, then
    sits on the same first cores.  `cache_dir` is a directory for OpenVINO's own cache, beside the engine's.
    """

    device: str = "CPU"
    precision: str = "f32"
    hint: str = "LATENCY"
    streams: int = 1
    pin: bool = False
    cache_dir: str = ""


@device("openvino")
class Openvino(Device[Options]):
    """Regions as OpenVINO models; arrays are shared both ways."""

    Options = Options
    dynamic_shapes = True

    def available(self) -> str | None:
        try:
            core = _core()
        except ImportError as error:
            return f"openvino is not installed ({error}); pip install litebridge[openvino]"
        for name, known in _CHOICES.items():
            given = getattr(self.options, name)
            if given not in known:
                return f"{name}: expected one of {', '.join(known)}, got {given!r}"
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
        builds = [f"{key} {found.build_number}" for key, found in core.get_versions(name).items()]
        return "; ".join(("openvino", name, *plugins, *builds))

    def compile(self, graph: Graph, signature: Signature) -> OpenvinoModel:
        builder = Builder()
        convert(graph, self, builder)
        try:
            compiled = _core().compile_model(builder.model(), self.options.device, self._properties())
        except RuntimeError as error:
            raise CompileError(f"openvino: compiling a region of {len(graph)} ops failed: {error}") from error
        return OpenvinoModel(compiled, builder.constants)

    def load(self, blob: bytes) -> OpenvinoModel:
        import numpy as np
        import openvino

        exported = np.array(unpacked(blob))
        tensor = openvino.Tensor(exported, shared_memory=True)
        try:
            compiled = _core().import_model(tensor, self.options.device, self._properties())
        except RuntimeError as error:
            raise CompileError(f"openvino: a kept model cannot be loaded: {error}") from error
        return OpenvinoModel(compiled, exported=exported)

    def _properties(self) -> dict[str, Any]:
        """The plugin would compute in bfloat16 by itself where the CPU can: the precision is always said."""
        options, settings = self.options, self.settings
        precision = options.precision if settings.precision == "default" else "f32"
        found: dict[str, Any] = {
            "INFERENCE_PRECISION_HINT": precision,
            "PERFORMANCE_HINT": options.hint,
        }
        if options.streams:
            found["NUM_STREAMS"] = options.streams
        if _plugins(options.device) == ["CPU"]:
            found["INFERENCE_NUM_THREADS"] = settings.threads
            found["ENABLE_CPU_PINNING"] = options.pin
        if options.cache_dir:
            found["CACHE_DIR"] = options.cache_dir
        return found


@functools.cache
def _core() -> Any:
    """One for the process: plugins are loaded once."""
    import openvino

    return openvino.Core()


def _plugins(device: str) -> list[str]:
    """The plugins that a device name asks for; none for AUTO alone, which takes what there is."""
    front, colon, behind = device.partition(":")
    if colon:
        return [name.strip().lstrip("-") for name in behind.split(",")]
    return [] if front in ("AUTO", "HETERO", "MULTI") else [device]


def _is_among(name: str, present: list[str]) -> bool:
    return any(name == found or name == found.partition(".")[0] for found in present)
