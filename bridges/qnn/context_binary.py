"""A context model: an ONNX file whose nodes of type EPContext hold binaries for the HTP."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from lite.emission.onnx.session import SHAPES
from lite.errors import CompileError

_MAGIC = b"litebridge qnn 1\n"
_DIGEST = 16
_CONTEXT = "EPContext"


def pack(model: bytes, shapes: str) -> bytes:
    """The context model as bytes with a checksum, and the shapes of its outputs in its metadata."""
    import onnx

    proto = onnx.load_model_from_string(model)
    if all(each.key != SHAPES for each in proto.metadata_props):
        proto.metadata_props.add(key=SHAPES, value=shapes)
    data: bytes = proto.SerializeToString()
    return _MAGIC + _checksum(data) + data


def unpack(blob: bytes) -> bytes:
    """The context model in a blob of `pack`; raises `CompileError` for other or damaged bytes."""
    head = len(_MAGIC) + _DIGEST
    if blob[: len(_MAGIC)] != _MAGIC or len(blob) < head:
        raise CompileError("qnn: these bytes are not a model that this device kept")
    model = blob[head:]
    if _checksum(model) != blob[len(_MAGIC) : head]:
        raise CompileError("qnn: the stored model is damaged: its checksum does not match")
    return model


def elsewhere(model: bytes) -> tuple[int, Sequence[str]]:
    """The number of context binaries of a context model, and its other nodes, which the CPU runs."""
    import onnx

    types = [node.op_type for node in onnx.load_model_from_string(model).graph.node]
    others = [f"{op_type} on the CPU" for op_type in types if op_type != _CONTEXT]
    return types.count(_CONTEXT), others


def _checksum(model: bytes) -> bytes:
    return hashlib.blake2b(model, digest_size=_DIGEST).digest()
