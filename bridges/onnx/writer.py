"""Writes whole models as ONNX files."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from lite.emission.onnx.bridging import OPSET, SHARED, OnnxTarget
from lite.emission.onnx.builder import Builder, OnnxNode
from lite.emission.onnx.model import IR_VERSION, make_model
from lite.emission.onnx.node_types import nested, why_not_types
from lite.errors import CompileError, ModelParseError
from lite.extras import require
from lite.ir.graph import Graph
from lite.plugin.device import CompiledModel, NoOptions, Settings, Signature, meta_of
from lite.plugin.device.bridging import convert, why_not
from lite.plugin.format import Written, model_writer
from lite.plugin.loader import load_bridges

_MOST_NAMES = 3
"""How many ops of one type and reason a message names."""


class OnnxFile(OnnxTarget[NoOptions]):
    """The file format as a device of bridges: it takes every node that ONNX allows."""

    name = "the file format ONNX"
    is_file = True

    def available(self) -> str | None:
        return None

    def version(self) -> str:
        return f"opset {OPSET}"

    def compile(self, graph: Graph, signature: Signature) -> CompiledModel:
        raise CompileError("an ONNX file cannot run a region; use the device onnxruntime")

    def why_not_node(self, node: OnnxNode) -> str | None:
        """Why ONNX does not allow the element types of a node."""
        return why_not_types(node, OPSET)


@model_writer("onnx")
class OnnxWriter:
    """Writes one ONNX file with all constants in it, which `onnx.checker` accepts.

    Dimensions, inputs and outputs keep their names; an output with the name of an input gets a number after
    it.
    """

    suffix = ".onnx"

    def why_not(self, graph: Graph) -> list[str]:
        """Every op type that has no ONNX form, with its count, the reason and the first names."""
        device = OnnxFile(NoOptions(), Settings())
        nodes = [node for each in graph.walk() for node in each]
        load_bridges(SHARED, sorted({node.op for node in nodes}))
        counts: Counter[tuple[str, str]] = Counter()
        names: dict[tuple[str, str], list[str]] = {}
        for node in nodes:
            reason = why_not(node, device)
            if reason is not None:
                reason = reason.replace(f"{device.name} has no bridge", "litebridge has no ONNX form")
                counts[node.op, reason] += 1
                names.setdefault((node.op, reason), []).append(node.label)
        return [
            f"{op} ({count}x, {', '.join(names[op, reason][:_MOST_NAMES])}): {reason}"
            for (op, reason), count in sorted(counts.items())
        ]

    def write(self, graph: Graph, path: Path) -> Written:
        """Write the graph to a file; raises `ModelParseError` for ops without an ONNX form."""
        require("onnx", "onnx", f"{path}: writing ONNX models")
        import onnx

        missing = self.why_not(graph)
        if missing:
            listed = "; ".join(missing)
            raise ModelParseError(f"{path}: {len(missing)} kinds of ops cannot be written as ONNX: {listed}")
        args = {value.name for value in graph.args}
        builder = Builder(OPSET, results=[name for name in graph.result_names if name not in args])
        try:
            convert(graph, OnnxFile(NoOptions(), Settings()), builder)
            builder.describe_outputs([meta_of(value) for value in graph.results])
            model = make_model(builder, "main")
        except CompileError as error:
            raise ModelParseError(f"{path}: cannot be written as ONNX: {error}") from error
        data = model.SerializeToString()
        try:
            onnx.checker.check_model(data)
        except onnx.checker.ValidationError as error:
            raise ModelParseError(f"{path}: onnx.checker rejects the model: {error}") from error
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        cleaned = sum(len(each) for each in graph.walk())
        written = sum(1 for _ in nested(builder))
        return Written([path], cleaned, written, {"opset": OPSET, "ir_version": IR_VERSION})
