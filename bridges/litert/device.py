"""LiteRT as a device: regions run as TFLite models by XNNPACK on the CPU."""

from __future__ import annotations

from collections.abc import Sequence

from lite.bridges.litert.blob import unpack
from lite.bridges.litert.compiled import LitertModel, interpreter
from lite.bridges.litert.group import LitertGroup
from lite.bridges.litert.limits import why_not
from lite.dataclass import dataclass
from lite.emission.tflite.bridging import TfliteTarget
from lite.emission.tflite.builder import Builder
from lite.emission.tflite.graph import Operator
from lite.emission.tflite.writer import library_bytes, tflite_bytes
from lite.ir.graph import Graph
from lite.ir.types import Layout
from lite.plugin.device import Settings, Signature, convert, device

_LAYOUTS = {"NCHW": Layout.NCHW, "NHWC": Layout.NHWC}


@dataclass(frozen=True)
class LitertOptions:
    """The options of ``litert{…}``.

    `threads` is the number of threads of a model (0: as many as the Config says).  Without `xnnpack`,
    LiteRT's own kernels run every operator.  With the `edge_layout` NHWC, images at the ends of a model have
    channels last, as in most ``.tflite`` files.
    """

    threads: int = 0
    xnnpack: bool = True
    edge_layout: str = "NCHW"


@device("litert")
class Litert(TfliteTarget[LitertOptions]):
    """Regions of fixed sizes as TFLite models."""

    Options = LitertOptions
    on_host_processor = True
    shares_weights = True

    def __init__(self, options: LitertOptions, settings: Settings) -> None:
        super().__init__(options, settings)
        self.takes_quantized = settings.precision == "default"
        self.edge_layout = _LAYOUTS.get(options.edge_layout, Layout.NCHW)

    def available(self) -> str | None:
        try:
            import ai_edge_litert.interpreter  # noqa: F401
        except ImportError as error:
            return f"ai-edge-litert is not installed ({error}); pip install 'litebridge[litert]'"
        if self.options.threads < 0:
            return f"threads: expected 0 or more, got {self.options.threads}; 0 stands for that of the Config"
        if self.options.edge_layout not in _LAYOUTS:
            return f"edge_layout: expected NCHW or NHWC, got {self.options.edge_layout!r}"
        return None

    def version(self) -> str:
        from importlib.metadata import version

        # Not the threads: a stored model is the file, which any number of threads may run.
        return f"ai-edge-litert {version('ai-edge-litert')}"

    def why_not_operator(self, operator: Operator) -> str | None:
        return why_not(operator)

    def region_passes(self) -> Sequence[str]:
        # Sizes that the region computes from its inputs are numbers once the inputs' sizes are.
        return ("constant_fold_pass", "reshape_sizes_fold_pass", "dead_code_elimination_pass")

    def compile(self, graph: Graph, signature: Signature) -> LitertModel:
        builder = Builder()
        convert(graph, self, builder)
        return self._opened(tflite_bytes(builder.finished()))

    def compile_all(self, parts: Sequence[tuple[Graph, Signature]]) -> LitertGroup:
        graphs = {}
        for number, (graph, _) in enumerate(parts):
            builder = Builder()
            convert(graph, self, builder)
            graphs[f"region_{number}"] = builder.finished()
        return self._opened_group(library_bytes(graphs))

    def load(self, blob: bytes) -> LitertModel:
        return self._opened(unpack(blob))

    def load_all(self, blob: bytes) -> LitertGroup:
        return self._opened_group(unpack(blob))

    def _opened(self, model: bytes) -> LitertModel:
        return LitertModel(model, interpreter(model, self._threads, xnnpack=self.options.xnnpack))

    def _opened_group(self, model: bytes) -> LitertGroup:
        return LitertGroup(model, interpreter(model, self._threads, xnnpack=self.options.xnnpack))

    @property
    def _threads(self) -> int:
        return self.options.threads or self.settings.threads
