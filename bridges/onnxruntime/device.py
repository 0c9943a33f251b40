"""ONNX Runtime as a device."""

from __future__ import annotations

import importlib.util
import platform
import re
import tempfile
import weakref
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from lite.bridges.onnxruntime.blob import pack, unpack
from lite.bridges.onnxruntime.integer_sums import why_not_sums
from lite.bridges.onnxruntime.kernel_types import CPU, why_not_kernel
from lite.bridges.onnxruntime.optimizers import harmful_optimizers
from lite.dataclass import dataclass
from lite.emission.onnx.bridging import OPSET, OnnxTarget
from lite.emission.onnx.builder import OnnxNode
from lite.emission.onnx.model import make_model
from lite.emission.onnx.node_types import why_not_types
from lite.emission.onnx.quantized_builder import QuantizedOnnxBuilder
from lite.emission.onnx.session import SHAPES, Session, shapes_text
from lite.errors import CompileError, ConfigError
from lite.ir.graph import Graph
from lite.plugin.boundary import at_boundary
from lite.plugin.device import CompiledModel, Settings, Signature, convert, device, meta_of
from lite.plugin.device.short_sums import has_short_sums, may_saturate, processor_flags

if TYPE_CHECKING:
    import onnxruntime as ort

_IN_FLOAT32 = "1"
_QUIET = 4
"""Log only fatal errors: ONNX Runtime raises the others too, and warns about every optimised model."""

_OPTION = re.compile(r"[^=\s]+=.*")


@dataclass(frozen=True)
class OnnxRuntimeOptions:
    """The options of ``onnxruntime{…}``.

    `provider` is ONNX Runtime's name of the execution provider that runs the region, `provider_options` are
    its options, each as ``key=value``, and `optimization` is how far ONNX Runtime optimises its graph.
    On an x86 processor without VNNI, sums of ONNX Runtime's integer kernels may saturate in 16 bits: regions
    with weights that allow it run in float, unless `saturate` is set.
    Raises `ConfigError` for a provider option of another form.
    """

    provider: str = CPU
    provider_options: tuple[str, ...] = ()
    optimization: Literal["disable", "basic", "extended", "all"] = "all"
    saturate: bool = False

    def __post_init__(self) -> None:
        wrong = [text for text in self.provider_options if not _OPTION.fullmatch(text)]
        if wrong:
            raise ConfigError(f"onnxruntime: provider_options: expected key=value, got {wrong[0]!r}")

    @property
    def provider_settings(self) -> dict[str, str]:
        """The provider's options by key."""
        return dict(text.split("=", 1) for text in self.provider_options)


