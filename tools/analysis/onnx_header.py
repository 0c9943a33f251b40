"""What an ONNX file states of its origin, for files that litebridge does not read as a whole."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from lite.dataclass import dataclass

if TYPE_CHECKING:
    from onnx import GraphProto, NodeProto


@dataclass(frozen=True)
class OnnxHeader:
    """Opsets and producer, and the number of nodes of each op, those of nested graphs included."""

    origin: Mapping[str, str]
    ops: Mapping[str, int]


def onnx_header(path: Path) -> OnnxHeader | None:
    """The header of a file, or of the only .onnx file of a folder; None if it is no ONNX model."""
    from google.protobuf.message import DecodeError

    try:
        import onnx
    except ImportError:
        return None
    file = next(iter(sorted(path.glob("*.onnx"))), None) if path.is_dir() else path
    model = onnx.ModelProto()
    try:
        if file is None or not model.ParseFromString(file.read_bytes()) or not model.graph.node:
            return None
    except (DecodeError, OSError, UnicodeDecodeError):
        return None
    counts = Counter(
        f"{node.domain}.{node.op_type}" if node.domain else node.op_type for node in _nodes(model.graph)
    )
    opsets = ", ".join(f"{each.domain or 'ai.onnx'} {each.version}" for each in model.opset_import)
    producer = f"{model.producer_name} {model.producer_version}".strip()
    return OnnxHeader(
        {"opset": opsets, **({"producer": producer} if producer else {})},
        dict(sorted(counts.items(), key=lambda item: (-item[1], item[0]))),
    )


def _nodes(graph: GraphProto) -> Iterator[NodeProto]:
    for node in graph.node:
        yield node
        for attribute in node.attribute:
            for inner in (attribute.g, *attribute.graphs):
                yield from _nodes(inner)
