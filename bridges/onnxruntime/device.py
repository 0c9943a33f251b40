"""ONNX Runtime as a device."""

from __future__ import annotations

import importlib.util
import platform
import re
import tempfile
import weakref
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from lite.bridges.onnxruntime.blob import packed, unpacked
from lite.bridges.onnxruntime.bridging import OPSET, OnnxTarget
from lite.bridges.onnxruntime.builder import Builder, OnnxNode
from lite.bridges.onnxruntime.kernel_types import CPU, why_no_kernel, why_no_types
from lite.bridges.onnxruntime.model import make_model
from lite.bridges.onnxruntime.session import SHAPES, Session, shapes_text
from lite.errors import CompileError, ConfigError
from lite.ir.graph import Graph
from lite.plugin.boundary import at_boundary
from lite.plugin.device import CompiledModel, Signature, convert, device, meta_of

if TYPE_CHECKING:
    import onnxruntime as ort

_QUIET = 4
"""Log nothing: errors are raised as well, and that an optimised model fits this processor is known here."""

_OPTION = re.compile(r"[^=\s]+=.*")


@dataclass(frozen=True)
class Options:
    """provider: the execution provider that runs the region, as ONNX Runtime calls it.
    provider_options: what that provider is told, each as ``key=value``.
    optimization: how far ONNX Runtime optimises its graph.

    Raises `ConfigError` for a provider option of another form.
    """

    provider: str = CPU
    provider_options: tuple[str, ...] = ()
    optimization: Literal["disable", "basic", "extended", "all"] = "all"

    def __post_init__(self) -> None:
        wrong = [text for text in self.provider_options if not _OPTION.fullmatch(text)]
        if wrong:
            raise ConfigError(f"onnxruntime: provider_options: expected key=value, got {wrong[0]!r}")

    @property
    def told(self) -> dict[str, str]:
        """The provider's options by key."""
        return dict(text.split("=", 1) for text in self.provider_options)


@device("onnxruntime")
class OnnxRuntime(OnnxTarget[Options]):
    """Regions as ONNX models, run by one execution provider.

    All of a region runs on the provider that was asked for, or it is not compiled: ONNX Runtime would
    quietly let its CPU provider help out.  Float32 is computed as such in either precision.
    """

    Options = Options
    dynamic_shapes = True

    def available(self) -> str | None:
        for package in ("onnxruntime", "onnx"):
            if importlib.util.find_spec(package) is None:
                return f"package {package} is not installed; pip install litebridge[onnxruntime]"
        import onnxruntime as ort

        known = ort.get_available_providers()
        if self.options.provider not in known:
            return f"this onnxruntime has no {self.options.provider}; it has {', '.join(known)}"
        return None

    def version(self) -> str:
        import onnxruntime as ort

        optimised_for = f"{platform.machine()} {_processor()}"
        return (
            f"onnxruntime {ort.__version__}, {self.options.provider} {self.options.told}, opset {OPSET}, "
            f"{self.options.optimization}, {optimised_for}"
        )

    def compile(self, graph: Graph, signature: Signature) -> CompiledModel:
        builder = Builder(OPSET)
        convert(graph, self, builder)
        results = [meta_of(value) for value in graph.results]
        builder.describe_outputs(results)
        proto = make_model(builder)
        proto.metadata_props.add(key=SHAPES, value=shapes_text(results))
        model = proto.SerializeToString()
        with tempfile.TemporaryDirectory(prefix="litebridge-") as folder:
            source, optimised = Path(folder, "model.onnx"), Path(folder, "optimised.onnx")
            source.write_bytes(model)
            session = self._session(source, self.options.optimization, optimised)
            # The file lives on without a name, until the model is gone or was asked for it.
            file = optimised.open("rb") if optimised.is_file() else None

        def blob() -> bytes:
            if file is None:
                raise CompileError(f"{self.options.provider} wrote no optimised model")
            file.seek(0)
            return packed(file.read())

        compiled = Session(session, blob)
        if file is not None:
            weakref.finalize(compiled, file.close)
        return compiled

    def load(self, blob: bytes) -> CompiledModel:
        model = unpacked(blob)
        with tempfile.TemporaryDirectory(prefix="litebridge-") as folder:
            source = Path(folder, "model.onnx")
            source.write_bytes(model)
            return Session(self._session(source, "disable"), lambda: blob)

    def why_not_node(self, node: OnnxNode) -> str | None:
        """Why ONNX, or its CPU provider where that is to run it, cannot have a node."""
        if (
            node.op_type == "RoiAlign"
            and node.attributes["mode"] == "max"
            and node.attributes["sampling_ratio"] != 1
        ):
            return "ONNX Runtime adds up the samples of which the largest is wanted"
        reason = why_no_types(node, OPSET)
        return why_no_kernel(node, OPSET) if reason is None and self.options.provider == CPU else reason

    def _session(self, source: Path, optimization: str, write_to: Path | None = None) -> ort.InferenceSession:
        import onnxruntime as ort

        levels = {
            "disable": ort.GraphOptimizationLevel.ORT_DISABLE_ALL,
            "basic": ort.GraphOptimizationLevel.ORT_ENABLE_BASIC,
            "extended": ort.GraphOptimizationLevel.ORT_ENABLE_EXTENDED,
            "all": ort.GraphOptimizationLevel.ORT_ENABLE_ALL,
        }
        options = ort.SessionOptions()
        options.graph_optimization_level = levels[optimization]
        options.intra_op_num_threads = self.settings.threads
        options.inter_op_num_threads = 1
        options.log_severity_level = _QUIET
        if write_to is not None:
            options.optimized_model_filepath = str(write_to)
        provider = self.options.provider
        if provider != CPU:
            # Otherwise nodes that the provider does not take would run on the CPU, and nobody would know.
            options.add_session_config_entry("session.disable_cpu_ep_fallback", "1")
        wanted = [(provider, self.options.told)]
        session = at_boundary(
            self.name,
            f"making a session on {provider}",
            lambda: ort.InferenceSession(source, options, providers=wanted, enable_fallback=0),
        )
        if session.get_providers()[0] != provider:
            raise CompileError(
                f"ONNX Runtime runs the model on {session.get_providers()} instead of {provider}"
            )
        return session


def _processor() -> str:
    """What an optimised model depends on: kernels are chosen by what the processor can do."""
    cpuinfo = Path("/proc/cpuinfo")
    if not cpuinfo.is_file():
        return platform.processor()
    lines = cpuinfo.read_text(encoding="utf-8").splitlines()
    flags: Sequence[str] = [
        line.partition(":")[2] for line in lines if line.startswith(("flags", "Features"))
    ]
    return " ".join(sorted(set(flags[0].split()) & _FLAGS)) if flags else platform.processor()


_FLAGS = {
    "avx",
    "avx2",
    "avx512f",
    "avx512_vnni",
    "avx_vnni",
    "amx_tile",
    "asimd",
    "asimddp",
    "i8mm",
    "bf16",
    "sve",
}