@device("onnxruntime")
class OnnxRuntime(OnnxTarget[OnnxRuntimeOptions]):
    """Regions as ONNX models, run by one execution provider.

    The provider runs all of a region, or the region is not compiled: by default, ONNX Runtime would run other
    nodes on its CPU provider without a message.

    With the precision "default", ONNX Runtime may compute between quantised values in integers, and round the
    weights there to 8 bits.  With "strict", float32 is computed in float32, and ops quantise and dequantise.
    """

    Options = OnnxRuntimeOptions
    # Execution providers take the paths of libraries and caches among their options.
    local_options = ("provider_options",)
    dynamic_shapes = True

    def __init__(self, options: OnnxRuntimeOptions, settings: Settings) -> None:
        super().__init__(options, settings)
        self.takes_quantized = settings.precision == "default"
        self.on_host_processor = options.provider == CPU

    def available(self) -> str | None:
        for package in ("onnxruntime", "onnx"):
            if importlib.util.find_spec(package) is None:
                return f"package {package} is not installed; pip install 'litebridge[onnxruntime]'"
        import onnxruntime as ort

        providers = ort.get_available_providers()
        if self.options.provider not in providers:
            return f"this onnxruntime has no {self.options.provider}; it has {', '.join(providers)}"
        return None

    def version(self) -> str:
        import onnxruntime as ort

        optimised_for = f"{platform.machine()} {_processor()}"
        provider = f"{self.options.provider} {self.options.provider_settings}"
        return (
            f"onnxruntime {ort.__version__}, {provider}, opset {OPSET}, "
            f"{self.options.optimization}, {optimised_for}"
        )

    def compile(self, graph: Graph, signature: Signature) -> CompiledModel:
        builder = QuantizedOnnxBuilder(OPSET)
        convert(graph, self, builder)
        results = [meta_of(value) for value in graph.results]
        builder.describe_outputs(results)
        proto = make_model(builder)
        proto.metadata_props.add(key=SHAPES, value=shapes_text(results))
        model = proto.SerializeToString()
        with tempfile.TemporaryDirectory(prefix="litebridge-") as folder:
            source, optimised = Path(folder, "model.onnx"), Path(folder, "optimised.onnx")
            source.write_bytes(model)
            is_exact = self.options.saturate or not (
                self.on_host_processor and has_short_sums() and may_saturate(graph)
            )
            session = self._session(
                source,
                self.options.optimization,
                optimised,
                in_integers=is_exact,
                without=harmful_optimizers(proto, self.options.provider),
            )
            # The open file has no name any more; it exists until the model is freed.
            file = optimised.open("rb") if optimised.is_file() else None

        def blob() -> bytes:
            if file is None:
                raise CompileError(f"onnxruntime: {self.options.provider} wrote no optimised model")
            file.seek(0)
            return pack(file.read())

        compiled = OrtModel(session, blob)
        if file is not None:
            weakref.finalize(compiled, file.close)
        return compiled

    def load(self, blob: bytes) -> CompiledModel:
        model = unpack(blob)
        with tempfile.TemporaryDirectory(prefix="litebridge-") as folder:
            source = Path(folder, "model.onnx")
            source.write_bytes(model)
            return OrtModel(self._session(source, "disable"), lambda: blob)

    def why_not_node(self, node: OnnxNode) -> str | None:
        """Why ONNX does not allow a node, or the CPU provider, where it is to run it, has no kernel."""
        if (
            node.op_type == "RoiAlign"
            and node.attributes["mode"] == "max"
            and node.attributes["sampling_ratio"] != 1
        ):
            return "ONNX Runtime adds the samples of a bin in mode max, instead of taking the largest"
        reason = why_not_types(node, OPSET)
        if reason is not None or self.options.provider != CPU:
            return reason
        if not self.options.saturate and has_short_sums():
            reason = why_not_sums(node)
        return why_not_kernel(node, OPSET) if reason is None else reason

    def _session(
        self,
        source: Path,
        optimization: str,
        write_to: Path | None = None,
        *,
        in_integers: bool = True,
        without: Sequence[str] = (),
    ) -> ort.InferenceSession:
        """A session, whose model is written to `write_to`, optimised `without` some optimisers."""
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
        # Products with weights of a few bits: without this, ONNX Runtime rounds X to bytes.
        options.add_session_config_entry("session.qdq_matmulnbits_accuracy_level", _IN_FLOAT32)
        if self.settings.precision == "strict" or not in_integers:
            options.add_session_config_entry("session.disable_quant_qdq", "1")
        if write_to is not None:
            options.optimized_model_filepath = str(write_to)
        provider = self.options.provider
        if provider != CPU:
            # Otherwise ONNX Runtime would run nodes that the provider does not take on the CPU.
            options.add_session_config_entry("session.disable_cpu_ep_fallback", "1")
        providers = [(provider, self.options.provider_settings)]
        session = at_boundary(
            self.name,
            f"making a session on {provider}",
            lambda: ort.InferenceSession(
                source, options, providers=providers, enable_fallback=0, disabled_optimizers=list(without)
            ),
        )
        if session.get_providers()[0] != provider:
            raise CompileError(
                f"onnxruntime: the model runs on {session.get_providers()} instead of {provider}"
            )
        return session


class OrtModel(Session):
    """A session, whose file is the optimised model."""

    def files(self) -> Mapping[str, bytes]:
        """The optimised ONNX model."""
        return {"region.onnx": bytes(unpack(self.serialize()))}


def _processor() -> str:
    """The processor's features that an optimised model depends on: ONNX Runtime chooses kernels by them."""
    flags = processor_flags()
    return " ".join(sorted(flags & _FLAGS)) if flags else platform.processor()


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
