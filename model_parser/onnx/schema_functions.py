"""Ops without a translation that ONNX itself defines by other ops."""

from __future__ import annotations

from typing import Any

from lite.model_parser.onnx.messages import ModelProto, NodeProto
from lite.model_parser.onnx.node import op_name
from lite.model_parser.onnx.translations import has_translation
from lite.model_parser.onnx.traversal import all_nodes


def expand_schema_functions(model: ModelProto) -> ModelProto:
    """The model with such ops expanded; the same object where it has none, or ONNX cannot expand them."""
    unknown = [node for node in all_nodes(model.graph.node) if not has_translation(op_name(node))]
    if not unknown:
        return model
    # Imported here because the package onnx is slow to import.
    from onnx import inliner
    from onnx.checker import ValidationError
    from onnx.shape_inference import InferenceError

    versions = {entry.domain: int(entry.version) for entry in model.opset_import}
    wanted = {
        (node.domain, node.op_type) for node in unknown if _has_function(node, versions.get(node.domain))
    }
    if not wanted:
        return model
    try:
        expanded: ModelProto = inliner.inline_selected_functions(
            model, sorted(wanted), inline_schema_functions=True
        )
    except (RuntimeError, ValueError, ValidationError, InferenceError):
        return model
    return expanded


def _has_function(node: NodeProto, version: int | None) -> bool:
    # ONNX takes versions of 32 bits only; a file can state any of 64.
    if version is None or not 0 < version < 1 << 31:
        return False
    from onnx import defs

    try:
        # The package's type stubs lack these two members.
        schema: Any = defs.get_schema(node.op_type, version, node.domain)
    except defs.SchemaError:
        return False
    return bool(schema.has_function or schema.has_context_dependent_function)
