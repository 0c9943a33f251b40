"""Qualcomm HTP as a device."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import platform
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from lite.bridges.qnn.context_binary import elsewhere, pack, unpack
from lite.bridges.qnn.node_table import TENSORS, why_not_nodes
from lite.bridges.qnn.provider import EP_NAME, provider_devices
from lite.bridges.qnn.quantized import QuantizedHtpBuilder
from lite.bridges.qnn.quantized_values import why_not_quantized
from lite.dataclass import dataclass
from lite.emission.onnx.bridging import OPSET, OnnxTarget
from lite.emission.onnx.builder import Builder, OnnxNode
from lite.emission.onnx.model import make_model
from lite.emission.onnx.session import SHAPES, Session, shapes_text
from lite.errors import CompileError
from lite.ir.graph import Graph
from lite.ir.types import DType
from lite.plugin.boundary import at_boundary
from lite.plugin.device import (
    FLOAT16,
    BridgeOp,
    CompiledModel,
    Evidence,
    Limits,
    Precision,
    Settings,
    Signature,
    convert,
    device,
    meta_of,
)

if TYPE_CHECKING:
    import onnxruntime as ort

_QUIET = 4
"""Log only fatal errors: ONNX Runtime raises the others, too."""

_PRECISIONS = {
    "float16": replace(FLOAT16, infinities=False),
    "w8a8": Precision("w8a8", DType.UINT8, DType.INT8, tolerance=5e-2, infinities=False),
    "w8a16": Precision("w8a16", DType.UINT16, DType.INT8, tolerance=3e-2, infinities=False),
}


@dataclass(frozen=True)
class QnnOptions:
    """The options of ``qnn{…}``.

    `soc_model` and `htp_arch` are Qualcomm's numbers of the chip and of its HTP (43 and 73: Snapdragon 8
    Gen 2).  `precision` says how quantised values are computed: w8a8 with weights and activations of 8 bits,
    w8a16 with activations of 16 bits over the same ranges, float16 without integers.  `optimization` is how
    long the compiler optimises, from 1 to 3.
    """

    soc_model: int = 43
    htp_arch: Literal[68, 69, 73, 75, 79, 81] = 73
    precision: Literal["float16", "w8a8", "w8a16"] = "float16"
    optimization: Literal[1, 2, 3] = 2

    @property
    def provider_settings(self) -> dict[str, str]:
        """The options of the execution provider."""
        return {
            "backend_type": "htp",
            "soc_model": str(self.soc_model),
            "htp_arch": str(self.htp_arch),
            "enable_htp_fp16_precision": "1",
            "htp_graph_finalization_optimization_mode": str(self.optimization),
        }


@device("qnn")
class Qnn(OnnxTarget[QnnOptions]):
    """Regions as ONNX models that onnxruntime-qnn compiles to one context binary for the HTP.

    Inputs and outputs are float32; the HTP computes in float16, so a result above 65 504 is infinite.  With
    w8a8 or w8a16, it computes in integers between the quantised values of a model or of a recipe.  On x86-64
    the package has an emulator of the HTP, and its own numerics.  The HTP runs all of a region, or the region
    is not compiled.
    """

    Options = QnnOptions
    on_host_processor = platform.machine() not in ("aarch64", "arm64")  # elsewhere, an emulator of the HTP
    tensors = TENSORS
    limits = Limits()

    def __init__(self, options: QnnOptions, settings: Settings) -> None:
        super().__init__(options, settings)
        self.takes_quantized = options.precision != "float16"

    @property
    def precisions(self) -> Sequence[Precision]:  # type: ignore[override]
        """One, which the options name."""
        return (_PRECISIONS[self.options.precision],)

    def available(self) -> str | None:
        for package in ("onnxruntime_qnn", "onnxruntime", "onnx"):
            if importlib.util.find_spec(package) is None:
                return (
                    f"package {package.replace('_', '-')} is not installed; pip install 'litebridge[qnn]' "
                    "(64-bit Linux or Windows, Python 3.11 or newer)"
                )
        if self.settings.precision == "strict":
            return "the HTP computes in float16, and the precision is strict"
        provider_devices()
        return None

    def version(self) -> str:
        packages = ("onnxruntime-qnn", "onnxruntime")
        versions = ", ".join(f"{name} {importlib.metadata.version(name)}" for name in packages)
        return f"{versions}, opset {OPSET}, {self.options.precision}, {self.options.provider_settings}"

    def compile(self, graph: Graph, signature: Signature) -> CompiledModel:
        builder = self._builder()
        convert(graph, self, builder)
        if isinstance(builder, QuantizedHtpBuilder):
            builder.finished()
        results = [meta_of(value) for value in graph.results]
        builder.describe_outputs(results)
        proto = make_model(builder)
        shapes = shapes_text(results)
        proto.metadata_props.add(key=SHAPES, value=shapes)
        with tempfile.TemporaryDirectory(prefix="litebridge-") as folder:
            source, context = Path(folder, "model.onnx"), Path(folder, "context.onnx")
            source.write_bytes(proto.SerializeToString())
            session = self._session(source, context)
            if not context.is_file():
                raise CompileError("qnn: the SDK wrote no context binary")
            blob = pack(context.read_bytes(), shapes)
        return HtpModel(session, blob)

    def load(self, blob: bytes) -> CompiledModel:
        with tempfile.TemporaryDirectory(prefix="litebridge-") as folder:
            source = Path(folder, "context.onnx")
            source.write_bytes(unpack(blob))
            return HtpModel(self._session(source), blob)

    def why_not_op(self, op: BridgeOp, name: str) -> str | None:
        """Why the HTP does not take the quantised values of an op; None when it does."""
        return why_not_quantized(op)

    def why_not_node(self, node: OnnxNode) -> str | None:
        """Why ONNX does not allow a node, or the HTP does not take it in float16."""
        return why_not_nodes([node])

    def why_not_nodes(self, nodes: Sequence[OnnxNode]) -> str | None:
        """The same for the nodes of an op, of which ONNX Runtime computes some before the SDK sees them."""
        return why_not_nodes(nodes)

    def _builder(self) -> Builder:
        if self.options.precision == "float16":
            return Builder(OPSET)
        return QuantizedHtpBuilder(OPSET, _PRECISIONS[self.options.precision].activation)

    def _session(self, source: Path, write_to: Path | None = None) -> ort.InferenceSession:
        import onnxruntime as ort

        options = ort.SessionOptions()
        options.log_severity_level = _QUIET
        options.intra_op_num_threads = self.settings.threads
        options.inter_op_num_threads = 1
        # Otherwise ONNX Runtime would run nodes that the HTP does not take on the CPU.
        options.add_session_config_entry("session.disable_cpu_ep_fallback", "1")
        if write_to is not None:
            options.add_session_config_entry("ep.context_enable", "1")
            options.add_session_config_entry("ep.context_embed_mode", "1")
            options.add_session_config_entry("ep.context_file_path", str(write_to))
        options.add_provider_for_devices(provider_devices(), self.options.provider_settings)
        return at_boundary(
            self.name,
            "making a session on the HTP",
            lambda: ort.InferenceSession(source, options, enable_fallback=0),
        )


class HtpModel(Session):
    """A session on the HTP; its evidence is the context model and the session's list of providers."""

    def __init__(self, session: ort.InferenceSession, blob: bytes) -> None:
        super().__init__(session, lambda: blob)
        self._nodes, self._others = elsewhere(unpack(blob))

    def files(self) -> Mapping[str, bytes]:
        """The context model, an ONNX file with the context binary."""
        return {"region.onnx": unpack(self.serialize())}

    def evidence(self) -> Evidence:
        """The nodes of the context model: the HTP's are context binaries, all others run on the CPU."""
        others = list(self._others)
        first = self.session.get_providers()[0]
        if first != EP_NAME:
            others.append(f"the session on {first}")
        return Evidence("ONNX Runtime's context model", self._nodes, others)
