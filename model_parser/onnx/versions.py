"""The IR version and opset of a model, and the check that they are supported."""

from __future__ import annotations

from collections.abc import Iterable

import onnx

from lite.errors import ModelParseError

OLDEST = 7
"""Older opsets are read as this one where their ops mean the same."""
DEFAULT_DOMAINS = ("", "ai.onnx")
_FIRST_IR_WITH_OPSETS = 3


def read_opset(model: onnx.ModelProto, nodes: Iterable[onnx.NodeProto], source: str) -> int:
    """The model's opset of the default domain, at least 7; `nodes` are all nodes of the model.

    An older opset counts as 7 where every op of the model means the same in both.  Raises
    `ModelParseError` where one does not, and for versions newer than the installed onnx package.
    """
    if model.ir_version > onnx.IR_VERSION:
        raise _too_new(source, "IR version", model.ir_version, onnx.IR_VERSION)
    versions = {entry.domain: int(entry.version) for entry in model.opset_import}
    version = next((versions[domain] for domain in DEFAULT_DOMAINS if domain in versions), None)
    if version is None and model.ir_version < _FIRST_IR_WITH_OPSETS:
        version = 1
    if version is None:
        raise ModelParseError(
            f"{source}: the model imports no opset of the default domain, expected one even where it has "
            "only ops of other domains; add it to opset_import"
        )
    if version > onnx.defs.onnx_opset_version():
        raise _too_new(source, "opset", version, onnx.defs.onnx_opset_version())
    if version < OLDEST:
        _check_unchanged(version, nodes, source)
    return max(version, OLDEST)


def _too_new(source: str, kind: str, version: int, newest: int) -> ModelParseError:
    return ModelParseError(
        f"{source}: {kind} {version}, expected at most {newest}, the newest that the installed onnx "
        f"{onnx.__version__} knows; install a newer onnx"
    )


def _check_unchanged(version: int, nodes: Iterable[onnx.NodeProto], source: str) -> None:
    ops = {node.op_type for node in nodes if node.domain in DEFAULT_DOMAINS}
    changed = sorted(op for op in ops if version < 1 or _since(op, version) != _since(op, OLDEST))
    if changed:
        raise ModelParseError(
            f"{source}: opset {version}, expected {OLDEST} or newer, since these ops meant something else: "
            f"{', '.join(changed)}; convert the model with onnx.version_converter"
        )


def _since(op: str, version: int) -> int:
    """The last opset up to `version` that changed an op; 0 where the op did not exist yet."""
    if not onnx.defs.has(op, version):
        return 0
    return int(onnx.defs.get_schema(op, version).since_version)
