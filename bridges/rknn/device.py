"""Rockchip's NPUs as a device: RKNN-Toolkit2 builds regions, and its simulator runs them."""

from __future__ import annotations

import importlib.metadata
import importlib.util
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from lite.bridges.rknn.blob import unpack
from lite.bridges.rknn.node_table import OPSET, TENSORS, why_not_node, why_not_nodes
from lite.bridges.rknn.simulated import SimulatedModel, build
from lite.dataclass import dataclass
from lite.emission.onnx.bridging import OnnxTarget
from lite.emission.onnx.builder import Builder, OnnxNode
from lite.emission.onnx.model import make_model
from lite.ir.graph import Graph
from lite.plugin.device import (
    FLOAT16,
    CompiledModel,
    Signature,
    WorkerEnvironment,
    convert,
    device,
    meta_of,
)

SDK = "2.5.0"
"""The version of rknn-toolkit2 that the table of nodes was tested with."""

CHIPS = ("rk3588", "rk3576")


@dataclass(frozen=True)
class Options:
    """The options of ``rknn{…}``: `chip` is rk3588 or rk3576."""

    chip: str = "rk3588"


@device("rknn")
class Rknn(OnnxTarget[Options]):
    """Regions as ONNX models that RKNN-Toolkit2 builds for the chip, in a worker with Python 3.11.

    Inputs and outputs are float32; the chip computes in float16.  The toolkit's simulator runs only what its
    process has built: a stored model has the .rknn file for a board, and the ONNX model, from which the
    worker builds it again.
    """

    Options = Options
    on_host_processor = True  # the toolkit's simulator
    precisions = (replace(FLOAT16, infinities=False),)
    tensors = TENSORS
    environment = WorkerEnvironment("3.11", Path(__file__).with_name("requirements.txt"), complete=True)

    def available(self) -> str | None:
        if self.options.chip not in CHIPS:
            return f"chip: expected one of {', '.join(CHIPS)}, got {self.options.chip!r}"
        if self.settings.precision == "strict":
            return "the chip computes in float16, and the precision is strict"
        if importlib.util.find_spec("rknn") is None:
            return "rknn-toolkit2 is not in its environment: litebridge devices install rknn --again"
        version = importlib.metadata.version("rknn-toolkit2")
        if version != SDK:
            return f"expected rknn-toolkit2 {SDK}, got {version}: litebridge devices install rknn --again"
        return None

    def version(self) -> str:
        return (
            f"rknn-toolkit2 {importlib.metadata.version('rknn-toolkit2')}, {self.options.chip}, opset {OPSET}"
        )

    def compile(self, graph: Graph, signature: Signature) -> CompiledModel:
        builder = Builder(OPSET)
        convert(graph, self, builder)
        results = [meta_of(value) for value in graph.results]
        builder.describe_outputs(results)
        model = make_model(builder).SerializeToString()
        inputs = [list(meta.sizes) for _, meta in builder.inputs]
        return SimulatedModel(
            build(model, self.options.chip), model, inputs, [list(m.sizes) for m in results]
        )

    def load(self, blob: bytes) -> CompiledModel:
        stored = unpack(blob)
        return SimulatedModel(
            build(stored.onnx, self.options.chip), stored.onnx, stored.inputs, stored.outputs
        )

    def why_not_node(self, node: OnnxNode) -> str | None:
        """Why ONNX does not allow a node, or the toolkit does not take it."""
        return why_not_node(node)

    def why_not_nodes(self, nodes: Sequence[OnnxNode]) -> str | None:
        """The same for the nodes of an op, of which the toolkit computes some itself."""
        return why_not_nodes(nodes)

    def worker_variables(self, packages: Path, folder: Path) -> Mapping[str, str]:
        return {"TMPDIR": str(folder), "OMP_NUM_THREADS": str(self.settings.threads)}
